"""Sentences of a document with exact offsets, of its prose alone (`stages/prose/kinds.py`).

Long texts are read at their head and tail only: that is where texts say what they are about.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from brain_pipelines.stages.prose.kinds import Kind, Part
from brain_pipelines.stages.prose.parts import parts_of, spans_of
from brain_retrieval.language.sentences import sentences

HEAD_CHARS, TAIL_CHARS = 24_000, 6_000
MIN_CHARS, MAX_CHARS = 12, 400
# A line this long that does not end a sentence was broken by an editor, not by its writer.
WRAPPED = 55
_NOT_PROSE = re.compile(r"\s*(?:#{1,6}\s|\||```|~~~|</?\w|={3,}|-{3,}|[\w-]+:\s*$|>{1,}\s|\$ |\{|\})")
_BULLET = re.compile(r"\s*(?:[-*•‣–]|\d{1,3}[.)]|\[[ xX]\])\s+(?:\[[ xX]\]\s+)?")
_LABEL = re.compile(r"\s*[^\W\d_][\w.’'-]*(?: [^\W\d_][\w.’'-]*){0,2}:\s+(?=\S)")


@dataclass(frozen=True)
class Sentence:
    """Characters `start` to `end` of the text; `place` runs from 0 (begin of the document) to 1."""

    start: int
    end: int
    place: float


def sentences_of(document: dict[str, Any], parts: Sequence[Part] | None = None) -> list[Sentence]:
    """Return the sentences of a DOCUMENT_TEXT row in order; where there are none, those of a description by a model.

    `parts` are those of the row, if they are known.
    """
    text = document["text"]
    parts = parts_of(document) if parts is None else parts
    for kind in (Kind.PROSE, Kind.DESCRIBED):
        spans = [span for start, end in _within(document, parts, kind) for span in _sentence_spans(text, start, end)]
        if spans:
            return [Sentence(start, end, start / max(1, len(text))) for start, end in spans]
    return []


def is_item(text: str, sentence: Sentence) -> bool:
    """Return whether the line in which a sentence begins is an item of a list."""
    return bool(_BULLET.match(text, text.rfind("\n", 0, sentence.start) + 1, sentence.start))


def _within(document: dict[str, Any], parts: Sequence[Part], kind: Kind) -> Iterator[tuple[int, int]]:
    """Yield the spans of a kind, cut where segments end: a turn of a conversation ends a sentence."""
    cuts = sorted({edge for s in document.get("segments") or () for edge in (s["start"], s["end"])})
    for start, end in spans_of(parts, len(document["text"]), (kind,)):
        inside = cuts[bisect_right(cuts, start) : bisect_left(cuts, end)]
        yield from pairwise((start, *inside, end))


def _sentence_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for first, last in _windows(text, start, end):
        for block_start, block_end in _blocks(text, first, last):
            yield from _split(text, block_start, block_end)


def _windows(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield what of a span lies in the head or tail of the text."""
    head, tail = HEAD_CHARS, len(text) - TAIL_CHARS
    if head >= tail:
        yield start, end
        return
    if start < head:
        yield start, min(end, head)
    if end > tail:
        yield max(start, tail), end


def _blocks(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield runs of lines that belong together: a paragraph, a list item. Leading marks and labels are left out."""
    begin: int | None = None
    position = start
    fenced = False
    previous = ""
    for line in text[start:end].splitlines(keepends=True):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        broken = not line.strip() or fenced or bool(_NOT_PROSE.match(line))
        mark = None if broken else _BULLET.match(line) or _LABEL.match(line)
        wrapped = len(previous.rstrip()) >= WRAPPED
        if begin is not None and (broken or mark or not wrapped):
            yield begin, position
            begin = None
        if not broken and begin is None:
            begin = position + (mark.end() if mark else 0)
        previous = line
        position += len(line)
    if begin is not None:
        yield begin, position


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for first, last in sentences(text, start, end):
        if last - first >= MIN_CHARS or (last - first >= 4 and not text[first:last].isascii()):
            yield first, last
