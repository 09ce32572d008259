"""Reading memories from the lake: the rows of all sources that Brain has now, filtered before they leave Arrow.

They are read as they are stored, so a memory is visible as soon as its day has been extracted, without a snapshot.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any

import polars as pl

from brain_retrieval.home import Space
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake

Row = dict[str, Any]


def read_memories(
    space: Space,
    *,
    keys: Collection[str] | None = None,
    names: Collection[str] = (),
    until: datetime | None = None,
) -> pl.DataFrame:
    """Return rows of MEMORIES, sorted by id.

    Args:
        space: the user's stores.
        keys: normalised words; only memories with one of them among their anchors, or one of `names`. None: all.
        names: names of entities, of which a memory has one as an entity, speaker or listener.
        until: only memories of sources received by then.
    """
    with Catalog(space) as catalog:
        table = Lake(space, catalog).read("memories")
    rows = pl.DataFrame(pl.from_arrow(table)).lazy()
    if until is not None:
        rows = rows.filter(pl.col("received_at") <= until)
    if keys is not None:
        rows = rows.filter(_mentions(keys, names))
    return rows.sort("memory_id").collect()


def read_memory(space: Space, memory_id: str) -> Row | None:
    """Return one row of MEMORIES, None if there is none with this id."""
    with Catalog(space) as catalog:
        table = Lake(space, catalog).read("memories")
    found = pl.DataFrame(pl.from_arrow(table)).filter(pl.col("memory_id") == memory_id)
    return found.row(0, named=True) if found.height else None


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


def _mentions(keys: Collection[str], names: Collection[str]) -> pl.Expr:
    words = pl.lit(pl.Series([sorted(keys)], dtype=pl.List(pl.String)))
    by_word = pl.col("anchors").list.set_intersection(words).list.len() > 0
    wanted = sorted(names)
    named = pl.col("entities").list.eval(pl.element().struct.field("name").is_in(wanted)).list.any()
    spoken = pl.col("speaker").is_in(wanted) | pl.col("listener").is_in(wanted)
    return (by_word | named.fill_null(value=False) | spoken.fill_null(value=False)).fill_null(value=False)
