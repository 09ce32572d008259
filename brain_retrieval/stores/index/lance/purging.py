"""Removal of deleted rows from the files of a LanceDB table.

A deletion only marks rows; their texts stay in the data files, in the text index and in old versions. LanceDB's
compaction writes fragments again without them, and takes them out of the indexes, but only where a tenth of the rows
is deleted; so some rows of a fragment are moved first. Then all files of older versions are removed. If marks are left
even so, every row is written again and the indexes are built again.
"""

import time
import warnings
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from brain_retrieval.errors import StoreError
from brain_retrieval.stores.durable import sync_changes
from brain_retrieval.stores.index.lance import lance_table, versions
from brain_retrieval.stores.locking import writer_lock

if TYPE_CHECKING:
    from brain_retrieval.stores.index.protocol import SearchIndex

KEPT_INDEXES = [name for name in lance_table.INDEXES if name != lance_table.TEXT_INDEX]
TRIES = ROUNDS = 3
ROW_BITS = 32  # of a row's number: its place in its fragment
MOVED = 8
ROWS_AT_ONCE = 4096


@lance_table.reports_damage
def purge(index: "SearchIndex") -> None:
    """Remove what deleted rows left in the files of a table. Contents do not change.

    A reader in the middle of a query may fail and has to ask again.

    Raises:
        StoreError: if an old version of the table could not be removed.
    """
    if not index.exists() or (table := lance_table.open_whole(index)) is None:
        return
    folder = index.space.index / f"{index.name}.lance"
    with writer_lock(index.space):
        for _ in range(ROUNDS):
            began = time.time_ns()
            _settle(table)
            _remove_old(table, folder, began)
            if not (marked := _marked(folder)):
                return
            _move_rows(table, marked)
        began = time.time_ns()
        _write_again(table)
        _remove_old(table, folder, began)


@lance_table.reports_damage
def is_mostly_replaced(index: "SearchIndex", older_than: timedelta) -> bool:
    """Return whether a compaction would free most of the bytes of a table. See `SearchIndex`."""
    if not index.exists() or (table := lance_table.open_whole(index)) is None:
        return False
    return versions.is_mostly_replaced(table, index.space.index / f"{index.name}.lance", older_than)


def _settle(table: Any) -> None:
    """Optimize until nothing changes: what is left to the removal of old files would not be on disk before they go."""
    for _ in range(TRIES):
        version = table.version
        table.optimize(cleanup_older_than=timedelta(days=1))
        if table.version == version:
            return


def _marked(folder: Path) -> set[int]:
    """Return the fragments with rows that are only marked as deleted, once there are no older versions."""
    return {int(path.name.split("-")[0]) for path in (folder / "_deletions").glob("*-*")}


def _move_rows(table: Any, fragments: set[int]) -> None:
    """Move some rows out of fragments, so that the next optimization writes them again: LanceDB does above a tenth."""
    for fragment in sorted(fragments):
        first, end = fragment << ROW_BITS, (fragment + 1) << ROW_BITS
        inside = f"_rowid >= {first} AND _rowid < {end}"
        few = table.count_rows(inside) // MOVED + 1
        rows = table.search().where(inside).select(["id"]).with_row_id(True).limit(few).to_arrow()
        if rows.num_rows:
            last = max(rows["_rowid"].to_pylist())
            table.update(where=f"{inside} AND _rowid <= {last}", values_sql={"id": "id"})


def _remove_old(table: Any, folder: Path, since: int) -> None:
    """Remove every file that the present version of the table does not use.

    Raises:
        StoreError: if an old version is still there.
    """
    sync_changes(folder, since)  # before the files that they replace go
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it warns of readers of old versions, which is accepted
        for _ in range(TRIES):
            table.optimize(cleanup_older_than=timedelta(0), delete_unverified=True)
            if len(table.list_versions()) == 1:
                return
    raise StoreError(f"an old version of the index table {table.name} could not be removed")


def _clean(rows: pa.RecordBatch) -> pa.RecordBatch:
    """Return rows of Python values: in a column that may be null, an overwritten table keeps the bytes of before."""
    columns = [
        column if field.name == "vector" else pa.array(column.to_pylist(), field.type)
        for field, column in zip(rows.schema, rows.columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=rows.schema)


def _write_again(table: Any) -> None:
    language = lance_table.text_language(table) or "en"
    approximate = any("vector" in one.columns for one in table.list_indices())
    rows = table.search().to_batches(ROWS_AT_ONCE)
    table.add(pa.RecordBatchReader.from_batches(table.schema, map(_clean, rows)), mode="overwrite")
    lance_table.index_again(table, KEPT_INDEXES, language)
    lance_table.index_text(table, language)
    if approximate:
        lance_table.train_vector_index(table)
    table.optimize(cleanup_older_than=timedelta(days=1))
