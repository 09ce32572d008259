"""The names that a user's stores know, for query analysis: entities and aliases, and speakers of the sources.

Entities are those of the newest snapshot; before the first one, the extracted entities of all sources. The names are
read again when the snapshot or the files of the tables have changed.
"""

import threading
from collections.abc import Iterator

import polars as pl

from brain_retrieval.home import Space
from brain_retrieval.knowledge.live_entities import live_names
from brain_retrieval.language.folding import fold
from brain_retrieval.query.analysis import Known, NameIndex
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.snapshots import SnapshotStore

MOST_NAMES = 100_000  # of the most mentioned; more would slow the start
_NAME_COLUMNS = ["entity_id", "display", "source_count"]


class NamesOfUser:
    """The names of one user, cached. Thread-safe."""

    def __init__(self, space: Space, catalog: Catalog) -> None:
        self._space, self._catalog = space, catalog
        self._lock = threading.Lock()
        self._version: object = None
        self._names = NameIndex(())

    def index(self) -> NameIndex:
        """Return the names as they are now.

        Raises:
            StoreError: if a store cannot be read.
        """
        store = SnapshotStore(self._space)
        day = store.newest()
        tables = ("chunks",) if day else ("chunks", "entities")
        files = tuple(file.digest for table in tables for file in self._catalog.lake_files(table))
        version = (day, hash(files))
        with self._lock:
            if version != self._version:
                named = _of_snapshot(store, day) if day else _of_sources(self._space)
                self._names = NameIndex([*named, *_speakers(Lake(self._space, self._catalog))])
                self._version = version
            return self._names


def _of_snapshot(store: SnapshotStore, day: str) -> Iterator[tuple[str, Known]]:
    names = store.read(day, "entity_names", columns=_NAME_COLUMNS)
    entities = store.read(day, "known_entities", columns=["entity_id", "name", "type", "aliases"])
    names = names.sort("source_count", "entity_id", descending=[True, False]).head(MOST_NAMES)
    canonical = {row["entity_id"]: row for row in entities.iter_rows(named=True)}
    for row in names.iter_rows(named=True):
        if (entity := canonical.get(row["entity_id"])) is not None:
            yield row["display"], _known(row["entity_id"], entity["name"], entity["type"], row["display"])
    for entity in entities.iter_rows(named=True):
        for alias in entity["aliases"] or ():
            yield alias, _known(entity["entity_id"], entity["name"], entity["type"], alias)


def _known(entity_id: str, canonical: str, kind: str, called: str) -> Known:
    if fold(canonical) == fold(called):
        return Known(entity_id, canonical, kind)
    return Known(entity_id, canonical, kind, "alias", 0.9)


def _of_sources(space: Space) -> Iterator[tuple[str, Known]]:
    """Yield one entity for each name, under the id that `live_entity` gives it."""
    names = live_names(space).sort("entity_id")
    grouped = names.group_by("form", maintain_order=True).agg(
        pl.col("entity_id").first(), pl.col("name").first(), pl.col("type").mode().sort().first(), pl.len()
    )
    for row in grouped.sort("len", descending=True).head(MOST_NAMES).iter_rows(named=True):
        yield row["form"], _known(row["entity_id"], row["name"], row["type"], row["form"])


def _speakers(lake: Lake) -> Iterator[tuple[str, Known]]:
    rows = pl.DataFrame(pl.from_arrow(lake.read("chunks", columns=["speakers"])))
    for speaker in rows["speakers"].explode().drop_nulls().unique().sort():
        yield speaker, Known("", speaker, "", speaker=speaker)
