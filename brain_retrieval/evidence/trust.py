"""Trust: how far the evidence for a verdict is to be believed, with an interval and a grade.

item = 0.30 similarity + 0.30 source + 0.20 recency + 0.20 (stance + 1) / 2
all  = Σ t² / Σ t over the ten best
"""

import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from brain_retrieval.evidence.candidates.provenance import host_of
from brain_retrieval.evidence.items import NEITHER, EvidenceItem

SIMILARITY, SOURCE, RECENCY, STANCE = 0.30, 0.30, 0.20, 0.20
MOST = 10
SAMPLES, OUTSIDE = 200, 0.025
UNKNOWN = 0.5  # an item of which nothing is known
GRADES = (("A+", 0.85), ("A", 0.75), ("B", 0.65), ("C", 0.50), ("D", 0.35))
WORST = "F"
_AGES = ((180, 1.0), (365, 0.8), (3 * 365, 0.6), (5 * 365, 0.4))  # days, and recency of what is not older
OLD = 0.3
_SHORT_ENDING = 3  # letters of a part such as "co" or "com" before the ending of a country


@dataclass(frozen=True)
class TrustInterval:
    """A number with the interval that holds it with 95 %."""

    value: float
    low: float
    high: float


def item_trust(item: EvidenceItem, verdict: str, at: datetime) -> float:
    """Return the trust in an item for a verdict ("support", "contradict" or "neither"), 0–1."""
    features = item.features
    similar = features.overlap if features.semantic is None else features.semantic
    stance = 0 if NEITHER in (verdict, item.label) else 1 if item.label == verdict else -1
    age = recency_of(item.statement.said_at, at)
    return SIMILARITY * similar + SOURCE * item.credibility + RECENCY * age + STANCE * (stance + 1) / 2


def recency_of(said_at: datetime, at: datetime) -> float:
    """Return the recency of a statement in steps: 1 up to half a year, then 0.8, 0.6, 0.4, 0.3."""
    days = (at - said_at).days
    return next((value for most, value in _AGES if days < most), OLD)


def total_trust(trusts: Iterable[float]) -> float:
    """Return Σ t² / Σ t of the ten highest, 0 of none: the mean, in which the trusted count more."""
    best = sorted(trusts, reverse=True)[:MOST]
    return sum(one * one for one in best) / sum(best) if sum(best) > 0 else 0.0


def interval(trusts: Sequence[float], seed: str) -> TrustInterval:
    """Return the trust with its interval by 200 samples; the same for the same items and seed.

    One item of which nothing is known is drawn from with the others, so that a single one has an interval too.
    """
    best = sorted(trusts, reverse=True)[:MOST]
    if not best:
        return TrustInterval(0.0, 0.0, 0.0)
    draw = random.Random(seed)  # noqa: S311  a sample, not a secret
    pool = [*best, UNKNOWN]
    means = sorted(total_trust(draw.choices(pool, k=len(pool))) for _ in range(SAMPLES))
    last = SAMPLES - 1
    value = total_trust(best)
    low, high = means[math.floor(OUTSIDE * last)], means[math.ceil((1 - OUTSIDE) * last)]
    return TrustInterval(value, min(low, value), max(high, value))


def grade_of(trust: float) -> str:
    """Return A+ to F."""
    return next((grade for grade, least in GRADES if trust >= least), WORST)


def domain_of(item: EvidenceItem) -> str:
    """Return who an item is from: the owner's domain of a page, the speaker of what was said, else the source."""
    host = host_of(item.statement.url)
    if not host:
        return item.statement.source_id
    return owner_of(host)


def owner_of(host: str) -> str:
    """Return the domain that an owner registers: the last two parts of a host, three before some countries."""
    parts = host.split(".")
    if parts[-1].isdecimal():  # an address has no domain
        return host
    country = len(parts) > 2 and len(parts[-1]) == 2 and len(parts[-2]) <= _SHORT_ENDING
    return ".".join(parts[-3:] if country else parts[-2:])


def diversity(items: Sequence[EvidenceItem]) -> float:
    """Return how many domains the items come from, 0–1: 1 if each has its own, 0 of fewer than two items."""
    count = len(items)
    domains = len(Counter(domain_of(item) for item in items))
    if count <= 1:
        return 0.0
    return min(1.0, max(0.0, 1 - math.log(count / domains) / domains))


def agreement(items: Iterable[EvidenceItem], verdict: str) -> float:
    """Return the share of the decided items that do not speak against the verdict; 1 of none."""
    decided = [item for item in items if item.label != NEITHER]
    return sum(item.label == verdict for item in decided) / len(decided) if decided else 1.0
