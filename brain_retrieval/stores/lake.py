"""The lake: one immutable Parquet file per (table, source, day), found through the catalog and never by a glob.

Overwriting a file that others read tears their reads, so a replacement is a new file and a swapped catalog row.
Compaction and garbage collection are in `lake_compaction.py`, SQL in `lake_query.py`.
"""

import time
from collections.abc import Mapping, Sequence
from itertools import groupby

import pyarrow as pa

from brain_retrieval.errors import StoreError
from brain_retrieval.home import Space
from brain_retrieval.stores.catalog import Catalog, Key, LakeFile
from brain_retrieval.stores.lake_files import has_checksum, is_intact, read_file, rerun_hint, write_file
from brain_retrieval.stores.lake_rows import Rows, canonical, check_key, digest_of, row_lines, schema_of, to_table
from brain_retrieval.stores.locking import writer_lock

READ_TRIES = 5
EMPTY = ""  # digest of a partition without rows; it has no catalog row


class Lake:
    """The lake tables of one user.

    >>> Lake(space, catalog).replace("chunks", "note", "2026-01-05", rows)  # doctest: +SKIP
    """

    def __init__(self, space: Space, catalog: Catalog) -> None:
        self.space = space
        self.catalog = catalog
        self._root = str(space.lake)

    def replace(self, table: str, source: str, day: str, rows: Rows) -> str:
        """Replace the content of (table, source, day) by `rows`; return its digest, "" for no rows."""
        return self.replace_many(table, source, {day: rows})[day]

    def replace_many(self, table: str, source: str, days: Mapping[str, Rows]) -> dict[str, str]:
        """Replace the content of several days in one catalog transaction; return day -> digest.

        A day with unchanged content gets no new file. Readers see either all old or all new days.

        Raises:
            ValueError: if rows do not fit the schema of the table, or the key they are filed under.
        """
        ready = {day: self._prepare(table, source, day, rows) for day, rows in days.items()}
        with writer_lock(self.space):
            now = {f.day: f for f in self.catalog.lake_files(table, source=source, days=list(ready))}
            fresh, removed = [], []
            for day, (rows, digest) in ready.items():
                if not rows.num_rows:
                    removed += [(table, source, day)] if day in now else []
                elif day not in now or not self._holds(now[day], digest):
                    fresh.append(self._write(table, source, day, rows, digest))
            if fresh or removed:
                self.catalog.swap_lake_files(fresh, removed, now=time.time())
        return {day: digest for day, (_, digest) in ready.items()}

    def read(
        self,
        table: str,
        *,
        source: str | None = None,
        days: Sequence[str] | None = None,
        columns: Sequence[str] | None = None,
    ) -> pa.Table:
        """Return rows ordered by source, day and first column; an empty table of the schema if there are none.

        Raises:
            StoreError: if a file is missing or damaged; the message names the partitions to re-run.
        """
        wanted = _wanted(table, columns)
        parts = self._read_parts(table, source, days, wanted)
        return pa.concat_tables(parts) if parts else wanted.empty_table()

    def read_files(self, table: str, files: Sequence[LakeFile], *, columns: Sequence[str] | None = None) -> pa.Table:
        """Return the rows of these files of a table, in order; the files may have been replaced since.

        Raises:
            FileNotFoundError: if one was garbage-collected.
            StoreError: if one is damaged, or current and missing.
        """
        wanted = _wanted(table, columns)
        try:
            parts = [self._read_run(list(run), wanted) for _, run in groupby(files, key=lambda f: f.path)]
        except FileNotFoundError as error:
            gone = next((f for f in files if not (self.space.lake / f.path).is_file()), None)
            if gone is not None and gone in self.catalog.lake_files(table, source=gone.source, days=[gone.day]):
                raise StoreError(f"a lake file is missing: {gone.path}; {rerun_hint(gone.path)}") from error
            raise
        return pa.concat_tables(parts) if parts else wanted.empty_table()

    def digest(self, table: str | None = None) -> dict[Key, str]:
        """Return (table, source, day) -> content digest from the catalog, ordered by key."""
        return {file.key: file.digest for file in self.catalog.lake_files(table)}

    def lost(self, table: str, source: str, days: Sequence[str]) -> set[str]:
        """Return those of `days` that have no current file, or one that is not on disk."""
        current = self.catalog.lake_files(table, source=source, days=days)
        return set(days) - {file.day for file in current if (self.space.lake / file.path).is_file()}

    def verify(self, table: str | None = None) -> dict[Key, str]:
        """Check every file against its digest; return (table, source, day) -> error message, {} if all is well."""
        found = {file.key: self.verify_file(file) for file in self.catalog.lake_files(table)}
        return {key: wrong for key, wrong in found.items() if wrong}

    def verify_file(self, file: LakeFile) -> str:
        """Return how the rows of a current file differ from its digest, "" if they do not."""
        try:
            rows = self.read(file.table, source=file.source, days=[file.day])
        except StoreError as error:
            return str(error)
        same = digest_of(rows.schema.names, row_lines(rows)) == file.digest
        return "" if same else f"content differs from its digest; {rerun_hint(file.path)}"

    def _prepare(self, table: str, source: str, day: str, rows: Rows) -> tuple[pa.Table, str]:
        checked = to_table(rows, schema_of(table))
        check_key(checked, source, [day])
        return canonical(checked) if checked.num_rows else (checked, EMPTY)

    def _holds(self, file: LakeFile, digest: str) -> bool:
        # A missing or damaged file is rewritten even if the digest is unchanged, so that a re-run repairs the lake.
        if file.digest != digest or not self.is_intact(file):
            return False
        return has_checksum(file.path) or not self.verify_file(file)

    def is_intact(self, file: LakeFile) -> bool:
        """Return whether the bytes of a current file are as they were written."""
        return is_intact(self._root, file.path)

    def _write(self, table: str, source: str, day: str, rows: pa.Table, digest: str) -> LakeFile:
        path = write_file(self.space.lake, f"{table}/{source}/{day}", "day", rows)
        size = (self.space.lake / path).stat().st_size
        return LakeFile(table, source, day, path, rows.num_rows, size, digest)

    def _read_parts(
        self, table: str, source: str | None, days: Sequence[str] | None, wanted: pa.Schema
    ) -> list[pa.Table]:
        for last in range(READ_TRIES):
            current = self.catalog.lake_files(table, source=source, days=days)
            try:
                return [self._read_run(list(run), wanted) for _, run in groupby(current, key=lambda f: f.path)]
            except FileNotFoundError as error:
                # Garbage-collected after this reader listed the files: list again. List unchanged: the file is lost.
                if self.catalog.lake_files(table, source=source, days=days) == current or last == READ_TRIES - 1:
                    path = str(error.filename or error).split(f"{self.space.lake}/")[-1]
                    raise StoreError(f"a lake file is missing: {path}; {rerun_hint(path)}") from error
        raise AssertionError("unreachable")

    def _read_run(self, run: list[LakeFile], wanted: pa.Schema) -> pa.Table:
        path = run[0].path
        # A month file also holds days that were replaced since, so only the days that point at it count.
        days = [file.day for file in run] if "/month-" in path else None
        return read_file(self.space.lake, path, wanted, days, sum(file.rows for file in run))


def _wanted(table: str, columns: Sequence[str] | None) -> pa.Schema:
    schema = schema_of(table)
    return pa.schema([schema.field(name) for name in columns]) if columns is not None else schema
