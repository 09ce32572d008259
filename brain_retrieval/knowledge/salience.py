"""Salience of memory items: exponential decay in closed form, and the effect of recalls and mentions. Pure functions.

Between recalls salience decays by exp(-rate · days) with rate = base_rate / (1 + n ^ gradient) after n recalls; items
never recalled decay faster if their confidence is low. A recall adds `recall_boost` and changes the gradient: by the
spacing effect, an interval longer than the previous one slows the decay. docs/memory.md has reasons and figures.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from brain_retrieval.knowledge.memory_states import State, state_of
from brain_retrieval.settings import MemorySettings

DAY = timedelta(days=1)
CERTAIN = 0.8  # confidence from which an item without recalls decays at the base rate
FIRST_GRADIENT = 1.0
LONGER, SHORTER = 0.1, -0.05  # steps of the gradient
MIN_GRADIENT, MAX_GRADIENT = 0.5, 3.0
DIGITS = 9  # decimals a salience is rounded to, so that results are equal on every machine


@dataclass(frozen=True)
class Strength:
    """Decay from `at` until the next recall or mention: salience(t) = salience · exp(-rate · days since `at`)."""

    salience: float
    at: datetime
    rate: float  # per day
    recalls: int = 0
    gradient: float = FIRST_GRADIENT
    interval: timedelta = timedelta()  # from the recall before (or creation) to the last one
    since: datetime | None = None  # the last recall, or creation; `at` where None


def decay_rate(base_rate: float, *, recalls: int, gradient: float = FIRST_GRADIENT, confidence: float = 1.0) -> float:
    """Return the decay rate per day. Confidence counts only before the first recall."""
    if recalls:
        return base_rate / (1.0 + recalls**gradient)
    return base_rate if confidence >= CERTAIN else base_rate * (1.0 + 2.0 * (1.0 - confidence))


def next_gradient(gradient: float, interval: timedelta, last: timedelta) -> float:
    """Return the gradient after a recall. `interval` is the time since the previous recall, `last` the one before."""
    step = LONGER if interval > last else SHORTER if interval < last else 0.0
    return round(min(MAX_GRADIENT, max(MIN_GRADIENT, gradient + step)), DIGITS)


def salience_at(
    anchor_salience: float, anchor_at: datetime, rate: float, at: datetime, *, expires_at: datetime | None = None
) -> float:
    """Return the salience at `at`, if there is no recall between `anchor_at` and `at`.

    Before `anchor_at` it is `anchor_salience`; from `expires_at` on it is 0.
    """
    if expires_at is not None and at >= expires_at:
        return 0.0
    days = max(0.0, (at - anchor_at) / DAY)
    return round(anchor_salience * math.exp(-rate * days), DIGITS)


def fold_recalls(
    created_at: datetime,
    recalls: Iterable[datetime],
    *,
    confidence: float,
    initial: float,
    settings: MemorySettings,
    mentions: Iterable[datetime] = (),
) -> Strength:
    """Return an item's strength after its recalls and mentions, in order of time.

    Args:
        created_at: when Brain first had it; an earlier recall replaces it, because a recalled item existed.
        recalls: at most one per session or day, in any order.
        mentions: when Brain received further sources that mention it, in any order.
    """
    now = Strength(initial, created_at, decay_rate(settings.base_rate, recalls=0, confidence=confidence))
    events = sorted([*((at, 1) for at in recalls), *((at, 0) for at in mentions)])
    for at, is_recall in events:
        now = recalled(now, at, settings) if is_recall else mentioned(now, at, initial)
    return now


def recalled(before: Strength, at: datetime, settings: MemorySettings) -> Strength:
    """Return the strength right after a recall. The first interval starts at creation and is not compared."""
    interval = max(timedelta(), at - (before.since or before.at))
    count = before.recalls + 1
    gradient = before.gradient if count == 1 else next_gradient(before.gradient, interval, before.interval)
    salience = round(min(1.0, _left(before, at) + settings.recall_boost), DIGITS)
    rate = decay_rate(settings.base_rate, recalls=count, gradient=gradient)
    return Strength(salience, at, rate, count, gradient, interval, at)


def mentioned(before: Strength, at: datetime, initial: float) -> Strength:
    """Return the strength right after a mention: at least that of a new item.

    A mention is not a recall: the number of recalls and the rate stay, and salience never falls.
    """
    if at <= before.at:
        return before
    since = before.since or before.at
    return replace(before, salience=round(max(_left(before, at), initial), DIGITS), at=at, since=since)


def _left(before: Strength, at: datetime) -> float:
    return before.salience * math.exp(-before.rate * (max(timedelta(), at - before.at) / DAY))


def days_until(salience: float, threshold: float, rate: float) -> float:
    """Return the days until `salience` decays to `threshold` without a recall: ln(s / t) / rate; infinite at rate 0."""
    if salience <= threshold:
        return 0.0
    return math.log(salience / threshold) / rate if rate else math.inf


def salience_of(row: Mapping[str, Any], at: datetime) -> float:
    """Return the salience of a SALIENCE row at any instant after its last recall."""
    return salience_at(row["anchor_salience"], row["anchor_at"], row["rate"], at, expires_at=row["expires_at"])


def state_at(row: Mapping[str, Any], at: datetime, settings: MemorySettings) -> State:
    """Return the state of a SALIENCE row at any instant after its last recall."""
    if row["expires_at"] is not None and at >= row["expires_at"]:
        return "archived"
    return state_of(
        salience_of(row, at),
        row["access_count"],
        row["ttl_policy"],
        archive_below=settings.archive_below,
        core_recalls=settings.core_recalls,
    )
