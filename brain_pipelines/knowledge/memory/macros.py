"""Macros: the group of an anchor's storylines, once it has several and has been known for `macro_age_days`."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import polars as pl

from brain_pipelines.knowledge.memory.stories.titles import macro_title
from brain_retrieval.ids import content_id, stable_hash
from brain_retrieval.settings.knowledge import MemorySettings
from brain_retrieval.stores.memory_tables import MACROS


def build_macros(
    storylines: pl.DataFrame, known_entities: pl.DataFrame, *, now: datetime, settings: MemorySettings
) -> pl.DataFrame:
    """Return MACROS, computed from STORYLINES and the first mentions of their anchors.

    The storylines of an anchor have no source in common, so their source counts can be added.
    """
    known_long = known_entities.filter(
        pl.col("first_mentioned_at") < now - timedelta(days=settings.macro_age_days)
    ).select("entity_id")
    several = (
        storylines.join(known_long, left_on="anchor_id", right_on="entity_id", how="semi")
        .sort("anchor_id", "started_at", "storyline_id")
        .filter(pl.len().over("anchor_id") >= settings.macro_storylines)
    )
    rows = [_macro(group.to_dicts()) for _, group in several.group_by("anchor_id", maintain_order=True)]
    schema = pl.DataFrame(MACROS.empty_table()).schema
    return pl.DataFrame(rows, schema=schema).sort("macro_id")


def _macro(lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
    first, ended = lines[0], max(line["last_source_at"] for line in lines)
    return {
        "macro_id": content_id("macro", first["anchor_id"]),
        "anchor_id": first["anchor_id"],
        "anchor": first["anchor"],
        "name": macro_title(first["anchor"], [line["topic"] for line in lines], first["started_at"], ended),
        "storyline_ids": [line["storyline_id"] for line in lines],
        "storyline_count": len(lines),
        "total_source_count": sum(line["source_count"] for line in lines),
        "started_at": first["started_at"],
        "last_event_at": ended,
        "team": _team(lines),
        "evidence_hash": stable_hash(sorted((line["storyline_id"], line["evidence_hash"]) for line in lines)),
    }


def _team(lines: Sequence[dict[str, Any]]) -> str | None:
    """Return the team whose storylines have more than half of the sources, None if there is none."""
    counts: Counter[str] = Counter()
    for line in lines:
        if line["team"]:
            counts[line["team"]] += line["source_count"]
    total = sum(line["source_count"] for line in lines)
    return next((name for name, count in counts.items() if count * 2 > total), None)
