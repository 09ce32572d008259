"""Removal of deleted rows from the files of a LanceDB table.

A deletion only marks rows; their texts stay in the data files, in the text index and in old versions. Here every
remaining row is written again in one commit, the indexes are built again, and all other files are removed.

Rows are built from Python values: in a column that may be null, LanceDB keeps the bytes that were there before.
"""

import time
import warnings
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from brain_retrieval.errors import StoreError
from brain_retrieval.stores.durable import sync_changes
from brain_retrieval.stores.index.lance import lance_table
from brain_retrieval.stores.locking import writer_lock

if TYPE_CHECKING:
    from brain_retrieval.stores.index.protocol import SearchIndex

KEPT_INDEXES = [name for name in lance_table.INDEXES if name != lance_table.TEXT_INDEX]
TRIES = 3
ROWS_AT_ONCE = 4096


@lance_table.reports_damage
def purge(index: "SearchIndex") -> None:
    """Write all rows of a table again and remove every other file of it. Contents do not change.

    A reader in the middle of a query may fail and has to ask again; text searches fail until the text index is built.

    Raises:
        StoreError: if an old version of the table could not be removed.
    """
    if not index.exists() or (table := lance_table.open_whole(index)) is None:
        return
    with writer_lock(index.space):
        began = time.time_ns()
        _write_again(table)
        sync_changes(index.space.index / f"{index.name}.lance", began)  # before the files that they replace go
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # it warns of readers of old versions, which is accepted
            for _ in range(TRIES):
                table.optimize(cleanup_older_than=timedelta(0), delete_unverified=True)
                if len(table.list_versions()) == 1:
                    return
    raise StoreError(f"an old version of the index table {index.name} could not be removed")


def _clean(rows: pa.RecordBatch) -> pa.RecordBatch:
    """Return rows without bytes that no value refers to."""
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
