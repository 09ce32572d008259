"""Memories by conditions on their rows: of a time, of some sources."""

from collections.abc import Iterable
from datetime import datetime

import numpy as np
import polars as pl

from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.memories.reader import MemoryReader
from brain_retrieval.knowledge.memories.stored import visible


def where(reader: MemoryReader, wanted: pl.Expr, *, at: datetime | None = None) -> list[MemoryCard]:
    """Return the memories whose rows of MEMORIES fulfil a condition; none that has expired or is an echo.

    Raises:
        StoreError: if the lake cannot be read.
    """
    index = reader.index
    counted = visible(index, until=reader.known_at, echoes=reader.echoes())
    fulfilled = index.rows.select(wanted.fill_null(value=False)).to_series().to_numpy()
    chosen = fulfilled if counted is None else fulfilled & counted
    return reader.cards_of(index.rows["memory_id"][np.flatnonzero(chosen)].to_list(), at=at)


def lines_of(reader: MemoryReader, source_ids: Iterable[str]) -> dict[str, int]:
    """Return how many memories each of some sources has."""
    index = reader.index
    return {one: len(index.sources.having(one)) for one in source_ids}
