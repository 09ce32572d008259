"""Summaries of storylines and macros; only those whose evidence changed since the previous snapshot are rewritten.

Without a chat model, summaries quote sentences of the sources and are a pure function of them. A model updates its own
previous summary; if it fails or its sentences are unsupported, the extractive summary is used.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from brain_pipelines.knowledge.memory.citation_check import EXTRACTIVE, LLM
from brain_pipelines.knowledge.memory.evidence import Evidence, Row, readable
from brain_pipelines.knowledge.memory.extractive_summary import summarise_macro
from brain_pipelines.knowledge.memory.llm_summary import Writer, Written
from brain_pipelines.knowledge.memory.passages import Library, Passage
from brain_pipelines.knowledge.memory.stories.story_memories import StoryMemories
from brain_pipelines.knowledge.memory.stories.story_parts import relabelled
from brain_pipelines.knowledge.prompts import macro as macro_prompt
from brain_pipelines.knowledge.prompts import storyline as prompt
from brain_retrieval.models.chat.protocol import ChatModel
from brain_retrieval.stores.memory_tables import SUMMARIES

MACRO_STORYLINES = 20  # newest storylines of a macro that are given to a model


@dataclass(frozen=True)
class Summaries:
    """SUMMARIES rows; how many were carried over, requested from the model, and skipped at its limit; and problems."""

    rows: pl.DataFrame
    carried: int = 0
    asked: int = 0
    left: int = 0
    problems: tuple[str, ...] = ()


def build_summaries(
    storylines: pl.DataFrame,
    storyline_sources: pl.DataFrame,
    macros: pl.DataFrame,
    texts: pl.DataFrame,
    enrichments: pl.DataFrame,
    previous: pl.DataFrame,
    *,
    chat: ChatModel | None = None,
    requests: int = 100,
    known_entities: pl.DataFrame | None = None,
    previous_sources: pl.DataFrame | None = None,
    memories: StoryMemories | None = None,
) -> Summaries:
    """Return a summary of every storyline and macro of the snapshot.

    Args:
        storylines: STORYLINES.
        storyline_sources: STORYLINE_SOURCES.
        macros: MACROS.
        texts: source_id, text; optionally title, language, segments. At least those of `cited_sources`.
        enrichments: source_id, summary_spans.
        previous: SUMMARIES of the snapshot before; empty if there is none.
        chat: writes the summaries; None quotes sentences of the sources.
        requests: maximum number of calls of `chat`; storylines by descending weight, then macros.
        known_entities: KNOWN_ENTITIES; with it, sentences with an alias of the anchor are found too.
        previous_sources: STORYLINE_SOURCES of the snapshot before; with it, a model gets new sources only, and its text
            is dropped if one of its sources was removed.
        memories: of the sources; without them, sentences of the texts are quoted.
    """
    usable = memories.cited(storyline_sources["source_id"]) if memories else None
    library = Library(texts, enrichments, cited_sources(storyline_sources, previous, previous_sources), usable)
    evidence = Evidence(storylines, storyline_sources, library, known_entities, previous_sources, memories)
    before: dict[str, Row] = {row["item_id"]: row for row in previous.to_dicts()}
    snapshot = _Snapshot(evidence, before, Writer(chat, requests) if chat else None)
    ordered = storylines.sort(["weight", "storyline_id"], descending=[True, False]).to_dicts()
    rows = {line["storyline_id"]: snapshot.storyline(line) for line in ordered}
    weights = {line["storyline_id"]: line["weight"] for line in ordered}
    for macro in macros.sort(["total_source_count", "macro_id"], descending=[True, False]).iter_rows(named=True):
        rows[macro["macro_id"]] = snapshot.macro(macro, weights, rows)
    frame = pl.DataFrame(list(rows.values()), schema=pl.DataFrame(SUMMARIES.empty_table()).schema)
    return report(frame.sort("item_id"), snapshot.carried, snapshot.writer)


def cited_sources(
    storyline_sources: pl.DataFrame, previous: pl.DataFrame, previous_sources: pl.DataFrame | None = None
) -> list[str]:
    """Return the ids of the sources whose texts `build_summaries` may read. Arguments as there."""
    citations = previous.filter(pl.col("item") != "entity")["citations"].to_list()
    old = {c["source_id"] for cited in citations for c in cited}
    return sorted(old.union(*readable(storyline_sources, previous_sources)))


@dataclass
class _Snapshot:
    """Builds the summaries one by one; see `build_summaries`."""

    evidence: Evidence
    before: dict[str, Row]
    writer: Writer | None
    carried: int = 0
    _digests: dict[str, list[Passage]] = field(default_factory=dict)

    def storyline(self, line: Row) -> Row:
        item_id, stamp = line["storyline_id"], line["evidence_hash"]
        old = self._old(item_id, [item_id], stamp)
        if old and self._is_clean(old, stamp):
            return self._carry(old)
        if self.writer is not None:
            written = self._write(line, old, self.writer)
            if written:
                return summary(item_id, "storyline", written, self.writer.chat.name, stamp)
            if old and old["method"] == LLM:
                return old  # keeps its old evidence hash, so the next snapshot tries again
        return summary(item_id, "storyline", self._digest(item_id), EXTRACTIVE, stamp)

    def macro(self, macro: Row, weights: Mapping[str, float], rows: Mapping[str, Row]) -> Row:
        item_id, stamp, parts = macro["macro_id"], macro["evidence_hash"], macro["storyline_ids"]
        old = self._old(item_id, parts, stamp)
        if old and self._is_clean(old, stamp):
            return self._carry(old)
        if self.writer is not None:
            cited = [p for part in parts[-MACRO_STORYLINES:] for p in self.evidence.cited(rows[part], [part])]
            written = self.writer.write(macro_prompt.SYSTEM, macro_prompt.NAME, macro["anchor"], cited)
            if written:
                return summary(item_id, "macro", written, self.writer.chat.name, stamp)
            if old and old["method"] == LLM and not self.evidence.vanished():
                return old
        digests = [self._digest(part) for part in parts]
        chosen = relabelled(summarise_macro(digests, [weights[part] for part in parts]))
        return summary(item_id, "macro", chosen, EXTRACTIVE, stamp)

    def _write(self, line: Row, old: Row | None, writer: Writer) -> Written | None:
        """Request a summary: an update of the model's old one with new passages, else from the newest sources."""
        item_id, anchor = line["storyline_id"], line["anchor"]
        if old is None or old["method"] != LLM:
            return writer.write(prompt.SYSTEM, prompt.NAME, anchor, self.evidence.newest(item_id))
        cited = self.evidence.cited(old, [item_id])
        spans = {(p.source, p.start, p.end) for p in cited}
        fresh = [p for p in self.evidence.fresh(item_id) if (p.source, p.start, p.end) not in spans]
        passages = [*cited, *fresh]
        return writer.write(prompt.REFRESH_SYSTEM, prompt.NAME, anchor, passages, current=old["description"])

    def _old(self, item_id: str, storyline_ids: Sequence[str], stamp: str) -> Row | None:
        """Return the previous row if it may be kept or updated: all its citations still exist.

        Text of a model may also depend on passages it does not cite, so it is dropped if any source was removed or
        edited. An edit shows as a changed evidence hash without a new source.
        """
        old = self.evidence.usable(self.before.get(item_id), storyline_ids)
        if old is None or old["method"] != LLM:
            return old
        edited = old["evidence_hash"] != stamp and not self.evidence.grew(storyline_ids)
        return None if edited or self.evidence.lost(storyline_ids) else old

    def _digest(self, storyline_id: str) -> list[Passage]:
        if storyline_id not in self._digests:
            self._digests[storyline_id] = self.evidence.digest(storyline_id)
        return self._digests[storyline_id]

    def _is_clean(self, old: Row, stamp: str) -> bool:
        return old["evidence_hash"] == stamp and old["method"] == (LLM if self.writer else EXTRACTIVE)

    def _carry(self, old: Row) -> Row:
        self.carried += 1
        return old


def summary(item_id: str, item: str, made: Written | Sequence[Passage], model: str, stamp: str) -> Row:
    """Return a row of SUMMARIES from the text of a model, or from quoted passages."""
    written = isinstance(made, Written)
    cited = made.cited if written else made
    labelled = not written and bool(cited) and all(p.part for p in cited)
    return {
        "item_id": item_id,
        "item": item,
        "description": made.text if written else " ".join(p.text for p in cited),
        "citations": [
            {"source_id": p.source.source_id, "start": p.start, "end": p.end, "memory_id": p.memory_id} for p in cited
        ],
        "parts": [{"part": p.part, "at": p.source.at, "text": p.text} for p in cited] if labelled else [],
        "method": LLM if written else EXTRACTIVE,
        "model": model,
        "evidence_hash": stamp,
    }


def report(rows: pl.DataFrame, carried: int, writer: Writer | None) -> Summaries:
    """Return the rows with the counts and problems of the writer, if there is one."""
    if writer is None:
        return Summaries(rows, carried)
    problems = list(writer.problems)
    if writer.left:
        problems.append(f"{writer.left} summaries were left to another snapshot: {writer.asked} requests were made")
    return Summaries(rows, carried, writer.asked, writer.left, tuple(problems))
