"""Conversion of KNOWN_FACTS rows to fact cards with their evidence, and the sort orders for display."""

import json
from typing import Any

import polars as pl

from brain_retrieval.knowledge.cards import Evidence, FactCard

MOST_EVIDENCE = 5


def fact_cards(facts: pl.DataFrame, evidence: pl.DataFrame, uris: pl.DataFrame) -> list[FactCard]:
    """Return the facts as cards, in their order, each with its newest evidence passages.

    Args:
        facts: KNOWN_FACTS.
        evidence: FACT_EVIDENCE, of these facts at least.
        uris: source_id, uri, title.
    """
    wanted = facts.select("fact_id", "evidence_ids").explode("evidence_ids").rename({"evidence_ids": "evidence_id"})
    rows = wanted.join(evidence, on="evidence_id").join(uris, on="source_id", how="left")
    support: dict[str, list[Evidence]] = {}
    for row in rows.sort(["said_at", "evidence_id"], descending=[True, False]).iter_rows(named=True):
        support.setdefault(row["fact_id"], []).append(_evidence(row))
    names = [name for name in FactCard.__dataclass_fields__ if name not in ("evidence", "contradicts", "properties")]
    return [
        FactCard(
            **{name: row[name] for name in names},
            contradicts=tuple(row["contradicts"]),
            properties=json.loads(row["properties"] or "{}"),
            evidence=tuple(support.get(row["fact_id"], ())[:MOST_EVIDENCE]),
        )
        for row in facts.iter_rows(named=True)
    ]


def touching(facts: pl.DataFrame, entity_id: str) -> pl.DataFrame:
    """Return the facts with this entity as subject or object."""
    return facts.filter((pl.col("subject_id") == entity_id) | (pl.col("object_id") == entity_id))


def surest_first(facts: pl.DataFrame) -> pl.DataFrame:
    """Return the facts sorted by confidence, then by the time they were last stated, descending."""
    return facts.sort(["confidence", "last_said_at", "fact_id"], descending=[True, True, False])


def _evidence(row: dict[str, Any]) -> Evidence:
    return Evidence(
        source_id=row["source_id"],
        uri=row["uri"] or "",
        title=row["title"] or "",
        span=(row["start"], row["end"]),
        quote=row["evidence"],
        said_at=row["said_at"],
        received_at=row["received_at"],
        speaker=row["speaker"],
        confidence=row["confidence"],
        method=row["method"],
    )
