"""Redaction of a text together with its segments and anchors, whose offsets are moved along."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from brain_pipelines.landing.redaction.redactor import Edit, Redactor, apply

Span = dict[str, Any]
_NAMES = ("section", "speaker", "message_id")


def redact_spans(
    redactor: Redactor, text: str, segments: Sequence[Span], anchors: Sequence[Span]
) -> tuple[str, list[Span], list[Span]]:
    """Return the redacted text, and its segments and anchors with new offsets.

    Segments are searched one by one, so that no edit crosses a segment boundary.
    """
    edits: list[Edit] = []
    position = 0
    for segment in segments:
        # text between two segments is redacted as well
        for start, end in ((position, segment["start"]), (segment["start"], segment["end"])):
            edits += redactor.edits(text[start:end], start)
        position = segment["end"]
    edits += redactor.edits(text[position:], position)
    offsets = _OffsetMap(edits)
    moved = [
        {**s, **_names(redactor, s), "start": offsets.start(s["start"]), "end": offsets.end(s["end"])} for s in segments
    ]
    return apply(text, edits), moved, _moved(anchors, offsets)


def _names(redactor: Redactor, segment: Span) -> Span:
    names = {key: segment[key] for key in _NAMES if isinstance(segment.get(key), str)}
    how = {"section": redactor.text, "speaker": redactor.name, "message_id": redactor.identifier}
    return {key: how[key](value) for key, value in names.items()}


class _OffsetMap:
    """Maps old offsets to new ones. Offsets inside an edit map to its start (span starts) or end (span ends)."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._edits = edits
        self._starts = [edit.start for edit in edits]
        self._shifts = [0]  # shift of offsets before the n-th edit
        for edit in edits:
            self._shifts.append(self._shifts[-1] + len(edit.put) - (edit.end - edit.start))

    def start(self, offset: int) -> int:
        return self._moved(offset, 0)

    def end(self, offset: int) -> int:
        return self._moved(offset, 1)

    def _moved(self, offset: int, end: int) -> int:
        # `- end`: a span that ends where an edit starts does not contain that edit
        n = bisect_right(self._starts, offset - end)  # number of edits that begin before the offset
        if n and offset < self._edits[n - 1].end:
            edit = self._edits[n - 1]
            return edit.start + self._shifts[n - 1] + end * len(edit.put)
        return offset + self._shifts[n]


def _moved(anchors: Sequence[Span], offsets: _OffsetMap) -> list[Span]:
    """Return the moved anchors; anchors inside the same placeholder are merged and span their joint time."""
    moved: list[Span] = []
    for anchor in anchors:
        start, end = offsets.start(anchor["start"]), offsets.end(anchor["end"])
        last = moved[-1] if moved else None
        if last is not None and start < last["end"]:
            last["end"] = max(end, last["end"])
            if anchor.get("end_seconds") is not None:
                last["end_seconds"] = anchor["end_seconds"]
        else:
            moved.append({**anchor, "start": start, "end": end})
    return moved
