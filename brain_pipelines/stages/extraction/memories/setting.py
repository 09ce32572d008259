"""What is known of the words of a turn besides the words: their time, who speaks, who listens, and what is no prose."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from typing import Any

from brain_pipelines.readers.registry import FORMATS
from brain_pipelines.stages.extraction.local.names.speakers import MACHINE_ROLES, OWNER, Turn
from brain_pipelines.stages.extraction.memories.machine_text import machine_spans
from brain_retrieval.language.folding import fold

Row = dict[str, Any]
# Rows, recognised text, and descriptions by a model have no sentences of the writer.
_NO_PROSE = ("table", "image", "frame")
_SPOKEN = ("message", "speech")
# Readers of formats of these families write the entries of a file as lines `key: value`.
_DATA_FAMILIES = ("data", "contact")


@dataclass(frozen=True)
class Setting:
    """The context of one turn. `text` is the whole text of the source."""

    text: str
    said_at: datetime
    said_on: date
    source: str
    language: str | None = None
    speaker: str | None = None  # "user" for the owner
    listener: str | None = None
    closed: tuple[tuple[int, int], ...] = ()  # spans of the text that hold no prose, in order, apart

    def is_closed(self, position: int) -> bool:
        """Return whether the character of the text lies in a table, a picture or data."""
        at = bisect_right(self.closed, (position, len(self.text) + 1)) - 1
        return at >= 0 and position < self.closed[at][1]


def settings_of(document: Row, turns: Sequence[Turn], zone: tzinfo = UTC) -> list[Setting]:
    """Return the setting of each turn of a DOCUMENT_TEXT row. Days are days of `zone`."""
    segments = document.get("segments") or ()
    closed = tuple(_closed(document))
    timed = sorted((s["start"], s["end"], s["time"]) for s in segments if s.get("time") is not None)
    starts = [start for start, _, _ in timed]
    people = list(dict.fromkeys(_people(document, turns)))
    settings = []
    for turn in turns:
        at = bisect_right(starts, turn.start) - 1
        said = timed[at][2] if at >= 0 and turn.start < timed[at][1] else document["event_at"]
        speaker = turn.first_person or turn.speaker
        settings.append(
            Setting(
                text=document["text"],
                said_at=said,
                said_on=said.astimezone(zone).date(),
                source=document["source"],
                language=document.get("language"),
                speaker=speaker,
                listener=_listener(speaker, people),
                closed=closed,
            )
        )
    return settings


def _closed(document: Row) -> Iterator[tuple[int, int]]:
    """Yield what holds no prose: the spans of segments and of data, joined where they overlap."""
    segments = document.get("segments") or ()
    known = FORMATS.get(document.get("format") or "")
    if known is not None and known.family in _DATA_FAMILIES and not any(s["kind"] in _SPOKEN for s in segments):
        yield 0, len(document["text"])
        return
    spans = [(s["start"], s["end"]) for s in segments if s["kind"] in _NO_PROSE] + machine_spans(document["text"])
    first, last = 0, 0
    for start, end in sorted(spans):
        if start > last:
            yield from [(first, last)] if last > first else ()
            first = start
        last = max(last, end)
    if last > first:
        yield first, last


def _people(document: Row, turns: Sequence[Turn]) -> Iterator[str]:
    speakers = [turn.first_person or turn.speaker for turn in turns]
    yield from (speaker for speaker in speakers if speaker)
    if len({fold(speaker) for speaker in speakers if speaker}) <= 1:
        yield from document.get("participants") or ()


def _listener(speaker: str | None, people: Sequence[str]) -> str | None:
    """Return the other of exactly two; None for a machine, which has no name for "you"."""
    others = {fold(person): person for person in people if not speaker or fold(person) != fold(speaker)}
    if speaker is None or len(others) != 1:
        return None
    (listener,) = others.values()
    return None if is_machine(listener) else listener


def is_machine(speaker: str | None) -> bool:
    """Return whether a turn is that of a program: it has no "I"."""
    return bool(speaker) and speaker != OWNER and fold(speaker or "").split(" ")[0] in MACHINE_ROLES
