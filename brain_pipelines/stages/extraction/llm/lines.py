"""Numbered sentences of memory requests: which are asked about, with what context, and how they are grouped.

A group is a run of sentences of one text and does not depend on other texts, so its answer can be cached; a request
holds several groups.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from functools import cached_property
from typing import Any

from brain_pipelines.stages.extraction.local.names.speakers import Turn, turns_of
from brain_retrieval.language.sentences import sentences
from brain_retrieval.models.chat.protocol import as_data, estimate_tokens

Row = dict[str, Any]

# Expected output tokens of a request: a longer answer takes a slow endpoint minutes, and models drift in it.
OUTPUT_TOKENS = 2000
ENTRY_TOKENS = 22  # of an entry without its line
NAMES_TOKENS = 60
CONTEXT_SENTENCES, CONTEXT_CHARS = 2, 240
KNOWN_NAMES = 20


@dataclass(frozen=True)
class Before:
    """A sentence before a line, from `start` of the text."""

    start: int
    shown: str


@dataclass(frozen=True)
class Line:
    """A sentence asked about: its row of MEMORIES by the local tier, the day it was said, the sentences before it.

    `known` is what the row says beside its text, so that the model need not say it again.
    """

    row: Row
    day: str
    before: tuple[Before, ...]
    known: str = ""

    @cached_property
    def tokens(self) -> int:
        """Expected output tokens if it is kept with a line of its own."""
        return ENTRY_TOKENS + estimate_tokens(self.row["text"])

    def shown(self, number: int) -> Iterator[str]:
        said = " to ".join(_flat(name) for name in (self.row["speaker"], self.row["listener"]) if name)
        yield f"{number} {said}{': ' if said else ''}{_flat(self.row['evidence'])}"
        line = _flat(self.row["text"])
        known = f" ({self.known})" if self.known else ""
        yield f"= {self.row['kind']}{known}" + (f": {line}" if line != _flat(self.row["evidence"]) else "")


@dataclass(frozen=True)
class Group:
    """Lines of the text at `place` in the span."""

    place: int
    source: str
    language: str | None
    lines: tuple[Line, ...]

    @cached_property
    def tokens(self) -> int:
        return sum(line.tokens for line in self.lines)

    def shown(self, first: int = 1) -> str:
        """Return the group as the model reads it, with numbers from `first`."""
        rows, day, end = [self.source], "", -1
        known = self._known()
        for number, line in enumerate(self.lines, first):
            if line.day != day:
                rows.append(line.day)
            if number == first and known:
                rows.append(f"known: {', '.join(known)}")
            rows += [f"- {before.shown}" for before in line.before if before.start >= end]
            rows += line.shown(number)
            day, end = line.day, line.row["end"]
        return "\n".join(rows)

    def halves(self) -> tuple["Group", "Group"]:
        """Return the group as two; it must have at least two lines."""
        half = len(self.lines) // 2
        return replace(self, lines=self.lines[:half]), replace(self, lines=self.lines[half:])

    def _known(self) -> list[str]:
        named = [entity for line in self.lines for entity in line.row["entities"] if entity["role"] != "speaker"]
        return list(dict.fromkeys(f"{_flat(one['name'])} ({one['type']})" for one in named))[:KNOWN_NAMES]


def is_asked(row: Row, above: float) -> bool:
    """Return whether the model reads a row of MEMORIES: a likely one, or one with a value, a slot or a change."""
    if row["method"] not in ("local", "llm"):  # an agent's or the owner's own words stay
        return False
    return row["keep"] >= above or bool(row["values"]) or row["cue"] != "none" or row["slot_attribute"] is not None


def groups_of(
    place: int, document: Row, rows: Sequence[Row], *, above: float, size: int, zone: tzinfo
) -> Iterator[Group]:
    """Yield the groups of one row of DOCUMENT_TEXT, of at most `size` sentences each.

    Args:
        place: of the document in the span.
        rows: its MEMORIES by the local tier.
        above: see `is_asked`.
        zone: of the days shown.
    """
    turns = turns_of(document)
    asked = sorted((r for r in rows if is_asked(r, above)), key=lambda r: (r["start"], r["clause"], r["end"]))
    batch: list[Line] = []
    for row in asked:
        line = Line(row, _day(row["said_at"], zone), _before(document, turns, row["start"]), _known(row, zone))
        if batch and (len(batch) == size or expected_tokens([*batch, line]) > OUTPUT_TOKENS):
            yield Group(place, document["source"], document.get("language"), tuple(batch))
            batch = []
        batch.append(line)
    if batch:
        yield Group(place, document["source"], document.get("language"), tuple(batch))


def requests_of(groups: Sequence[Group], *, size: int, most_chars: int) -> Iterator[list[Group]]:
    """Yield consecutive groups, at most `size` sentences and about `most_chars` characters at a time."""
    batch: list[Group] = []
    for group in groups:
        more = [*batch, group]
        lines = sum(len(one.lines) for one in more)
        if batch and (lines > size or expected_tokens(more) > OUTPUT_TOKENS or len(user_prompt(more)) > most_chars):
            yield batch
            batch = []
        batch.append(group)
    if batch:
        yield batch


def user_prompt(groups: Sequence[Group]) -> str:
    """Return the request for groups; their sentences are numbered from 1 on."""
    shown, first = [], 1
    for group in groups:
        shown.append(as_data(group.shown(first), "sentences"))
        first += len(group.lines)
    return "\n\n".join(shown)


def expected_tokens(parts: Sequence[Group | Line]) -> int:
    """Return the expected output tokens if all sentences are kept with lines of their own."""
    return NAMES_TOKENS + sum(part.tokens for part in parts)


def _before(document: Row, turns: Sequence[Turn], start: int) -> tuple[Before, ...]:
    """Return the last sentences before an offset, without the labels of turns, with their speaker."""
    text, found = document["text"], []
    for turn in reversed(turns[: bisect_left(turns, start, key=lambda turn: turn.start)]):
        end = min(turn.end, start)
        spans = sentences(text, max(turn.start, end - 2 * CONTEXT_CHARS), end, document.get("language"))
        for first, last in reversed(spans):
            if not any(map(str.isalnum, text[first:last])):  # the mark of a list, a line of dashes
                continue
            who = f"{_flat(turn.speaker)}: " if turn.label is not None and turn.speaker else ""
            found.append(Before(first, f"{who}{_flat(text[first:last])[-CONTEXT_CHARS:]}"))
            if len(found) == CONTEXT_SENTENCES:
                return tuple(reversed(found))
        if start - turn.start > 2 * CONTEXT_CHARS:
            break
    return tuple(reversed(found))


def _known(row: Row, zone: tzinfo) -> str:
    """Return the notes that the local tier has made of a row, in the words of the request."""
    known = [f"from {_iso(row['effective_from'], zone)}"] if row["from_stated"] else []
    # Ends are the first moment after.
    known += [f"until {_iso(row['valid_to'] - timedelta(seconds=1), zone)}"] if row["valid_to"] else []
    known += [row["modality"]] if row["modality"] != "asserted" else []
    slot = [row[name] for name in ("slot_subject", "slot_attribute", "slot_value")]
    return ", ".join(known + ([" | ".join(map(_flat, slot))] if all(slot) else []))


def _iso(moment: datetime, zone: tzinfo) -> str:
    try:
        return moment.astimezone(zone).date().isoformat()
    except OverflowError:  # the first and the last day of the calendar
        return moment.date().isoformat()


def _day(moment: datetime, zone: tzinfo) -> str:
    return moment.astimezone(zone).strftime("%Y-%m-%d, %A")


def _flat(text: str) -> str:
    # On one line, so that a text cannot add numbered sentences of its own.
    return " ".join(text.split())
