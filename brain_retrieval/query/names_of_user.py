"""The names that a user's stores know, for query analysis: entities and aliases, and speakers of the sources.

Entities are those of the newest snapshot; before the first one, the extracted entities of all sources. The names are
read again when the snapshot or the files of the tables have changed.
"""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from brain_retrieval.home import Space
from brain_retrieval.knowledge.live_entities import live_names
from brain_retrieval.language.folding import fold
from brain_retrieval.query.analysis import Known, NameIndex
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake_cache import Change, LakeCache
from brain_retrieval.stores.snapshots import SnapshotStore

MOST_NAMES = 100_000  # of the most mentioned; more would slow the start
_TABLES = ("entity_names", "known_entities")  # of a snapshot; their files are named by their content
_NAME_COLUMNS = ["entity_id", "display", "source_count"]


class NamesOfUser:
    """The names of one user, cached. Thread-safe."""

    def __init__(self, space: Space, catalog: Catalog) -> None:
        self._space, self._catalog = space, catalog
        self._lock = threading.Lock()
        self._version: tuple[object, object, pl.DataFrame | None] = (None, None, None)
        self._names = NameIndex(())

    def speakers(self) -> tuple[str, ...]:
        """Return who speaks in the sources or wrote them, as written there.

        Raises:
            StoreError: if the lake cannot be read.
        """
        return _SPEAKERS.of(self._space, self._catalog).names

    def index(self) -> NameIndex:
        """Return the names as they are now.

        Raises:
            StoreError: if a store cannot be read.
        """
        store = SnapshotStore(self._space)
        day = store.newest()
        speakers = self.speakers()
        files = {name: one.file for name, one in store.manifest(day).items() if name in _TABLES} if day else None
        found = None if day else live_names(self._space, self._catalog)
        with self._lock:
            kept, said, frame = self._version
            if (day, files) != kept or speakers != said or found is not frame:
                named = _of_snapshot(store, day) if day else _of_sources(self._space)
                spoken = ((speaker, Known("", speaker, "", speaker=speaker)) for speaker in speakers)
                self._names = NameIndex([*named, *spoken])
                self._version = (day, files), speakers, found
            return self._names


@dataclass(frozen=True)
class _Speakers:
    """The distinct speakers of each source type and day, and their names, which are compared in each search."""

    rows: pl.DataFrame

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(sorted(set(self.rows["speaker"].to_list())))


def _speakers(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the distinct speakers of each source type and day from rows of CHUNKS."""
    return rows.explode("speakers").drop_nulls("speakers").rename({"speakers": "speaker"}).unique()


_SPEAKERS = LakeCache(
    "chunks",
    lambda rows: _Speakers(_speakers(rows)),
    most_rows=5_000_000,  # of chunks, of which few have a speaker that another one of their day has not
    columns=["source", "day", "speakers"],
    renew=lambda known, change: _Speakers(Change(change.days, _speakers(change.rows)).applied(known.rows)),
)


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
