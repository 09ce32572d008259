"""Reading of a whole LanceDB table block by block, in memory that does not grow with the table."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from brain_retrieval.stores.index.lance import lance_table

if TYPE_CHECKING:
    from brain_retrieval.stores.index.protocol import SearchIndex

ROWS_AT_ONCE = 4096


def batches(index: "SearchIndex", columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a table as they lie there. See `SearchIndex`."""
    reader = _open(index, columns)
    while (rows := _next(index, reader)) is not None:
        yield rows


@lance_table.reports_damage
def _open(index: "SearchIndex", columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    if not index.exists() or (table := lance_table.open_whole(index)) is None:
        return iter(())
    stored = [name for name in columns if name in table.schema.names]  # a column may be newer than the table
    return iter(table.search().select(stored).to_batches(ROWS_AT_ONCE))


@lance_table.reports_damage
def _next(_index: "SearchIndex", reader: Iterator[pa.RecordBatch]) -> pa.RecordBatch | None:
    return next(reader, None)
