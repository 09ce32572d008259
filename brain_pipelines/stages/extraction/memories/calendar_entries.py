"""Memories of calendar entries: an entry is known before it takes place, and says what, when and where.

Dentist
When: Wednesday, 16 December 2026, 18:30 to 19:00 (UTC)   ─►   Dentist: Wednesday, 16 December 2026, 18:30 to 19:00
Where: Hillside Dental                                         (Hillside Dental)
"""

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from brain_pipelines.stages.extraction.memories.sentence import Name, Sentence
from brain_pipelines.stages.extraction.memories.unparsed.plain_names import plain_names
from brain_retrieval.language.lexicon import ENGLISH

Row = dict[str, Any]
SOURCE = "calendar"
KEEP = 0.8  # an entry was made to be remembered
_LINE = re.compile(r"[^\n]+")
_TIMES, _PLACE, _STATE = ("When: ", "Due: "), "Where: ", "Status: "
_ZONE = re.compile(r"\s\((?:UTC|[A-Z]\w+/[\w/+-]+)\)$")


def is_entry(document: Row) -> bool:
    """Return whether a row of DOCUMENT_TEXT is an entry of a calendar."""
    return document["source"] == SOURCE


def head_of(document: Row, sentences: Sequence[Sentence]) -> Sentence | None:
    """Return what an entry is about, with when and where, as a sentence; None of an entry without a time."""
    text = document["text"]
    lines = list(_LINE.finditer(text))
    when = next((line for line in lines[1:] if line.group().startswith(_TIMES)), None)
    if when is None or not lines[0].group().strip():
        return None
    pieces = [(lines[0].start(), lines[0].end())]
    label = when.start() + when.group().index(": ") + 2
    zone = _ZONE.search(when.group())
    pieces.append((label, when.start() + zone.start() if zone else when.end()))
    for line in lines[1:]:
        for lead in (_PLACE, _STATE):
            if line.group().startswith(lead) and line.start() > when.start():
                pieces.append((line.start() + len(lead), line.end()))
    written, offsets = _joined(text, pieces)
    said = sentences[0].said_at if sentences else document["event_at"]
    named = plain_names(written, ENGLISH)
    return Sentence(
        text=written,
        offsets=offsets,
        said_at=said,
        said_on=(sentences[0].said_on if sentences else said.date()),
        source=SOURCE,
        language=ENGLISH,  # days are written in it
        names=tuple(Name(name.start, name.end, name.text, name.type) for name in named),
    )


def without_heads(document: Row, sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences of an entry besides its title, times, place and state, which the head has."""
    lines = list(_LINE.finditer(document["text"]))
    own = [line.span() for line in lines if line is lines[0] or line.group().startswith((*_TIMES, _PLACE, _STATE))]
    return [one for one in sentences if not any(start <= one.offsets[0] < end for start, end in own)]


def cue_of(document: Row, cue: str) -> str:
    """Return the cue of change of an entry: that of its state ("cancelled"), as "(moved)" in a title is of it alone.

    A day that replaces another one is seen by the days.
    """
    return cue if f"\n{_STATE}" in document["text"] else "none"


def known_times(document: Row, row: Row) -> Row:
    """Return the times of a memory of an entry: known when it was made, and so from its start."""
    begins: datetime = document["event_at"]
    known = min(begins, _made(document) or document["received_at"])
    stated = row["from_stated"]
    return {
        **row,
        "said_at": known,
        "effective_from": row["effective_from"] if stated else begins,
        "from_stated": True,
    }


def _made(document: Row) -> datetime | None:
    attributes = json.loads(document.get("attributes") or "{}")
    try:
        made = datetime.fromisoformat(attributes.get("created") or "")
    except ValueError:
        return None
    return made.astimezone(UTC) if made.tzinfo else made.replace(tzinfo=UTC)


def _joined(text: str, pieces: Sequence[tuple[int, int]]) -> tuple[str, list[int]]:
    """Return pieces of a text as "first: second (third)", and the place of each character."""
    written, offsets = "", list[int]()
    for number, (start, end) in enumerate(pieces):
        lead = ("", ": ", " (", ", ")[min(number, 3)]
        written += lead + text[start:end]
        offsets += [start] * len(lead) + list(range(start, end))
    if len(pieces) > 2:
        written += ")"
        offsets.append(offsets[-1])
    return written, offsets
