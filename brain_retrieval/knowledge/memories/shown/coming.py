"""What is coming up: statements with a day from today on, the nearest first."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import Any

import polars as pl

from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.memories.sections import distinct
from brain_retrieval.knowledge.memories.seen import ENDED, OUTDATED
from brain_retrieval.knowledge.memory_states import HIGH, NORMAL
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import lowered, word_pattern

SOON = timedelta(days=14)
LONG_OVER = timedelta(days=30)
LEAST_KEEP = 0.25  # below, a sentence with a day is most often an example, an advertisement or a caption


@dataclass(frozen=True)
class Coming:
    """A day (the first from today on that the statement names) and the statement."""

    day: date
    card: MemoryCard

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; days and times in ISO 8601."""
        return {"day": self.day.isoformat(), **self.card.to_json()}


def coming_up(cards: Iterable[MemoryCard], today: date, *, within: timedelta = SOON) -> list[Coming]:
    """Return what has a day from `today` to `today + within`, by day, then the surest first.

    What has ended, may be outdated, is asked, hearsay or negated is none; that someone is asked to do something is one
    ("Could you send it by 3 May?"). Of two statements of one day that say
    nearly the same, the surer one stays.
    """
    found = list[Coming]()
    for card in cards:
        day = _next_day(card, today, today + within) if _stands(card) else None
        if day is not None:
            found.append(Coming(day, card))
    found.sort(key=lambda one: (one.day, -one.card.keep, one.card.memory_id))
    kept = {card.memory_id for card in distinct(one.card for one in found)}
    return [one for one in found if one.card.memory_id in kept]


def dated_within(rows: pl.DataFrame, first: date, last: date) -> list[str]:
    """Return the ids of memories that name a day from `first` to `last`, but for those of high sensitivity.

    Args:
        rows: memory_id, sensitivity, values (a list of structs: dimension, value).
        first: the first day.
        last: the last day, included.
    """
    shown = rows.filter(pl.col("sensitivity").fill_null(NORMAL) != HIGH)
    values = shown.select("memory_id", "values").explode("values").drop_nulls("values").unnest("values")
    day = pl.col("value").str.slice(0, 10)
    dated = values.filter(pl.col("dimension") == "date", day.is_between(pl.lit(str(first)), pl.lit(str(last))))
    return dated["memory_id"].unique().sort().to_list()


def is_over(card: MemoryCard, today: date) -> bool:
    """Return whether a memory announced something for a day that has been: an appointment, a party, a due day.

    What holds from a stated day on ("moves in on 1 March") is not over after it.
    """
    return not card.from_stated and announced_before(card.values, card.said_at.date(), today)


def is_long_over(row: Mapping[str, Any], today: date) -> bool:
    """Return whether a row of MEMORIES only announced something for a day more than LONG_OVER before today.

    What holds from a stated day on and what is an attribute stays.
    """
    if row["from_stated"] or row["slot_attribute"]:
        return False
    values = ((one["dimension"], one["value"]) for one in row["values"] or ())
    return announced_before(values, row["said_at"].date(), today - LONG_OVER)


def announced_before(values: Iterable[tuple[str, str]], said: date, today: date) -> bool:
    """Return whether the last day that a statement names came after it was said, and before today.

    >>> party = [("date", "2026-07-04")]
    >>> [announced_before(party, date(2026, 6, 15), day) for day in (date(2026, 7, 4), date(2026, 7, 5))]
    [False, True]
    >>> announced_before(party, date(2026, 7, 5), date(2026, 8, 1))  # said when it had been
    False
    """
    days = [value[-10:] for dimension, value in values if dimension == "date"]
    return bool(days) and said.isoformat() < max(days) < today.isoformat()


def is_request(text: str) -> bool:
    """Return whether a question asks someone to do something.

    >>> [is_request(one) for one in ("Could you send it by 3 May?", "Did we book the 3rd of May?")]
    [True, False]
    """
    return _requests().search(lowered(text)) is not None


@cache
def _requests() -> re.Pattern[str]:
    return word_pattern(SHARED.every_language("requests").listed("asked_to"))


def _stands(card: MemoryCard) -> bool:
    said = card.modality not in ("question", "reported") or (card.modality == "question" and is_request(card.text))
    return card.status not in (ENDED, OUTDATED) and said and card.polarity != "negated" and card.keep >= LEAST_KEEP


def _next_day(card: MemoryCard, first: date, last: date) -> date | None:
    days = (date.fromisoformat(value[:10]) for dimension, value in card.values if dimension == "date")
    return min((day for day in days if first <= day <= last), default=None)
