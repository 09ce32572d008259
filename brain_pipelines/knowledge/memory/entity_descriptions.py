"""Descriptions of entities: short cited summaries of their current facts and notes.

A chat model is used only for entities that were recalled or noted recently; all others get quoted sentences. The
candidate sentences are collected in `statements.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import polars as pl

from brain_pipelines.knowledge.memory.citation_check import EXTRACTIVE, LLM
from brain_pipelines.knowledge.memory.evidence import Row
from brain_pipelines.knowledge.memory.llm_summary import Writer, Written
from brain_pipelines.knowledge.memory.passages import Passage
from brain_pipelines.knowledge.memory.statements import Statements, statements_of
from brain_pipelines.knowledge.memory.summaries import Summaries, report, summary
from brain_pipelines.knowledge.prompts import description as prompt
from brain_retrieval.models.chat.protocol import ChatModel
from brain_retrieval.stores.memory_tables import SUMMARIES

RECENT = timedelta(days=7)
SENTENCES = 2  # of an extractive description


def build_descriptions(
    known_entities: pl.DataFrame,
    known_facts: pl.DataFrame,
    fact_evidence: pl.DataFrame,
    notes: pl.DataFrame,
    texts: pl.DataFrame,
    previous: pl.DataFrame,
    *,
    accessed: Mapping[str, datetime],
    now: datetime,
    chat: ChatModel | None = None,
    requests: int = 100,
    previous_evidence: pl.DataFrame | None = None,
) -> Summaries:
    """Return descriptions, as SUMMARIES rows with item "entity", of all entities with a current fact or a note.

    Args:
        known_entities: KNOWN_ENTITIES.
        known_facts: KNOWN_FACTS.
        fact_evidence: FACT_EVIDENCE.
        notes: NOTES; expired ones do not count.
        texts: source_id and text of the sources of notes; notes not found in their text are left out.
        previous: SUMMARIES of the snapshot before.
        accessed: when each entity was last recalled.
        now: the snapshot's end.
        chat: writes the descriptions; None quotes sentences of the sources.
        requests: maximum number of calls of `chat`, entities with most sources first.
        previous_evidence: FACT_EVIDENCE of the snapshot before; with it, text of a model is dropped once its evidence
            is gone.
    """
    statements = statements_of(known_facts, fact_evidence, notes, texts, previous_evidence)
    before: dict[str, Row] = {
        r["item_id"]: r for r in previous.filter(pl.col("item") == "entity").iter_rows(named=True)
    }
    writer = Writer(chat, requests) if chat else None
    snapshot = _Snapshot(statements, before, writer, accessed, now - RECENT)
    entities = known_entities.sort(["source_count", "entity_id"], descending=[True, False])
    rows = [snapshot.entity(*row) for row in entities.select("entity_id", "name").iter_rows() if row[0] in statements]
    frame = pl.DataFrame(rows, schema=pl.DataFrame(SUMMARIES.empty_table()).schema)
    return report(frame.sort("item_id"), snapshot.carried, writer)


@dataclass
class _Snapshot:
    """Builds the descriptions one by one; see `build_descriptions`."""

    statements: Statements
    before: dict[str, Row]
    writer: Writer | None
    accessed: Mapping[str, datetime]
    since: datetime
    carried: int = 0

    def entity(self, entity_id: str, name: str) -> Row:
        stamp = self.statements.stamp(entity_id, name)
        old = self._old(entity_id)
        wanted = LLM if self.writer is not None and self._is_live(entity_id) else EXTRACTIVE
        written = old is not None and old["method"] == LLM and self.writer is not None
        if old and old["evidence_hash"] == stamp and (written or old["method"] == wanted):
            self.carried += 1
            return old
        if self.writer is not None and wanted == LLM:
            made = self._write(name, entity_id, old if written else None, self.writer)
            if made:
                return summary(entity_id, "entity", made, self.writer.chat.name, stamp)
        if old and written:
            return old  # keeps its old evidence hash, so it is renewed once the entity is recalled
        return summary(entity_id, "entity", first_said(self.statements.best(entity_id)), EXTRACTIVE, stamp)

    def _write(self, name: str, entity_id: str, old: Row | None, writer: Writer) -> Written | None:
        current = old["description"] if old else ""
        return writer.write(prompt.SYSTEM, prompt.NAME, name, self.statements.all(entity_id), current=current)

    def _old(self, entity_id: str) -> Row | None:
        """Return the previous row if its citations still exist, and for a model's text also all earlier evidence."""
        old = self.before.get(entity_id)
        if old is None or not self.statements.supports(entity_id, old):
            return None
        return None if old["method"] == LLM and self.statements.lost(entity_id) else old

    def _is_live(self, entity_id: str) -> bool:
        at = self.accessed.get(entity_id)
        return (at is not None and at >= self.since) or self.statements.noted(entity_id, self.since)


def first_said(passages: Sequence[Passage]) -> list[Passage]:
    """Return the first SENTENCES non-overlapping passages (given best first) in chronological order."""
    chosen: list[Passage] = []
    for passage in passages:
        if not any(passage.source == p.source and passage.start < p.end and p.start < passage.end for p in chosen):
            chosen.append(passage)
        if len(chosen) == SENTENCES:
            break
    return sorted(chosen, key=lambda p: (p.source.at, p.source.source_id, p.start))
