"""Anchors: entities that may have storylines, each with the sources that mention it. See `threads.py` for the threads.

A nested source (an attachment, a linked page) counts together with its outermost parent as one. Sources whose event is
after the end of the snapshot, such as future appointments, do not count yet.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import polars as pl

from brain_pipelines.knowledge.memory.threads import Mention
from brain_retrieval.settings.knowledge import MemorySettings
from brain_retrieval.teams import SEPARATOR

# Evidence weight by source type; 1 for all others. A message is weaker evidence than a meeting, and output of agents
# alone should not promote a storyline.
SOURCE_WEIGHTS = {"slack-thread": 0.25, "email": 0.5, "agent-note": 0.25, "agent-output": 0.25}
MAX_NESTING = 12


def mentions_by_anchor(
    members: pl.DataFrame,
    known_entities: pl.DataFrame,
    sources: pl.DataFrame,
    *,
    now: datetime,
    settings: MemorySettings,
) -> Iterator[tuple[str, list[Mention]]]:
    """Yield (entity_id, mentions in order of event time) for every entity that could meet the thresholds.

    Args:
        members: ENTITY_MEMBERS.
        known_entities: KNOWN_ENTITIES; neither the owner nor a hub (an entity in nearly all sources) is an anchor.
        sources: one row a source: source_id, source_type, event_at, parent_id.
        now: the snapshot's end.
        settings: thresholds, and the share of sources from which on an entity is a hub.
    """
    past = sources.filter(pl.col("event_at") <= now)
    units = past.join(roots(past), on="source_id")
    mentioned = (
        members.select("entity_id", "source_id")
        .unique()
        .join(units, on="source_id")
        .with_columns(inside=pl.col("source_id") != pl.col("root_id"), at=pl.col("event_at").dt.epoch("us"))
        # One row for each entity and outermost source, preferably the outermost source itself.
        .sort("entity_id", "root_id", "inside", "at", "source_id")
        .unique(["entity_id", "root_id"], keep="first", maintain_order=True)
    )
    chosen = _anchors(mentioned, known_entities, units["root_id"].n_unique(), settings)
    rows = (
        mentioned.join(chosen, on="entity_id", how="semi")
        .with_columns(weight=_weight(pl.col("source_type")))
        .sort("entity_id", "at", "source_id")
        .select("entity_id", "source_id", "source_type", "at", "weight")
    )
    yield from _grouped(rows)


def _weight(source_type: pl.Expr) -> pl.Expr:
    """Return the weight of a source type, ignoring the prefix of a team."""
    plain = source_type.str.split(SEPARATOR).list.last()
    return plain.replace_strict(SOURCE_WEIGHTS, default=1.0, return_dtype=pl.Float64)


def roots(sources: pl.DataFrame) -> pl.DataFrame:
    """Return source_id, root_id: the outermost parent of each source, the source itself if it has none."""
    parent = sources.select("source_id", root_id=pl.coalesce("parent_id", "source_id"))
    found = parent
    for _ in range(MAX_NESTING):
        higher = found.join(parent.rename({"source_id": "root_id", "root_id": "higher"}), on="root_id", how="left")
        above = higher.select("source_id", root_id=pl.coalesce("higher", "root_id"))
        if above["root_id"].equals(higher["root_id"]):
            break
        found = above
    return found


def _anchors(mentioned: pl.DataFrame, known: pl.DataFrame, total: int, settings: MemorySettings) -> pl.DataFrame:
    """Return the entity_ids that could meet the thresholds and are neither the owner nor a hub."""
    most = total * settings.hub_share if total >= settings.hub_history else total
    return (
        mentioned.group_by("entity_id")
        .agg(count=pl.len(), days=pl.col("event_at").dt.date().n_unique())
        .filter(pl.col("count") >= settings.storyline_sources, pl.col("days") >= settings.storyline_days)
        .filter(pl.col("count") <= most)
        .join(known.filter(~pl.col("is_owner")), on="entity_id", how="semi")
        .select("entity_id")
    )


def _grouped(rows: pl.DataFrame) -> Iterator[tuple[str, list[Mention]]]:
    """Yield rows sorted by entity as one list for each."""
    entity: str | None = None
    group: list[Mention] = []
    values: Any
    for name, *values in rows.iter_rows():
        if name != entity and entity is not None:
            yield entity, group
            group = []
        entity = name
        group.append(Mention(*values))
    if entity is not None:
        yield entity, group
