"""The text of a source as a page shows it: in parts with what is known of each, and the passage marked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from brain_pipelines.server.page.highlight import Piece, Span, pieces

HEADING = "#"
CELL = "|"
LONGEST_WORD = 40


@dataclass(frozen=True)
class Part:
    """One segment of a source: a message, a turn of speech, a section, a page, a table."""

    kind: str
    pieces: Sequence[Piece]
    here: bool  # the passage is in it
    first: bool  # the passage begins in it
    heading: Sequence[Piece] = ()
    speaker: str = ""
    time: datetime | None = None
    page: int | None = None
    seconds: float | None = None
    end_seconds: float | None = None
    rows: Sequence[tuple[bool, Sequence[str]]] = ()  # of a table: whether the passage is in the row, and its cells
    cells: str = ""


def parts_of(text: str, segments: Sequence[Mapping[str, Any]], spans: Sequence[Span], offset: int = 0) -> list[Part]:
    """Return the parts of a stretch of text.

    Args:
        text: the stretch; it begins `offset` characters after the beginning of the source.
        segments: of the source, in order.
        spans: the passages to mark, as offsets in the source.
    """
    end = offset + len(text)
    inside = [one for one in segments if one["start"] < end and one["end"] > offset]
    inside = inside or [{"start": offset, "end": end, "kind": "body"}]
    out, seen = list[Part](), False
    for one in inside:
        start = max(one["start"], offset)
        if start > one["start"]:  # the stretch begins within a word
            start += text.find(" ", 0, LONGEST_WORD) + 1
        part = _part(one, text[start - offset : min(one["end"], end) - offset], start, spans, seen)
        seen = seen or part.here
        out.append(part)
    return out


def _part(one: Mapping[str, Any], text: str, start: int, spans: Sequence[Span], seen: bool) -> Part:
    here = any(low < start + len(text) and high > start for low, high in spans)
    heading, speaker = list[Piece](), one.get("speaker") or ""
    if speaker and text.startswith(f"{speaker}: "):
        text, start = text[len(speaker) + 2 :], start + len(speaker) + 2
    if text.startswith(HEADING):
        line, _, rest = text.partition("\n")
        title = line.lstrip(HEADING).strip()
        heading = pieces(title, spans, start + line.index(title)) if title else []
        text, start = rest, start + len(text) - len(rest)
    body = text.lstrip("\n")
    start += len(text) - len(body)
    return Part(
        kind=one["kind"],
        pieces=pieces(body, spans, start) if body else [],
        here=here,
        first=here and not seen,
        heading=heading,
        speaker=speaker,
        time=one.get("time"),
        page=one.get("page"),
        seconds=one.get("start_seconds"),
        end_seconds=one.get("end_seconds"),
        rows=_rows(body, start, spans) if one["kind"] == "table" else (),
        cells=one.get("cells") or "",
    )


def _rows(text: str, start: int, spans: Sequence[Span]) -> list[tuple[bool, list[str]]]:
    out = []
    for line in text.split("\n"):
        here = any(low < start + len(line) and high > start for low, high in spans)
        out.append((here, [cell.strip() for cell in line.split(CELL)]))
        start += len(line) + 1
    return out


def boxes_on(anchors: Sequence[Mapping[str, Any]], spans: Sequence[Span], page: int | None) -> list[Sequence[float]]:
    """Return the boxes of the passages on a page or picture: left, top, right, bottom as fractions of it."""
    return [
        one["box"]
        for one in anchors
        if one["box"] and one["page"] == page and any(a < one["end"] and b > one["start"] for a, b in spans)
    ]
