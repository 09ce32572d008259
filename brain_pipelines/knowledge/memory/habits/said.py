"""Sentences of what was written or said, with the forms of their words."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import Any

from brain_pipelines.knowledge.memory.habits.written import hollow_forms
from brain_retrieval.language.content_words import word_form
from brain_retrieval.language.plain import plain
from brain_retrieval.language.sentences import sentences

_LINE = re.compile(r"[^\n]+")
_WORD = re.compile(r"[^\W\d_]+")


MOST_LETTERS = 200


def occurrence(
    source_id: str, start: int, end: int, at: datetime, text: str, memory_id: str | None = None
) -> dict[str, Any]:
    """Return an OCCURRENCE: a sentence in which a habit shows."""
    line = " ".join(text.split())
    short = line if len(line) <= MOST_LETTERS else f"{line[: MOST_LETTERS - 1].rstrip()}…"
    return {"source_id": source_id, "start": start, "end": end, "at": at, "text": short, "memory_id": memory_id}


@dataclass(frozen=True)
class Said:
    """A sentence: where it stands, when and in which language it was said."""

    source_id: str
    start: int
    end: int
    at: datetime
    day: date
    text: str
    language: str | None

    @cached_property
    def forms(self) -> frozenset[str]:
        """The forms of its words."""
        return all_forms(self.text)

    @property
    def occurrence(self) -> dict[str, Any]:
        """The sentence as evidence."""
        return occurrence(self.source_id, self.start, self.end, self.at, self.text)

    def place_of(self, form: str) -> float:
        """Return how far from its beginning a word stands, as a share of its words."""
        words = [word_form(plain(word)) for word in _WORD.findall(self.text.lower())]
        return words.index(form) / len(words) if form in words else 1.0

    @property
    def order(self) -> tuple[datetime, str, int]:
        """The order in which sentences were said."""
        return self.at, self.source_id, self.start


def sentences_of(row: Mapping[str, Any]) -> Iterator[Said]:
    """Yield the sentences of a piece, line by line; quoted lines of a mail are another one's."""
    text: str = row["text"]
    for line in _LINE.finditer(text):
        if line.group().lstrip().startswith(">"):
            continue
        for start, end in sentences(text, *line.span(), language=row["language"]):
            said, begin, stop = text[start:end], row["start"] + start, row["start"] + end
            yield Said(row["source_id"], begin, stop, row["at"], row["day"], said, row["language"])


def forms_of(text: str, language: str | None) -> frozenset[str]:
    """Return the words of a text in their common form, without empty ones."""
    return all_forms(text) - hollow_forms(language)


def all_forms(text: str) -> frozenset[str]:
    """Return the words of a text in their common form."""
    return frozenset(word_form(plain(word)) for word in _WORD.findall(text.lower()))
