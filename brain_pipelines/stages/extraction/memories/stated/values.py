"""Values that a sentence states, its dates among them."""

import re
from collections.abc import Collection
from dataclasses import replace

from brain_pipelines.stages.extraction.memories.sentence import Sentence, StatedDate
from brain_pipelines.stages.extraction.memories.stated.day_order import slashed_spans
from brain_retrieval.language.values import Value, find_values

_CLOCK = re.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d")


def read_values(sentence: Sentence, dates: tuple[StatedDate, ...]) -> tuple[Value, ...]:
    """Return the values of a sentence from left to right, its dates among them."""
    found = [Value(_date_dimension(each.iso), each.iso, each.start, each.end) for each in dates]
    taken = [*((each.start, each.end) for each in dates), *slashed_spans(sentence.text)]
    days = frozenset(each.end for each in dates)
    values = find_values(sentence.text, sentence.language, taken)
    found += [replace(one, dimension="time") if _is_time(one, sentence.text, days) else one for one in values]
    return tuple(sorted(found, key=lambda value: value.start))


def _is_time(value: Value, text: str, days: Collection[int]) -> bool:
    """Return whether what looks like a duration stands right behind a day: "14 March 9:30", "Sat 10:00"."""
    clock = _CLOCK.fullmatch(value.value) if value.dimension == "duration" else None
    return clock is not None and len(text[: value.start].rstrip(" .,")) in {
        len(text[:end].rstrip(" .,")) for end in days
    }


def _date_dimension(iso: str) -> str:
    return "date" if len(iso) >= 10 else "month" if len(iso) == 7 else "year"
