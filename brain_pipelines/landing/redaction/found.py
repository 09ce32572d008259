"""Spans of personal data in a text."""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Found:
    """Characters `start` to `end` are personal data; `key` is the normalised value, equal for every spelling."""

    start: int
    end: int
    kind: str
    key: str


def without_overlaps(found: Iterable[Found]) -> list[Found]:
    """Return the spans that overlap no earlier span of the input, sorted by position."""
    kept: list[Found] = []
    for one in found:
        at = bisect_left(kept, one.start, key=lambda f: f.start)
        free = at == 0 or kept[at - 1].end <= one.start
        if free and (at == len(kept) or one.end <= kept[at].start):
            kept.insert(at, one)
    return kept


def digits_of(text: str) -> str:
    """Return the digits of a text without what stands between them."""
    return "".join(char for char in text if char.isdigit())
