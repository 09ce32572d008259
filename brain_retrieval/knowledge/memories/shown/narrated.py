"""What a longer note only narrates: what happened on a day that it does not name, or just before it was written.

"I bumped into Ann", "yesterday we put up the shelves": it was worth telling then and is past now. Of 23 such lines of
diaries that looked useful a strict reader wanted one back, of 28 without a day none. What happened long before was
remembered for a reason ("In 2014 we left Porto"), and what holds, is planned or was decided is no such step.
"""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from brain_retrieval.knowledge.memories.shown.fitness import states_when_or_price

JUST_NOW = timedelta(days=31)  # before it was written
_WHEN = frozenset({"date", "month", "year"})
_OF_STEPS = frozenset({"event", "fact", "feeling"})
_DAY, _MONTH = len("2026-01-31"), len("2026-01")

Row = Mapping[str, Any]


def is_narrated(row: Row) -> bool:
    """Return whether a memory tells a step of a day, by its kind and the days in it.

    Args:
        row: of MEMORIES.
    """
    if row["kind"] not in _OF_STEPS or row["slot_attribute"] or row["valid_to"]:
        return False
    values = row["values"] or ()
    if row["kind"] == "event" and not any(map(states_when_or_price, values)):
        return True
    written = row["said_at"].date()
    ends = [end for one in values if one["dimension"] in _WHEN and (end := _last_day(one["value"], row)) is not None]
    return bool(ends) and all(written - JUST_NOW <= end <= written + JUST_NOW for end in ends)


def _last_day(value: str, row: Row) -> date | None:
    """Return the last day of a day, a month or a stretch of days, of "this year" that of writing; None for no date."""
    text, written = value.rpartition("/")[2], row["said_at"].date()
    if text == str(written.year) and f"[{text}]" in row["text"]:
        return written
    try:
        if len(text) == _MONTH:
            following = date.fromisoformat(f"{text}-28") + timedelta(days=4)
            return following - timedelta(days=following.day)
        return date.fromisoformat(text[:_DAY]) if len(text) >= _DAY else None
    except ValueError:
        return None
