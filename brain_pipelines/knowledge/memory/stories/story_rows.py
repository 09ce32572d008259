"""Rows of memories for storylines: which are worth counting, and which entities they name."""

from datetime import datetime

import polars as pl

from brain_pipelines.knowledge.memory.stories.passing import PERSON, lists_names
from brain_pipelines.knowledge.memory.stories.story_memory import KEPT, Row
from brain_pipelines.knowledge.memory.stories.themes import SHORT
from brain_retrieval.knowledge.memories.shown.coming import announced_before
from brain_retrieval.teams import SEPARATOR

LEAST_COUNTED = 0.1  # of a memory of a short source: a note of two lines was written for them
TALKS = ("conversation", "slack-thread", "agent-output", "email")
_SAID_TO_HOLD = (pl.col("modality") == "asserted") | ((pl.col("modality") == "possible") & (pl.col("kind") == "plan"))
TELLING = _SAID_TO_HOLD & pl.col("counted")


def naming(memories: pl.DataFrame, members: pl.DataFrame) -> pl.DataFrame:
    """Return anchor_id, memory_id, source_id, keep, self_contained, telling and spoken of the memories of entities."""
    found = members.select("member_id", pl.col("entity_id").alias("anchor_id")).unique()
    listing = pl.Series([lists_names(text) for text in memories["text"]], dtype=pl.Boolean)
    return (
        memories.select(
            "memory_id",
            "source_id",
            "keep",
            "entities",
            "self_contained",
            telling=TELLING,
            listing=listing,
        )
        .explode("entities")
        .with_columns(
            member_id=pl.col("entities").struct.field("entity_id"), role=pl.col("entities").struct.field("role")
        )
        # Someone on a list of names: nothing is said of them.
        .with_columns(
            telling=pl.col("telling") & ~(pl.col("listing") & (pl.col("entities").struct.field("type") == PERSON))
        )
        .filter(pl.col("role") != "listener")
        .join(found, on="member_id")
        .group_by("anchor_id", "memory_id", "source_id", "keep", "self_contained", "telling")
        .agg(spoken=(pl.col("role") == "speaker").all())
    )


def counted_ones(memories: pl.DataFrame) -> pl.DataFrame:
    """Return memories with `counted`: worth keeping, or not quite worthless in a note of a few sentences; no talk."""
    rows = memories.with_columns(short=pl.len().over("source_id") <= SHORT)
    written = ~pl.col("source").str.split(SEPARATOR).list.last().is_in(TALKS)
    likely = (pl.col("keep") >= LEAST_COUNTED) & _SAID_TO_HOLD
    return rows.with_columns(counted=(pl.col("keep") >= KEPT) | (written & pl.col("short") & likely))


def counted(named: pl.DataFrame) -> dict[str, dict[str, int]]:
    """Return the kept memories of rows of `naming` by anchor and source."""
    found: dict[str, dict[str, int]] = {}
    kept = named.filter(pl.col("keep") >= KEPT).group_by("anchor_id", "source_id").len()
    for anchor_id, source_id, count in kept.iter_rows():
        found.setdefault(anchor_id, {})[source_id] = count
    return found


def is_past(row: Row, now: datetime) -> bool:
    """Return whether a memory announced something for a day that has been, and does not hold since."""
    values = [(value["dimension"], value["value"]) for value in row["values"] or ()]
    return not row["from_stated"] and announced_before(values, row["said_at"].date(), now.date())
