"""What is known of the words of a turn besides the words: their time, who speaks, who listens, and what is no prose."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from functools import lru_cache
from typing import Any

from brain_pipelines.readers.document.date_label import day_in_title, labelled_days
from brain_pipelines.readers.notes.entry_lines import EntryLine, ends_of_lists, entry_lines, noon_of
from brain_pipelines.stages.extraction.local.names.speakers import MACHINE_ROLES, OWNER, Turn
from brain_pipelines.stages.extraction.memories.stated.day_order import day_first
from brain_pipelines.stages.prose.kinds import Kind, Part
from brain_pipelines.stages.prose.outline import Outline, outline_of
from brain_pipelines.stages.prose.parts import SPOKEN, kind_at, parts_of
from brain_retrieval.language.folding import fold

Row = dict[str, Any]
_MAIL, _GREETING = "email", 4  # words of a greeting with a name, at most
_RUNNING = "note"  # the source of texts that one goes on writing
_TALK = frozenset({"email", "message", "conversation", "slack-thread", "agent-output", "agent-note"})  # no outline


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
    parts: tuple[Part, ...] = ()  # of the text, that are no prose
    day_first: bool | None = None  # in "10/04/2024"; None if that is not known
    zone: tzinfo = UTC
    outline: Outline | None = None  # of a text that is no talk
    labelled: tuple[tuple[int, datetime], ...] = ()  # days in lines of it: "Time of visit: 4 May 2022"
    heads: tuple[tuple[int, int], ...] = ()  # spans of it: days before the words of lines, no part of them
    quoted: bool = False  # taken from another writer

    def titles_at(self, position: int) -> tuple[str, ...]:
        """Return the titles above a character of the text, the outermost first."""
        return self.outline.above(position) if self.outline else ()

    def said_at_of(self, position: int) -> datetime:
        """Return when a character of the text was written: on the day of its section, if that states one.

        A section states it in its title or in a line with a label, an inner one before the one around it. A day after
        that of the whole text is what the section is about: the days of a journey that is planned.
        """
        titles = self.titles_at(position)
        depth, day = self._labelled_above(position, titles)
        days = (_day_of(title, self.zone) for title in reversed(titles[depth:]))
        day = next((one for one in days if one), day)
        return self.said_at if day is None or day.date() >= self.said_on else day.astimezone(UTC)

    def _labelled_above(self, position: int, titles: tuple[str, ...]) -> tuple[int, datetime | None]:
        """Return the last labelled day above a character in its section, and how many titles that section has above."""
        for start, day in reversed(self.labelled[: bisect_right(self.labelled, position, key=lambda one: one[0])]):
            above = self.titles_at(start)
            if titles[: len(above)] == above:
                return len(above), day
        return 0, None

    def kind_at(self, position: int) -> Kind:
        """Return the kind of the character of the text."""
        return kind_at(self.parts, position)


@lru_cache(maxsize=256)
def _day_of(title: str, zone: tzinfo) -> datetime | None:
    return day_in_title(title, zone)


def settings_of(
    document: Row, turns: Sequence[Turn], zone: tzinfo = UTC, parts: Sequence[Part] | None = None
) -> list[Setting]:
    """Return the setting of each turn of a DOCUMENT_TEXT row. Days are days of `zone`; `parts` are those of the row."""
    segments = document.get("segments") or ()
    parts = tuple(parts_of(document) if parts is None else parts)
    timed = sorted((s["start"], s["end"], s["time"]) for s in segments if s.get("time") is not None)
    starts = [start for start, _, _ in timed]
    people = list(dict.fromkeys(_people(document, turns)))
    settings = []
    order = day_first(document["text"], document.get("language"), zone)
    spoken = any(segment["kind"] in SPOKEN for segment in segments)
    outline = None if spoken or document["source"] in _TALK else outline_of(document["text"])
    entries = _entries(document, zone, order)
    labelled = labelled_days(document["text"], zone) if outline else ()
    days = ((one.start, noon_of(one.day, zone)) for one in entries)
    behind = ((place, document["event_at"]) for place in ends_of_lists(document["text"], entries))
    labelled = tuple(sorted((*labelled, *days, *behind)))
    heads = tuple((one.start, one.words) for one in entries)
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
                listener=None if turn.quoted else _listener(speaker, people) or _greeted(document, turn, speaker),
                parts=parts,
                day_first=order,
                zone=zone,
                outline=outline,
                labelled=labelled,
                heads=heads,
                quoted=turn.quoted,
            )
        )
    return settings


def _entries(document: Row, zone: tzinfo, order: bool | None) -> list[EntryLine]:
    """Return the lines of a running note that begin with the day on which they were written.

    Days after that of the note are of what it plans; if most are, its lines are no entries.
    """
    if document["source"] != _RUNNING:
        return []
    until = document["event_at"].astimezone(zone).date()
    lines = entry_lines(document["text"], until, order)
    written = [line for line in lines if line.day <= until]
    return written if 2 * len(written) > len(lines) else []


def _people(document: Row, turns: Sequence[Turn]) -> Iterator[str]:
    speakers = [turn.first_person or turn.speaker for turn in turns if not turn.quoted]
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


def _greeted(document: Row, turn: Turn, speaker: str | None) -> str | None:
    """Return the one of several receivers of a mail that its first line calls: "Dear Ann,", "Hi Mr Lund:"."""
    if document["source"] != _MAIL or speaker is None:
        return None
    line = document["text"][turn.start : turn.end].lstrip().split("\n", 1)[0].strip()
    called = fold(line).rstrip(",:!.- ").split()
    if not line.endswith((",", ":", "!", "-")) or not 1 <= len(called) <= _GREETING:
        return None
    others = {person for person in document.get("participants") or () if fold(person) != fold(speaker)}
    meant = [person for person in others if {called[-1], " ".join(called[-2:])} & _callings(person)]
    return meant[0] if len(meant) == 1 else None


def _callings(person: str) -> frozenset[str]:
    """Return how one may be called in a greeting: by the whole name, the first or the last one."""
    words = fold(person).split()
    return frozenset((fold(person), *words[:1], *words[-1:]))


def is_machine(speaker: str | None) -> bool:
    """Return whether a turn is that of a program: it has no "I"."""
    return bool(speaker) and speaker != OWNER and fold(speaker or "").split(" ")[0] in MACHINE_ROLES
