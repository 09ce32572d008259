"""Reads the pinned lake rows of a snapshot, unaffected by what was stored later.

The stages of a snapshot read the same files with different columns, some tables eight times, and most of the time goes
into opening files of a few rows. So a table of little is read whole and kept for the next stages.
"""

import os
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock

import polars as pl
import pyarrow as pa

from brain_pipelines.knowledge.pinned_inputs import PinnedInputs
from brain_pipelines.knowledge.team_sources import EXTRACTED, LENT, PinnedTeam, is_foreign
from brain_retrieval.errors import StoreError
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog, LakeFile
from brain_retrieval.stores.lake import Lake

KEPT_BYTES = 64 << 20  # of the tables in memory, those read last
_MOST_BYTES = 4 << 20  # of the files of one of them, compressed
# The files by the user's lake and the table, with the inode, the time of the last change and the size of each.
_State = tuple[tuple[LakeFile, ...], tuple[tuple[int, int, int], ...]]
_kept: OrderedDict[tuple[str, str], tuple[_State, pa.Table]] = OrderedDict()
_lock = Lock()


@dataclass(frozen=True)
class PinnedReader:
    """Reads the pinned inputs of one snapshot: one user, one day."""

    space: Space
    settings: Settings
    catalog: Catalog
    day: str
    pinned: PinnedInputs

    def read(self, table: str, columns: Sequence[str] | None = None, source: str | None = None) -> pl.DataFrame:
        """Return rows of a lake table; unless a source type is given, with those of teams that the user may read.

        Args:
            table: name of the lake table.
            columns: columns of the table, among them `source` and `source_id`; all if None.
            source: restricts the rows to this source type of the user's own.

        Raises:
            StoreError: if a pinned file was replaced and deleted.
        """
        files = [file for file in self.pinned.by_table.get(table, ()) if source in (None, file.source)]
        rows = self._rows(self.space, self.catalog, table, files, columns)
        if source is not None:
            return rows
        if table in EXTRACTED:
            # Extractions of a team stay in the reader's stores after the reader left the team: they are filtered here.
            mine = set(self.pinned.member_of)
            names = rows["source"].unique().to_list()
            return rows.filter(~pl.col("source").is_in([n for n in names if is_foreign(n, mine, self.settings)]))
        if table not in LENT:
            return rows
        lent = [self._lent(name, team, table, rows.columns) for name, team in sorted(self.pinned.teams.items())]
        return pl.concat([rows, *lent])

    def _lent(self, name: str, team: PinnedTeam, table: str, columns: Sequence[str]) -> pl.DataFrame:
        space = Home(self.space.home).space(name)
        files = [file for file in team.files if file.table == table]
        with Catalog(space) as catalog:
            rows = self._rows(space, catalog, table, files, columns)
        mine = rows.filter(pl.col("source_id").is_in([one.source_id for one in team.wanted]))
        return mine.with_columns(pl.format(f"{name}--{{}}", "source").alias("source"))

    def _rows(
        self, space: Space, catalog: Catalog, table: str, files: Sequence[LakeFile], columns: Sequence[str] | None
    ) -> pl.DataFrame:
        # Compaction moves rows to another file but keeps their digest: such rows are read from their current file.
        current = {file.key: file for file in catalog.lake_files(table)} if files else {}
        where = [now if (now := current.get(f.key, f)).digest == f.digest else f for f in files]
        try:
            return pl.DataFrame(_read(Lake(space, catalog), table, where, columns))
        except FileNotFoundError as error:
            raise self._gone(str(error.filename or error)) from error

    def _gone(self, path: str) -> StoreError:
        again = f"`brain nightly --user {self.space.user} --day {self.day}` starts it again from its first stage"
        return StoreError(f"the snapshot {self.day} reads a lake file that was replaced and is gone ({path}); {again}")


def _read(lake: Lake, table: str, files: Sequence[LakeFile], columns: Sequence[str] | None) -> pa.Table:
    """Return columns of the rows of these files, in order; from memory if they are as they were when they were read."""
    sizes = {file.path: file.bytes for file in files}
    key = (str(lake.space.lake), table)
    found = _state(f"{key[0]}/{path}" for path in sizes) if sizes and sum(sizes.values()) <= _MOST_BYTES else None
    if found is None:
        return lake.read_files(table, files, columns=columns)
    state = tuple(files), found
    with _lock:
        before = _kept.get(key)
    if before is None or before[0] != state:
        before = (state, lake.read_files(table, files).combine_chunks())  # a chunk for each file is slow to work with
    with _lock:
        _kept[key] = before
        _kept.move_to_end(key)
        while sum(rows.nbytes for _, rows in _kept.values()) > KEPT_BYTES:
            _kept.popitem(last=False)
    return before[1] if columns is None else before[1].select(list(columns))


def _state(paths: Iterable[str]) -> tuple[tuple[int, int, int], ...] | None:
    """Return the inode, the time of the last change and the size of each file; None if one is missing."""
    try:
        return tuple((found.st_ino, found.st_mtime_ns, found.st_size) for found in map(os.stat, paths))
    except FileNotFoundError:
        return None
