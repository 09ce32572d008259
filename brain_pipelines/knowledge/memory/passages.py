"""Passages: candidate sentences for summaries, each with its span in the source. Selection: `extractive_summary.py`."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import polars as pl

from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_pipelines.knowledge.memory.naming import CALLS, Names
from brain_pipelines.stages.enrichment.extractive import quoted
from brain_pipelines.stages.enrichment.sentences import Sentence, sentences_of
from brain_pipelines.stages.enrichment.summary import choose_sentences, is_filler

CITED_COLUMNS = ["memory_id", "source_id", "start", "end", "text", "evidence"]  # what citations of memories need
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
    """Characters `start` to `end` of a source, as one line in `text`; `about`: the passage is about the anchor.

    With `memory_id`, `text` is that of the memory whose evidence the span is, and `part` its part of a summary.
    """

    source: Source
    start: int
    end: int
    text: str
    about: bool = False
    memory_id: str | None = None
    part: str = ""


class Library:
    """Texts, extractive summaries and memories of the citable sources of a snapshot."""

    def __init__(
        self,
        texts: pl.DataFrame,
        enrichments: pl.DataFrame,
        source_ids: Iterable[str],
        memories: pl.DataFrame | None = None,
    ) -> None:
        wanted = pl.Series("source_id", sorted(set(source_ids)), dtype=pl.String).to_frame()
        columns = [c for c in ("source_id", "text", "title", "language", "segments") if c in texts.columns]
        rows = texts.select(columns).join(wanted, on="source_id", how="semi")
        self._rows: dict[str, dict[str, Any]] = {row["source_id"]: row for row in rows.iter_rows(named=True)}
        spans = enrichments.select("source_id", "summary_spans").join(wanted, on="source_id", how="semi")
        self._spans = {key: [(s["start"], s["end"]) for s in found or ()] for key, found in spans.iter_rows()}
        self._sentences: dict[str, list[Sentence]] = {}
        usable = memories.select(CITED_COLUMNS).iter_rows() if memories is not None else ()
        self._memory_texts: dict[str, tuple[Any, ...]] = {memory_id: tuple(values) for memory_id, *values in usable}

    def quote(self, source_id: str, start: int, end: int) -> str:
        """Return a span of a text as one line, "" if there is no such span."""
        text = self._rows[source_id]["text"] if source_id in self._rows else ""
        return quoted(text, [(start, end)]) if 0 <= start < end <= len(text) else ""

    def said(self, citation: Mapping[str, Any]) -> str:
        """Return the text of a citation: the span as one line, or the memory's text if the span is its evidence."""
        source_id, start, end = place = (citation["source_id"], citation["start"], citation["end"])
        quote = self.quote(source_id, start, end)
        if citation["memory_id"] is None:
            return quote
        *at, text, evidence = self._memory_texts.get(citation["memory_id"], ("", 0, 0, "", ""))
        return _line(text) if (*at,) == place and quote and quote == _line(evidence) else ""

    def memory_text(self, citation: Mapping[str, Any]) -> str:
        """Return the text of a citation like `said`, of a memory also if its source's text was not read."""
        text = self._memory_texts.get(citation["memory_id"] or "", ("", 0, 0, "", ""))[3]
        return _line(text) or self.said(citation)

    def passages(self, source: Source, names: Names | None) -> list[Passage]:
        """Return the best sentences of a source about or by the anchor, else the source's extractive summary."""
        row = self._rows.get(source.source_id)
        if row is None:
            return []
        about = self._choose(row, self._about(row, names)) if names else []
        spans = about or self._summary(row)
        found = [Passage(source, a, b, self.quote(source.source_id, a, b), bool(about)) for a, b in spans]
        return [passage for passage in found if _is_informative(passage.text)]

    def _summary(self, row: dict[str, Any]) -> list[tuple[int, int]]:
        """Return the spans of the source's extractive summary; they are chosen here if there are none."""
        source_id = row["source_id"]
        if not self._spans.get(source_id):
            self._spans[source_id] = self._choose(row, self._all(row))
        return self._spans[source_id]

    def _about(self, row: dict[str, Any], names: Names) -> list[Sentence]:
        """Return the sentences spoken by the anchor, and those that name it other than to address it.

        Sentences of the anchor about the listener ("you must be tired") are used only if there are no others.
        """
        spoken = [(s["start"], s["end"]) for s in row.get("segments") or () if names.match_speaker(s.get("speaker"))]
        own, others = [], []
        for s in self._all(row):
            said = row["text"][s.start : s.end]
            if names.mentioned_in(said):
                own.append(s)
            elif any(start <= s.start < end for start, end in spoken):
                (others if _addresses_listener(said) else own).append(s)
        return own if any(_is_informative(row["text"][s.start : s.end]) for s in own) else own + others

    def _all(self, row: dict[str, Any]) -> list[Sentence]:
        source_id = row["source_id"]
        if source_id not in self._sentences:
            self._sentences[source_id] = sentences_of(row)
        return self._sentences[source_id]

    @staticmethod
    def _choose(row: dict[str, Any], sentences: Sequence[Sentence]) -> list[tuple[int, int]]:
        title, language = row.get("title") or "", row.get("language")
        informative = [s for s in sentences if _is_informative(row["text"][s.start : s.end])]
        return [(s.start, s.end) for s in choose_sentences(row["text"], informative, title=title, language=language)]


def _line(text: str) -> str:
    return " ".join(text.split())


def _addresses_listener(said: str) -> bool:
    """Return whether a spoken sentence addresses the listener or is about them."""
    return _YOU.search(said) is not None


def _is_informative(said: str) -> bool:
    """Return whether a sentence is informative: no greeting, boilerplate or bracketed placeholder of a picture."""
    return bool(said) and said[0] != "[" and said.count("[") == said.count("]") and not is_filler(said)
