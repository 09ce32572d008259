"""Candidate sentences for a summary, each with its span in the text. `extractive_summary.py` chooses among them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import polars as pl

from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_pipelines.knowledge.memory.naming import CALLS, Names
from brain_pipelines.stages.enrichment.extractive import quoted
from brain_pipelines.stages.enrichment.sentences import Sentence, sentences_of
from brain_pipelines.stages.enrichment.summary import choose_sentences, is_filler

_WORDS = LEXICONS.read("passages")
_YOU = re.compile(
    rf"\b(?:{_WORDS.expression('addressed')})\b|^(?:{CALLS})\b[ ,]+\w+[,!]|^(?:{_WORDS.expression('praise')})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Source:
    """A source of a storyline. `at` is its event time."""

    source_id: str
    source_type: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Passage:
    """Characters `start` to `end` of the text of `source`, as one line in `text`; `about`: it is about the anchor."""

    source: Source
    start: int
    end: int
    text: str
    about: bool = False


class Library:
    """Texts and extractive summaries of the sources that a snapshot's summaries may cite."""

    def __init__(self, texts: pl.DataFrame, enrichments: pl.DataFrame, source_ids: Iterable[str]) -> None:
        wanted = pl.Series("source_id", sorted(set(source_ids)), dtype=pl.String).to_frame()
        columns = [c for c in ("source_id", "text", "title", "language", "segments") if c in texts.columns]
        rows = texts.select(columns).join(wanted, on="source_id", how="semi")
        self._rows: dict[str, dict[str, Any]] = {row["source_id"]: row for row in rows.iter_rows(named=True)}
        spans = enrichments.select("source_id", "summary_spans").join(wanted, on="source_id", how="semi")
        self._spans = {key: [(s["start"], s["end"]) for s in found or ()] for key, found in spans.iter_rows()}
        self._sentences: dict[str, list[Sentence]] = {}

    def quote(self, source_id: str, start: int, end: int) -> str:
        """Return a span of a text as one line, "" if there is no such span."""
        text = self._rows[source_id]["text"] if source_id in self._rows else ""
        return quoted(text, [(start, end)]) if 0 <= start < end <= len(text) else ""

    def passages(self, source: Source, names: Names | None) -> list[Passage]:
        """Return one or two sentences of a source: the best about or by the anchor, else the source's summary."""
        row = self._rows.get(source.source_id)
        if row is None:
            return []
        about = self._choose(row, self._about(row, names)) if names else []
        spans = about or self._summary(row)
        found = [Passage(source, a, b, self.quote(source.source_id, a, b), bool(about)) for a, b in spans]
        return [passage for passage in found if _tells(passage.text)]

    def _summary(self, row: dict[str, Any]) -> list[tuple[int, int]]:
        """Return where the source's summary stands, which is chosen here if a model wrote it or nothing did."""
        source_id = row["source_id"]
        if not self._spans.get(source_id):
            self._spans[source_id] = self._choose(row, self._all(row))
        return self._spans[source_id]

    def _about(self, row: dict[str, Any], names: Names) -> list[Sentence]:
        """Return the sentences that the anchor says, or that name it without only addressing it.

        What somebody says to another of that other ("you must be tired") counts only if there is nothing else.
        """
        spoken = [(s["start"], s["end"]) for s in row.get("segments") or () if names.are(s.get("speaker"))]
        own, others = [], []
        for s in self._all(row):
            said = row["text"][s.start : s.end]
            if names.told_of(said):
                own.append(s)
            elif any(start <= s.start < end for start, end in spoken):
                (others if _of_listener(said) else own).append(s)
        return own if any(_tells(row["text"][s.start : s.end]) for s in own) else own + others

    def _all(self, row: dict[str, Any]) -> list[Sentence]:
        source_id = row["source_id"]
        if source_id not in self._sentences:
            self._sentences[source_id] = sentences_of(row)
        return self._sentences[source_id]

    @staticmethod
    def _choose(row: dict[str, Any], sentences: Sequence[Sentence]) -> list[tuple[int, int]]:
        title, language = row.get("title") or "", row.get("language")
        told = [s for s in sentences if _tells(row["text"][s.start : s.end])]
        return [(s.start, s.end) for s in choose_sentences(row["text"], told, title=title, language=language)]


def _of_listener(said: str) -> bool:
    """Tell whether a spoken sentence is addressed to somebody, or about who listens."""
    return _YOU.search(said) is not None


def _tells(said: str) -> bool:
    """Tell whether a sentence is more than a greeting, boilerplate, or what stands in brackets for a picture."""
    return bool(said) and said[0] != "[" and said.count("[") == said.count("]") and not is_filler(said)
