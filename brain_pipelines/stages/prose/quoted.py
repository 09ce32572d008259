"""The parts of a text that its writer has not written: copied articles, quotations, what an assistant is handed.

They are said by whoever wrote them, if that is sure, else they have no speaker.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from brain_pipelines.readers.quoted import ARTICLE
from brain_pipelines.readers.quoted.articles import articles
from brain_pipelines.stages.prose.handed_over import handed_over
from brain_pipelines.stages.prose.note_lines import person
from brain_pipelines.stages.prose.note_quotes import note_quotes
from brain_pipelines.stages.prose.parts import SPOKEN

Row = dict[str, Any]
_WRITTEN = frozenset({"note", "voice-memo"})
_TALK = frozenset({"conversation", "slack-thread", "message"})
_WITH_ASSISTANTS = frozenset({"conversation", "agent-output"})


@dataclass(frozen=True, slots=True)
class Quoted:
    """Characters `start` to `end` of a text, half-open, and who wrote them, None if that is not sure."""

    start: int
    end: int
    writer: str | None = None


def quoted_parts(document: Row) -> list[Quoted]:
    """Return the quoted parts of a DOCUMENT_TEXT row, in order and apart."""
    found: list[Quoted] = []
    for part in _apart(_parts(document)):
        if found and part.start - found[-1].end <= 1 and part.writer == found[-1].writer:
            found[-1] = Quoted(found[-1].start, part.end, part.writer)
        else:
            found.append(part)
    return found


def _parts(document: Row) -> Iterator[Quoted]:
    text, segments = document["text"], document.get("segments") or ()
    if document.get("source") in _WITH_ASSISTANTS:
        yield from (Quoted(*found) for found in handed_over(document))
    yield from (Quoted(one["start"], one["end"]) for one in segments if one["kind"] == ARTICLE)
    if document.get("source") in _WRITTEN:
        yield from (Quoted(*span) for span in articles(text))
        authors = [name for author in document.get("authors") or () if (name := person(author))]
        yield from (Quoted(*found) for found in note_quotes(text, authors))
    elif document.get("source") in _TALK:
        for one in segments:
            if one["kind"] in SPOKEN:
                start = one["start"]
                yield from (Quoted(start + a, start + b) for a, b in articles(text[start : one["end"]]))


def _apart(parts: Iterator[Quoted]) -> Iterator[Quoted]:
    position = 0
    for part in sorted(parts, key=lambda one: (one.start, -one.end)):
        start = max(part.start, position)
        if start < part.end:
            yield Quoted(start, part.end, part.writer)
            position = part.end
