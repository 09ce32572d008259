"""Helpers for tests of entity resolution: input rows, and views of the result."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl

from brain_pipelines.knowledge.entities.resolve import Resolution, resolve
from brain_retrieval.settings.knowledge import KnowledgeSettings, OwnerSettings

START = datetime(2024, 3, 1, 9, tzinfo=UTC)


def row(
    source: str, name: str, kind: str = "Person", *aliases: str, confidence: float = 0.9, day: int = 0
) -> dict[str, Any]:
    """Return one row of ENTITIES with the columns that resolution reads."""
    at = START + timedelta(days=day)
    return {
        "entity_id": f"{source}/{kind}/{name}",
        "source_id": source,
        "source": "note",
        "event_at": at,
        "received_at": at + timedelta(days=100),
        "name": name,
        "type": kind,
        "aliases": list(aliases),
        "mention_count": 1,
        "confidence": confidence,
    }


SCHEMA = pl.DataFrame([row("s", "n", "Person", "a")]).schema


def run(rows: Sequence[dict[str, Any]] | pl.DataFrame, **more: Any) -> Resolution:
    """Resolve rows for a user without an owner profile; topics count as entities, as names are joined alike."""
    found = resolved(rows, **more)
    members = pl.concat([found.members, found.topic_members]).sort("member_id")
    known = pl.concat([found.known_entities, found.topics]).sort("entity_id")
    return replace(found, members=members, known_entities=known)


def resolved(rows: Sequence[dict[str, Any]] | pl.DataFrame, **more: Any) -> Resolution:
    """Resolve rows for a user without an owner profile."""
    given: dict[str, Any] = {"user": "dana", "owner": OwnerSettings(), "settings": KnowledgeSettings(), **more}
    frame = rows if isinstance(rows, pl.DataFrame) else pl.DataFrame(rows, schema=SCHEMA)
    return resolve(frame, **given)


def groups(found: Resolution) -> set[frozenset[str]]:
    """Return the member ids of each entity."""
    return {frozenset(ids) for ids in found.members.group_by("entity_id").agg("member_id")["member_id"].to_list()}


def named(found: Resolution) -> dict[str, set[str]]:
    """Return by entity name the set of names of its members."""
    joined = found.members.select("entity_id", pl.col("name").alias("called")).join(
        found.known_entities, on="entity_id"
    )
    return {name: set(called) for name, called in joined.group_by("name").agg("called").iter_rows()}


def tables(found: Resolution) -> list[pl.DataFrame]:
    return [found.members, found.known_entities, found.names, found.merges]
