"""The memories of a user as a search judges them: those that count at the clocks of the query, and their endings."""

from datetime import UTC, datetime
from functools import lru_cache

import numpy as np
import polars as pl

from brain_retrieval.home import Space
from brain_retrieval.knowledge.memories.endings import Endings, Moment
from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.knowledge.memories.stored import memory_index, visible
from brain_retrieval.query.hits import Clocks
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.snapshots import SnapshotStore

USERS = 32  # whose echoes one process keeps


def endings_at(space: Space, clocks: Clocks, catalog: Catalog | None = None) -> tuple[Endings, Moment] | None:
    """Return the endings of a user's memories and the moment at which they are judged; None without memories.

    Raises:
        StoreError: if the lake cannot be read.
    """
    index = memory_index(space, catalog)
    if not index.rows.height:
        return None
    at = clocks.as_of or clocks.known_at or datetime.now(UTC)
    received, own = visible(index, until=clocks.known_at), _outside_echoes(space, index)
    counted = own if received is None else received if own is None else received & own
    return Endings(index), Moment(at, counted)


def _outside_echoes(space: Space, index: MemoryIndex) -> np.ndarray | None:
    """Return for each memory whether it is no agent output that repeats retrieved text; None if there is none."""
    store = SnapshotStore(space)
    day = store.newest()
    file = store.manifest(day).get("echoes") if day is not None else None
    if day is None or file is None:
        return None
    if index.kept.get("echoes of") != (day, file.file):
        index.kept["echoes"] = visible(index, echoes=_echoes(space, day, file.file))
        index.kept["echoes of"] = day, file.file
    return index.kept["echoes"]


@lru_cache(maxsize=USERS)
def _echoes(space: Space, day: str, file: str) -> pl.DataFrame:  # noqa: ARG001 - the file is named by its content
    return SnapshotStore(space).read(day, "echoes", columns=["source_id", "start", "end"])
