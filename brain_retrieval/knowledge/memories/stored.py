"""Reading memories from the lake: the rows of all sources that Brain has now, filtered before they leave Arrow.

They are read as they are stored, so a memory is visible as soon as its day has been extracted, without a snapshot.
"""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta

import polars as pl

from brain_retrieval.home import Space
from brain_retrieval.knowledge.memories.display import MIN_KEEP
from brain_retrieval.knowledge.memories.matching import anchor_keys
from brain_retrieval.knowledge.memory_states import EPISODIC_DAYS
from brain_retrieval.language.content_words import content_words
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake


def read_memories(space: Space, *, until: datetime | None = None) -> pl.DataFrame:
    """Return the rows of MEMORIES of sources received by `until` that have not expired by then, sorted by id."""
    with Catalog(space) as catalog:
        table = Lake(space, catalog).read("memories")
    rows = pl.DataFrame(pl.from_arrow(table)).lazy()
    if until is not None:
        rows = rows.filter(pl.col("received_at") <= until)
    rows = rows.filter(~_expired(until or datetime.now(UTC)))
    return rows.sort("memory_id").collect()


def matching(memories: pl.DataFrame, about: str) -> pl.DataFrame:
    """Return the memories that a topic can match, and those that could have ended one of them.

    Args:
        memories: rows of MEMORIES.
        about: names and words of the topic.
    """
    words = {name: frozenset(content_words(name)) for name in _names(memories)}
    vocabulary = {*memories["anchors"].explode().drop_nulls().unique().to_list(), *frozenset().union(*words.values())}
    keys = anchor_keys(about, vocabulary)
    named = [name for name, own in words.items() if own & keys]
    return with_changes(memories, memories.filter(_has(keys) | _names_one(named)))


def with_changes(memories: pl.DataFrame, found: pl.DataFrame) -> pl.DataFrame:
    """Return `found` with the memories that state a change, value or attribute of a person or thing named there."""
    subjects = sorted({*_names(found), *found["slot_subject"].drop_nulls().to_list()})
    changes = (pl.col("cue") != "none") | pl.col("slot_attribute").is_not_null() | (pl.col("values").list.len() > 0)
    about_them = _names_one(subjects) | pl.col("slot_subject").is_in(subjects).fill_null(value=False)
    ids = found["memory_id"].implode()
    return memories.filter(pl.col("memory_id").is_in(ids) | (changes & about_them))


def worth_judging(memories: pl.DataFrame, *, at: datetime, most: int) -> pl.DataFrame:
    """Return the `most` likely and most recent asserted memories; from these the ones to show first are chosen."""
    days = (pl.lit(at) - pl.col("effective_from")).dt.total_days().clip(0)
    rank = pl.col("keep") + 0.5 * (-days / 180).exp()
    wanted = memories.filter(pl.col("modality") == "asserted", pl.col("keep") >= MIN_KEEP, pl.col("said_at") <= at)
    return wanted.with_columns(rank=rank).sort(["rank", "memory_id"], descending=[True, False]).head(most).drop("rank")


def outside_echoes(memories: pl.DataFrame, echoes: pl.DataFrame) -> pl.DataFrame:
    """Return the memories whose evidence does not lie in agent output that repeats retrieved text.

    Args:
        memories: rows of MEMORIES.
        echoes: ECHOES of a snapshot.
    """
    if echoes.is_empty() or memories.is_empty():
        return memories
    spans = echoes.select("source_id", pl.col("start").alias("from"), pl.col("end").alias("to"))
    inside = (
        memories.select("memory_id", "source_id", "start", "end")
        .join(spans, on="source_id")
        .filter((pl.col("start") >= pl.col("from")) & (pl.col("end") <= pl.col("to")))
    )
    return memories.join(inside, on="memory_id", how="anti")


def _expired(now: datetime) -> pl.Expr:
    ephemeral = (pl.col("ttl_policy") == "ephemeral").fill_null(value=False)
    return ephemeral & (pl.col("received_at") <= now - timedelta(days=EPISODIC_DAYS))


def _names(memories: pl.DataFrame) -> list[str]:
    named = memories["entities"].explode().drop_nulls()
    names = [] if named.is_empty() else named.struct.field("name").drop_nulls().unique().to_list()
    return sorted({*names, *memories["speaker"].drop_nulls().unique().to_list()})


def _has(keys: Collection[str]) -> pl.Expr:
    wanted = pl.lit(pl.Series([sorted(keys)], dtype=pl.List(pl.String)))
    return (pl.col("anchors").list.set_intersection(wanted).list.len() > 0).fill_null(value=False)


def _names_one(names: Collection[str]) -> pl.Expr:
    wanted = pl.Series(sorted(names), dtype=pl.String).implode()
    entities = pl.col("entities").list.eval(pl.element().struct.field("name").is_in(wanted)).list.any()
    return (entities.fill_null(value=False)) | pl.col("speaker").is_in(wanted).fill_null(value=False)
