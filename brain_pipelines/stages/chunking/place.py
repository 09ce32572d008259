"""Place of a chunk in its source (page, box, seconds, cells), from the segments and anchors that it covers."""

from collections.abc import Sequence
from typing import Any

Row = dict[str, Any]


def place_of(segments: Sequence[Row], anchors: Sequence[Row]) -> Row:
    """Return the columns of schemas.PLACE of a chunk.

    A chunk ends where its page does. Seconds run from the first to the last that is known. Anchors are finer than
    segments and win.
    """
    page = next((s["page"] for s in (*anchors, *segments) if s["page"]), None)
    boxes = [a["box"] for a in anchors if a["box"]] or [s["box"] for s in segments if s["box"]][:1]
    timed = [a for a in anchors if a["start_seconds"] is not None]
    timed = timed or [s for s in segments if s["start_seconds"] is not None]
    ends = [t["end_seconds"] for t in timed if t["end_seconds"] is not None]
    return {
        "page": page,
        "box": _around(boxes),
        "start_seconds": min((t["start_seconds"] for t in timed), default=None),
        "end_seconds": max(ends, default=None),
        "cells": _range([s["cells"] for s in (anchors or segments) if s["cells"]]),
    }


def _around(boxes: Sequence[Sequence[float]]) -> list[float] | None:
    if not boxes:
        return None
    left, top, right, bottom = zip(*boxes, strict=True)
    return [min(left), min(top), max(right), max(bottom)]


def _range(cells: Sequence[str]) -> str | None:
    """Return the range from the first to the last of some ranges in A1 notation, those of the first sheet."""
    if not cells:
        return None
    sheet, mark, first = cells[0].rpartition("!")
    same = [c.rpartition("!")[2] for c in cells if c.rpartition("!")[0] == sheet]
    start, end = first.split(":")[0], same[-1].split(":")[-1]
    return f"{sheet}{mark}{start}:{end}" if start != end else f"{sheet}{mark}{start}"
