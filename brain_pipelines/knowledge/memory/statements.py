"""Statements about each entity: the sentences that are evidence of its current facts, and its notes."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import polars as pl

from brain_pipelines.knowledge.memory.citation_check import EXTRACTIVE
from brain_pipelines.knowledge.memory.passages import Passage, Source
from brain_retrieval.ids import stable_hash

MOST_FACTS = 20  # sentences an entity's description is made of at most
MOST_NOTES = 10  # newest


class Statements:
    """Passages about each entity: evidence of facts (best first) and notes (newest first)."""

    def __init__(self, facts: dict[str, list[Passage]], notes: dict[str, list[Passage]], lost: set[str]) -> None:
        self._facts = facts
        self._notes = notes
        self._lost = lost

    def __contains__(self, entity_id: object) -> bool:
        return entity_id in self._facts or entity_id in self._notes

    def best(self, entity_id: str) -> list[Passage]:
        """Return evidence of facts, best first; if there is none, notes, newest first."""
        return self._facts.get(entity_id) or self._notes.get(entity_id, [])

    def all(self, entity_id: str) -> list[Passage]:
        """Return evidence and notes in the order of their dates."""
        found = [*self._facts.get(entity_id, ()), *self._notes.get(entity_id, ())]
        return sorted(found, key=lambda p: (p.source.at, p.source.source_id, p.start))

    def noted(self, entity_id: str, since: datetime) -> bool:
        """Return whether a note on the entity was added since then."""
        return any(p.source.at >= since for p in self._notes.get(entity_id, ()))

    def lost(self, entity_id: str) -> bool:
        """Return whether evidence about the entity in the previous snapshot no longer exists."""
        return entity_id in self._lost

    def stamp(self, entity_id: str, name: str) -> str:
        """Return the evidence hash: of the name and all passages."""
        return stable_hash([name, [(p.source.source_id, p.start, p.end, p.text) for p in self.all(entity_id)]])

    def supports(self, entity_id: str, row: Mapping[str, Any]) -> bool:
        """Return whether all citations of a SUMMARIES row are among the passages; extractive ones must equal them."""
        at = {(p.source.source_id, p.start, p.end): p.text for p in self.all(entity_id)}
        quotes = [at.get((c["source_id"], c["start"], c["end"]), "") for c in row["citations"]]
        return all(quotes) and (row["method"] != EXTRACTIVE or " ".join(quotes) == row["description"])


def statements_of(
    known_facts: pl.DataFrame,
    fact_evidence: pl.DataFrame,
    notes: pl.DataFrame,
    texts: pl.DataFrame,
    previous_evidence: pl.DataFrame | None = None,
) -> Statements:
    """Return the statements about all entities. Arguments as in `build_descriptions`."""
    lost: set[str] = set()
    if previous_evidence is not None:
        gone = _by_entity(previous_evidence).join(
            _by_entity(fact_evidence), on=["entity_id", "evidence_id"], how="anti"
        )
        lost = set(gone["entity_id"])
    return Statements(_fact_passages(known_facts, fact_evidence), _note_passages(notes, texts), lost)


def _by_entity(evidence: pl.DataFrame) -> pl.DataFrame:
    """Return entity_id, evidence_id for all subjects and for objects that are entities."""
    sides = [evidence.select(pl.col(side).alias("entity_id"), "evidence_id") for side in ("subject_id", "object_id")]
    return pl.concat(sides).drop_nulls().unique()


def _fact_passages(known_facts: pl.DataFrame, fact_evidence: pl.DataFrame) -> dict[str, list[Passage]]:
    """Return by entity the best sentence of each of its current facts, facts with it as subject first."""
    current = known_facts.filter(
        pl.col("status") == "current", pl.col("polarity") == "affirmed", pl.col("modality") == "asserted"
    )
    facts = current.select("fact_id", "source_count", "last_said_at", "evidence_ids", sure="confidence")
    said = (
        facts.explode("evidence_ids")
        .rename({"evidence_ids": "evidence_id"})
        .join(fact_evidence, on="evidence_id")
        .sort(["fact_id", "confidence", "said_at", "evidence_id"], descending=[False, True, True, False])
        .unique("fact_id", keep="first", maintain_order=True)
    )
    columns = ["source_id", "source_type", "said_at", "start", "end", "evidence"]
    rank = ["sure", "source_count", "last_said_at", "fact_id"]
    sides = [
        said.select(pl.col(side).alias("entity_id"), pl.lit(n).alias("side"), *rank, *columns)
        for n, side in enumerate(("subject_id", "object_id"))
    ]
    ranked = (
        pl.concat(sides)
        .drop_nulls("entity_id")
        .sort(["entity_id", "side", *rank], descending=[False, False, True, True, True, False])
        .unique(["entity_id", "source_id", "start", "end"], keep="first", maintain_order=True)
        .group_by("entity_id", maintain_order=True)
        .head(MOST_FACTS)
    )
    found: dict[str, list[Passage]] = {}
    for entity_id, source_id, source_type, at, start, end, text in ranked.select("entity_id", *columns).iter_rows():
        passage = Passage(Source(source_id, source_type, at), start, end, " ".join(text.split()), about=True)
        if passage.text:
            found.setdefault(entity_id, []).append(passage)
    return found


def _note_passages(notes: pl.DataFrame, texts: pl.DataFrame) -> dict[str, list[Passage]]:
    """Return by entity its unexpired notes, newest first, as passages of the text of their source."""
    rows = (
        notes.filter(pl.col("target") == "entity", ~pl.col("expired"))
        .join(texts.select("source_id", "text"), on="source_id")
        .sort(["entity_id", "date_added", "note_id"], descending=[False, True, False])
        .group_by("entity_id", maintain_order=True)
        .head(MOST_NOTES)
    )
    found: dict[str, list[Passage]] = {}
    for row in rows.iter_rows(named=True):
        start = row["text"].find(row["content"])
        if start >= 0 and row["content"].strip():
            source = Source(row["source_id"], "note", row["date_added"])
            text = " ".join(row["content"].split())
            found.setdefault(row["entity_id"], []).append(
                Passage(source, start, start + len(row["content"]), text, True)
            )
    return found
