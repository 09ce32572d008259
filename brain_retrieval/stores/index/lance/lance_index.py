"""A `SearchIndex` in one LanceDB table: vectors, full text and filters of one user for one embedding model.

Creating and training the table is in `lance_table.py`, filters as SQL in `where.py`.
"""

import os
import time
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from brain_retrieval.errors import StoreError
from brain_retrieval.home import Space
from brain_retrieval.schemas.embedded import KnownVector
from brain_retrieval.schemas.names import WORD_CODES
from brain_retrieval.schemas.tables import index_schema
from brain_retrieval.stores.durable import move_aside, sync_changes
from brain_retrieval.stores.index.filters import EVERYTHING, IndexFilter, Stretch
from brain_retrieval.stores.index.found import Found, FoundInMemory, by_score
from brain_retrieval.stores.index.index_rows import (
    clean_query,
    completed,
    cosines,
    index_digest,
    index_rows,
    unit_query,
    vector_matrix,
)
from brain_retrieval.stores.index.lance import lance_table, purging, scanning, versions
from brain_retrieval.stores.index.lance.memory import Memory
from brain_retrieval.stores.index.lance.resident import Resident
from brain_retrieval.stores.index.lance.where import where_fetched, where_of
from brain_retrieval.stores.lake_rows import Rows
from brain_retrieval.stores.locking import writer_lock

EXACT_ROWS = 50_000  # up to here an exact scan takes < 100 ms and recalls everything
FEW_ROWS = 2_000  # within a filter: reading them takes a tenth of LanceDB's exact search among them
# Above EXACT_ROWS the approximate index names candidates, of which at least this many are compared exactly. Recall@10
# at 100k rows: 1.00 for clustered vectors, 0.89 for uniform ones (0.67 with 200 candidates), 12 ms against 55 exact.
PROBES, REFINE, CANDIDATES = 40, 5, 1_000


class LanceIndex:
    """A `SearchIndex` in LanceDB. `language` (ISO 639-1) decides on stemming and stop words.

    A write in another language rebuilds the text index; None keeps the existing one.

    >>> index = LanceIndex(space, model="minilm-int8", dim=384)  # doctest: +SKIP
    >>> index.search_vectors(vector, within=IndexFilter(sources=["note"]), limit=9, columns=["id"])  # doctest: +SKIP
    """

    store = "lancedb"

    def __init__(self, space: Space, *, model: str, dim: int, language: str | None = None) -> None:
        self.space = space
        self.model, self.dim = model, dim
        self.name = lance_table.table_name(model, dim)
        self.schema = index_schema(dim)
        self._language = language
        self._table: Any = None
        self._coded = False  # whether the table is known to have the column of word codes
        self._memory = Memory()

    def exists(self) -> bool:
        """Return whether the table is there, without creating it."""
        return os.path.isdir(self._folder)  # noqa: PTH112 — asked several times in each search

    @cached_property
    def _folder(self) -> Path:
        return self.space.index / f"{self.name}.lance"

    @lance_table.reports_damage
    def check(self) -> None:
        """Raise DamagedIndexError if the table is there and cannot be searched."""
        if not self._folder.exists():
            return
        if (table := self._open()) is None:
            raise lance_table.damaged(self, "there is no table in its directory")
        lance_table.check(self, table)

    def move_aside(self, to: Path) -> None:
        """Move the table's files to the directory `to`; the next write begins with an empty table."""
        with writer_lock(self.space):
            self._table = None
            self._memory.clear()
            move_aside(self._folder, to)
            lance_table.suspect(self).unlink(missing_ok=True)

    @lance_table.reports_damage
    def replace(self, source: str, days: Sequence[str], rows: Rows) -> None:
        """Replace a span in one commit. See `SearchIndex.replace`."""
        batch = index_rows(rows, self.schema, source, days)
        if not days or (not batch.num_rows and not self.exists()):
            return
        with writer_lock(self.space):
            began = time.time_ns()
            table = lance_table.create(self._connection, self.name, self.schema, self._language)
            before = versions.last_change(self._folder)
            lance_table.replace_rows(table, where_of(_span(source, days)) or "true", batch)
            if lance_table.text_tail(table) >= lance_table.allowed_tail(table.count_rows()):
                table.optimize(cleanup_older_than=versions.grace(table, self._folder, before=before))
            sync_changes(self._folder, began)

    @lance_table.reports_damage
    def search_vectors(
        self,
        vector: np.ndarray | Sequence[float],
        *,
        within: IndexFilter = EVERYTHING,
        limit: int,
        columns: Sequence[str],
    ) -> Found:
        """Return the rows nearest by cosine. Exact while no more than 50,000 lie in `within`. See `SearchIndex`."""
        query = unit_query(vector, self.dim)
        if limit < 1 or (table := self._open()) is None:
            return Found.nothing(self.schema, columns)
        if (kept := self._memory.searched(table, self._folder)) is not None and kept.has(columns):
            return kept.nearest(query, within, limit, columns)
        where = where_of(within)
        needed = self._stored(table, [*columns, "id", "vector"])
        inside = 0 if within.has_at_most(FEW_ROWS) else table.count_rows(where)  # counting is a scan
        if where and inside <= FEW_ROWS:
            found = table.search().where(where).select(needed).to_arrow()
        else:
            search = table.search(query, vector_column_name="vector").distance_type("cosine")
            search = search.where(where, prefilter=True) if where else search
            if inside <= EXACT_ROWS:
                search = search.bypass_vector_index()
            else:
                search = search.nprobes(PROBES).refine_factor(max(REFINE, CANDIDATES // limit))
            found = search.select([*needed, "_distance"]).limit(limit).to_arrow()
        scores = cosines(vector_matrix(found.column("vector")), query)
        order = np.lexsort((np.array(found.column("id").to_pylist(), dtype=np.str_), -scores))[:limit]
        return Found(completed(found, self.schema, columns).take(pa.array(order)), scores[order])

    @lance_table.reports_damage
    def search_text(self, query: str, *, within: IndexFilter = EVERYTHING, limit: int, columns: Sequence[str]) -> Found:
        """Return rows by BM25 of `search_text`. See `SearchIndex`.

        Raises:
            StoreError: if the text index is missing.
        """
        words = clean_query(query)
        if limit < 1 or not words or (table := self._open()) is None:
            return Found.nothing(self.schema, columns)
        where = where_of(within)
        kept = self._current(columns)
        try:
            if kept is not None:
                found = lance_table.matches(table, words, where, limit, ["_rowid"])
                places = kept.numbered(found.column("_rowid").to_numpy())
                if self._current(columns) is kept and (places >= 0).all():
                    order, scores = by_score(found.column("_score"), kept.ids[places])
                    return FoundInMemory(kept, places[order], columns, scores)
            # Not in memory, or a write came between: the rows have to be those of one commit.
            found = lance_table.matches(table, words, where, limit, self._stored(table, [*columns, "id"]))
        except (ValueError, RuntimeError) as error:
            if "INVERTED index" not in str(error):
                raise
            if not table.count_rows():  # a first writer is between creating the table and its text index
                return Found.nothing(self.schema, columns)
            raise StoreError("the text index is missing; re-run any embeddings partition of this user") from error
        order, scores = by_score(found.column("_score"), np.array(found.column("id").to_pylist(), dtype=np.str_))
        return Found(completed(found, self.schema, columns).take(pa.array(order)), scores)

    def known_vectors(self, source: str, days: Sequence[str]) -> dict[str, KnownVector]:
        """Return what is stored for the span by id; {} if nothing is."""
        found = self.read(_span(source, days), ["id", "search_text", "vector", WORD_CODES])
        ids, texts, codes = (found.column(name).to_pylist() for name in ("id", "search_text", WORD_CODES))
        known = map(KnownVector, texts, vector_matrix(found.column("vector")), codes)
        return dict(zip(ids, known, strict=True))

    def counts(self, source: str, days: Sequence[str]) -> dict[str, int]:
        """Return day -> number of rows, for the days that have any."""
        return dict(Counter(self.read(_span(source, days), ["day"]).column("day").to_pylist()))

    @lance_table.reports_damage
    def count(self, within: IndexFilter = EVERYTHING) -> int:
        """Return how many rows lie in `within`."""
        table = self._open()
        return table.count_rows(where_of(within)) if table is not None else 0

    @lance_table.reports_damage
    def read(self, within: IndexFilter = EVERYTHING, columns: Sequence[str] | None = None) -> pa.Table:
        """Return the rows of `within` ordered by id."""
        names = list(columns) if columns is not None else self.schema.names
        if (kept := self._current(names)) is not None:
            return self._typed(kept.read(within, names))
        return self._rows(where_of(within), columns)

    @lance_table.reports_damage
    def fetch(
        self,
        ids: Collection[str],
        *,
        stretches: Iterable[Stretch] = (),
        within: IndexFilter = EVERYTHING,
        columns: Sequence[str] | None = None,
    ) -> pa.Table:
        """Return the rows of `ids` and of `stretches` that lie in `within`, ordered by id."""
        names = list(columns) if columns is not None else self.schema.names
        if (kept := self._current(names)) is not None:
            return self._typed(kept.fetch(ids, stretches, within, names))
        return self._rows(where_fetched(ids, stretches, within), columns)

    @lance_table.reports_damage
    def unindexed(self) -> int:
        """Return how many rows the text index does not hold yet. See `SearchIndex`."""
        table = self._open()
        return lance_table.text_tail(table) if table is not None else 0

    @lance_table.reports_damage
    def version(self) -> int:
        """Return the number of the newest commit; 0 without a table."""
        table = self._open()
        return table.version if table is not None else 0

    def digest(self) -> str:
        """Return a digest over all rows, vectors included, whatever the layout; "" without rows."""
        return index_digest(self.read())

    @lance_table.reports_damage
    def compact(self, *, keep: timedelta = timedelta(hours=1), train: bool = True) -> None:
        """Merge small files and index tails. Above 50,000 rows an approximate vector index is built (`train`)."""
        if (table := self._open()) is not None:
            with writer_lock(self.space):
                began = time.time_ns()
                if train and table.count_rows() > EXACT_ROWS:
                    lance_table.train_vector_index(table)
                table.optimize(cleanup_older_than=max(keep, versions.READER_GRACE))
                sync_changes(self._folder, began)  # before the files that it replaces are removed
                if keep < versions.READER_GRACE:
                    table.optimize(cleanup_older_than=keep)

    @lance_table.reports_damage
    def use_language(self, language: str) -> bool:
        """Make `language` (ISO 639-1) that of the full text; return whether the text index had to be made again."""
        if (table := self._open()) is None or lance_table.text_language(table) == language:
            return False
        with writer_lock(self.space):
            lance_table.index_text(table, language)
        return True

    batches, purge = scanning.batches, purging.purge
    is_mostly_replaced = purging.is_mostly_replaced

    def drop(self) -> None:
        """Remove the table with all its versions."""
        if self.exists():
            with writer_lock(self.space):
                self._table = None
                self._memory.clear()
                self._connection.drop_table(self.name, ignore_missing=True)

    @lance_table.reports_damage
    def _rows(self, where: str | None, columns: Sequence[str] | None) -> pa.Table:
        names = list(columns) if columns is not None else self.schema.names
        schema = pa.schema([self.schema.field(name) for name in names])
        if (table := self._open()) is None:
            return schema.empty_table()
        search = table.search().select(self._stored(table, [*names, "id"]))
        found = (search.where(where) if where else search).to_arrow().sort_by("id")
        return completed(found, self.schema, names).cast(schema)

    def _stored(self, table: Any, names: Sequence[str]) -> list[str]:
        """Return the distinct names without the column that a table lacks until it is written to again."""
        self._coded = self._coded or WORD_CODES in table.schema.names
        return [name for name in dict.fromkeys(names) if self._coded or name != WORD_CODES]

    def _typed(self, rows: pa.Table) -> pa.Table:
        """Return rows with the types of the schema; casting costs time even where nothing changes."""
        wanted = pa.schema([self.schema.field(name) for name in rows.column_names])
        return rows if rows.schema == wanted else rows.cast(wanted)

    def _current(self, columns: Sequence[str]) -> Resident | None:
        """Return the rows in memory if they are those of the newest commit and have these columns."""
        table = self._open()
        kept = self._memory.current(table, self._folder) if table is not None else None
        return kept if kept is not None and kept.has(columns) else None

    @cached_property
    def _connection(self) -> Any:
        return lance_table.connect(self.space.index)

    def _open(self) -> Any:
        if not self.exists():  # never written, or dropped after a switch of models
            self._table = None
        elif self._table is None:
            self._table = lance_table.open_whole(self)
        return self._table


def _span(source: str, days: Sequence[str]) -> IndexFilter:
    return IndexFilter(sources=[source], days=days)
