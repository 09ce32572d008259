"""Replacements in a text, each at a span of the original, applied together."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Edit:
    """Characters `start` to `end` become `text`; an insertion has `start == end`."""

    start: int
    end: int
    text: str


def edited(text: str, edits: Iterable[Edit], start: int = 0) -> str:
    """Return `text[start:]` with the edits made; one that overlaps an earlier one is left out."""
    pieces: list[str] = []
    place = start
    for edit in sorted(edits):
        if edit.start >= place:
            pieces += [text[place : edit.start], edit.text]
            place = edit.end
    return "".join([*pieces, text[place:]])
