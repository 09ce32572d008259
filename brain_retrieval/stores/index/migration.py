"""The active index of a user, and migration to another: build beside, swap when complete, drop later.

An index belongs to one embedding model and one store, so vectors of two models are never compared, and a change of
either in the settings takes effect when the new index holds everything. The catalog remembers which one is active.
"""

import time
from collections import defaultdict
from datetime import timedelta

from brain_retrieval.home import Space
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.build import open_index
from brain_retrieval.stores.index.protocol import SearchIndex
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.locking import writer_lock

ACTIVE = "active_index"
RETIRED = "retired_index:"
DEFAULT_STORE = "lancedb"  # is not named in what the catalog remembers
READER_GRACE = timedelta(hours=1)

Partition = tuple[str, str]  # source, day


def active_index(space: Space, catalog: Catalog) -> SearchIndex | None:
    """Return the index that searches use, or None before the first write."""
    value = catalog.get_meta(ACTIVE)
    return _parse(space, value) if value else None


def after_write(space: Space, catalog: Catalog, lake: Lake, index: SearchIndex) -> bool:
    """Make `index` the active one if it is the first, or if it now holds all that the lake has.

    Call it after each write to an index. Until a rebuilt index is complete, searches go on in the old one.

    Returns:
        whether `index` is active now.
    """
    with writer_lock(space):
        active = catalog.get_meta(ACTIVE)
        if active == _value(index):
            return True
        # If a model is used again before its retired table was dropped, the table is no longer retired.
        catalog.set_meta(RETIRED + _value(index), None)
        if active is not None and missing(lake, index):
            return False
        _swap(catalog, lake, index, old=active)
        return True


def missing(lake: Lake, index: SearchIndex) -> set[Partition]:
    """Return the (source, day) whose chunk ids differ between lake and `index`; all, if the index has fewer rows."""
    files = {(file.source, file.day): file.rows for file in lake.catalog.lake_files("chunks")}
    if index.count() < sum(files.values()):  # cheap, and true for nearly every write of a rebuild
        return set(files)
    expected = _ids(lake.read("chunks", columns=["source", "day", "chunk_id"]).rename_columns(["source", "day", "id"]))
    found = _ids(index.read(columns=["source", "day", "id"]))
    return {key for key, ids in expected.items() if found.get(key) != ids}


def drop_retired(space: Space, catalog: Catalog, *, older_than: timedelta = READER_GRACE) -> int:
    """Drop the tables that no search has used for `older_than`; return how many.

    A reader that looked up the active index just before a swap still finds its table.
    """
    limit = time.time() - older_than.total_seconds()
    dropped = 0
    with writer_lock(space):
        for key, since in catalog.meta(RETIRED).items():
            if float(since) <= limit:
                _parse(space, key.removeprefix(RETIRED)).drop()
                catalog.set_meta(key, None)
                dropped += 1
    return dropped


def _swap(catalog: Catalog, lake: Lake, index: SearchIndex, old: str | None) -> None:
    present = {(file.source, file.day) for file in lake.catalog.lake_files("chunks")}
    if old is not None:
        _clear_strays(index, present)
    changes: dict[str, str | None] = {ACTIVE: _value(index)}
    if old is not None:
        changes[RETIRED + old] = repr(time.time())
    catalog.set_metas(changes)


def _clear_strays(index: SearchIndex, present: set[Partition]) -> None:
    # Partitions that lost all their chunks while the table was retired.
    strays: dict[str, list[str]] = defaultdict(list)
    for source, day in sorted(set(_ids(index.read(columns=["source", "day", "id"]))) - present):
        strays[source].append(day)
    for source, days in strays.items():
        index.replace(source, days, [])


def _ids(rows: object) -> dict[Partition, set[str]]:
    found: dict[Partition, set[str]] = defaultdict(set)
    for row in rows.to_pylist():  # pyright: ignore[reportAttributeAccessIssue]
        found[row["source"], row["day"]].add(row["id"])
    return found


def _value(index: SearchIndex) -> str:
    value = f"{index.model}|{index.dim}"
    return value if index.store == DEFAULT_STORE else f"{value}|{index.store}"


def _parse(space: Space, value: str) -> SearchIndex:
    rest, _, last = value.rpartition("|")
    if last.isdigit():  # MODEL|DIM, else MODEL|DIM|STORE
        return open_index(space, DEFAULT_STORE, model=rest, dim=int(last))
    model, _, dim = rest.rpartition("|")
    return open_index(space, last, model=model, dim=int(dim))
