"""Compaction of the lake (one file per closed month instead of one per day) and garbage collection of old files.

Contents and digests do not change. `maintenance.py` calls both.
"""

import time
from collections import defaultdict
from collections.abc import Iterable
from datetime import timedelta

import pyarrow as pa
import pyarrow.parquet as pq

from brain_retrieval.stores.catalog import LakeFile
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.lake_files import files, read_file, remove, remove_empty_folders, write_file
from brain_retrieval.stores.lake_rows import schema_of
from brain_retrieval.stores.locking import writer_lock

# Upper bound of the time between a reader's catalog lookup and the end of its reads.
READER_GRACE = timedelta(hours=1)

Month = tuple[str, str, str]  # table, source, YYYY-MM


def compact(lake: Lake, before_month: str) -> int:
    """Rewrite each (table, source, month) before `before_month` (YYYY-MM) as one file; return how many were written.

    Months that are already one file without replaced rows are skipped.
    """
    written = 0
    for (table, source, month), members in _months(lake.catalog.lake_files(before_day=f"{before_month}-01")).items():
        if not _wants_compaction(lake, members):
            continue
        # Lock per month, so that a run waits for at most one rewrite.
        with writer_lock(lake.space):
            days = [file.day for file in members]
            current = lake.catalog.lake_files(table, source=source, days=days)
            if current:
                lake.catalog.swap_lake_files(_rewrite(lake, (table, source, month), current), [], now=time.time())
                written += 1
    return written


def rewrite_replaced(lake: Lake) -> int:
    """Rewrite every month file that also holds rows of days replaced since; return how many were written."""
    written = 0
    for (table, source, month), members in _months(lake.catalog.lake_files()).items():
        with writer_lock(lake.space):
            days = [file.day for file in members]
            current = lake.catalog.lake_files(table, source=source, days=days)
            if any(_holds_replaced(lake, path, current) for path in {file.path for file in current}):
                lake.catalog.swap_lake_files(_rewrite(lake, (table, source, month), current), [], now=time.time())
                written += 1
    return written


def collect_garbage(lake: Lake, older_than: timedelta = READER_GRACE, *, now: float | None = None) -> int:
    """Delete files that left the catalog `older_than` ago, orphans of killed writers and, not counted, empty folders.

    Return how many files were deleted.

    Args:
        older_than: below an hour, slow readers may have to look up their paths again.
        now: POSIX seconds, for tests.
    """
    limit = (time.time() if now is None else now) - older_than.total_seconds()
    with writer_lock(lake.space):  # no write is in progress, so a file that is not in the catalog is an orphan
        dead = lake.catalog.dead_paths(limit)
        known = lake.catalog.known_paths()
        orphans = [path for path, changed in files(lake.space.lake) if path not in known and changed <= limit]
        # The swap must have reached the disk before the old file goes, or a power cut could bring the old row back.
        lake.catalog.checkpoint()
        removed = sum(remove(lake.space.lake, path) for path in [*dead, *orphans])
        lake.catalog.drop_dead(dead)
        remove_empty_folders(lake.space.lake)
    return removed


def _months(current: Iterable[LakeFile]) -> dict[Month, list[LakeFile]]:
    months: dict[Month, list[LakeFile]] = defaultdict(list)
    for file in current:
        months[file.table, file.source, file.day[:7]].append(file)
    return months


def _wants_compaction(lake: Lake, members: list[LakeFile]) -> bool:
    paths = {file.path for file in members}
    if len(paths) > 1:
        return True
    # Rows of a day that was emptied since are still in the file of its month.
    stored = pq.read_metadata(lake.space.lake / members[0].path).num_rows
    return stored > sum(file.rows for file in members)


def _holds_replaced(lake: Lake, path: str, current: list[LakeFile]) -> bool:
    if "/month-" not in path:
        return False
    return pq.read_metadata(lake.space.lake / path).num_rows > sum(file.rows for file in current if file.path == path)


def _rewrite(lake: Lake, key: Month, current: list[LakeFile]) -> list[LakeFile]:
    table, source, month = key
    schema = schema_of(table)
    parts = [read_file(lake.space.lake, file.path, schema, [file.day], file.rows) for file in current]
    path = write_file(lake.space.lake, f"{table}/{source}/{month}", "month", pa.concat_tables(parts))
    size = (lake.space.lake / path).stat().st_size
    return [LakeFile(f.table, f.source, f.day, path, f.rows, size, f.digest) for f in current]
