"""`Resident`: all rows of a small index table in memory, at one state of the table.

LanceDB takes 4–6 ms of CPU for any query, however small the table. Up to some 100,000 rows a scan in NumPy takes less,
and rows are read without a query. When a table is read is decided in `memory.py`.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from brain_retrieval.schemas.names import WORD_CODES
from brain_retrieval.stores.index.filters import EVERYTHING, IndexFilter, Stretch
from brain_retrieval.stores.index.found import Found, FoundInMemory
from brain_retrieval.stores.index.index_rows import cosines, vector_matrix
from brain_retrieval.stores.index.mask import mask_of, unqualified_titles
from brain_retrieval.stores.index.products import products

# Inode and time of the table's folder, and the version: a table that was dropped and made again counts from 1 again.
Stamp = tuple[int, int, int]

_NONE = np.empty(0, np.int64)
_APART = ["vector", "_rowid"]
LEFT_OUT = frozenset({"search_text", "config_hash", "code_version", "strategy"})  # large or never shown


class Resident:
    """The rows of a table at `stamp`, without the columns of LEFT_OUT. Immutable, so any thread may read it.

    Args:
        rows: without vectors.
        vectors: float32 (n, dim), of the rows.
        numbers: uint64 (n,), LanceDB's own number of each row. A row that is written again has another one, and so
            has every row after the table was compacted; no number is used twice while the table is not dropped.
    """

    def __init__(self, rows: pa.Table, vectors: np.ndarray, numbers: np.ndarray, stamp: Stamp) -> None:
        self.stamp = stamp
        self.vectors = vectors
        self._by_number = np.argsort(numbers)
        self._numbers = numbers[self._by_number]
        self.rows: Any = rows.combine_chunks()

    @classmethod
    def of(cls, table: Any, stamp: Stamp) -> "Resident":
        """Read the rows of an open LanceDB table."""
        kept = [name for name in table.schema.names if name not in LEFT_OUT]
        found = table.search().with_row_id(True).select(kept).to_arrow()
        if WORD_CODES not in kept:  # until the table is written to again
            found = found.append_column(WORD_CODES, pa.nulls(found.num_rows, pa.binary()))
        return cls(found.drop_columns(_APART), vector_matrix(found.column("vector")), _numbers(found), stamp)

    def renewed(self, table: Any, stamp: Stamp) -> "Resident | None":
        """Return the rows of the table as they are now, in the order of `of`; only those not known are read.

        None if the table was made again or compacted, or changes while it is read: then all of it is to be read.
        """
        if stamp[:2] != self.stamp[:2] or stamp[2] < self.stamp[2]:
            return None
        numbers = _numbers(table.search().with_row_id(True).select(["id"]).to_arrow())
        places = self.numbered(numbers)
        fresh = np.flatnonzero(places < 0)
        if 2 * len(fresh) > len(numbers):
            return None
        rows, vectors = self.rows, np.empty((len(numbers), self.vectors.shape[1]), np.float32)
        if len(fresh):
            asked = table.take_row_ids(numbers[fresh].tolist()).with_row_id()
            found = asked.select([*rows.column_names, "vector"]).to_arrow()
            order = np.argsort(_numbers(found))
            if not np.array_equal(_numbers(found)[order], np.sort(numbers[fresh])):
                return None
            places[fresh[np.argsort(numbers[fresh])]] = len(self) + order
            vectors[fresh] = vector_matrix(found.column("vector"))[places[fresh] - len(self)]
            rows = pa.concat_tables([rows, found.select(rows.column_names)])
        known = np.flatnonzero(places < len(self))
        vectors[known] = self.vectors[places[known]]
        return Resident(rows.take(pa.array(places)), vectors, numbers, stamp)

    def __len__(self) -> int:
        return len(self.vectors)

    def has(self, columns: Iterable[str]) -> bool:
        """Return whether all of `columns` are kept."""
        return not LEFT_OUT & set(columns)

    def nearest(self, query: np.ndarray, within: IndexFilter, limit: int, columns: Sequence[str]) -> Found:
        """Return the rows of `within` nearest to `query` by cosine, best first; equal ones by id."""
        places = self._inside(within)
        vectors = self.vectors if len(places) == len(self) else self.vectors[places]
        scores = products(vectors, query)
        if len(scores) > limit:
            top = np.argpartition(-scores, limit)[:limit]
            places = places[top]
        scores = cosines(self.vectors[places], query)
        order = np.lexsort((self.ids[places], -scores))
        return FoundInMemory(self, places[order], columns, scores[order])

    def take(self, places: np.ndarray, columns: Sequence[str]) -> pa.Table:
        """Return the columns of the rows at `places`, in that order."""
        found = self.rows.select([name for name in columns if name != "vector"]).take(pa.array(places))
        if "vector" not in columns:
            return found
        flat = pa.array(self.vectors[places].ravel())
        vectors = pa.FixedSizeListArray.from_arrays(flat, self.vectors.shape[1])
        return found.append_column("vector", vectors).select(list(columns))

    def places(self, ids: Iterable[str]) -> np.ndarray:
        """Return int64 (ids,), the row number of each id, -1 for one that is not here."""
        where = self._place_of
        return np.fromiter((where.get(key, -1) for key in ids), dtype=np.int64)

    def numbered(self, numbers: np.ndarray) -> np.ndarray:
        """Return int64 (numbers,), the place of each of LanceDB's row numbers, -1 for one that is not here."""
        if not len(self):
            return np.full(len(numbers), -1)
        near = np.minimum(np.searchsorted(self._numbers, numbers), len(self) - 1)
        return np.where(self._numbers[near] == numbers, self._by_number[near], -1)

    def read(self, within: IndexFilter, columns: Sequence[str]) -> pa.Table:
        """Return the rows of `within`, ordered by id."""
        return self.take(self._by_id(self._inside(within)), columns)

    def fetch(
        self, ids: Collection[str], stretches: Iterable[Stretch], within: IndexFilter, columns: Sequence[str]
    ) -> pa.Table:
        """Return the rows of `ids` and of `stretches` that lie in `within`, ordered by id."""
        known = self.places(ids)
        places = np.unique(np.concatenate([known[known >= 0], *map(self._along, stretches)]))
        if within != EVERYTHING:
            mask = mask_of(self.rows.take(pa.array(places)), within)
            places = places if mask is None else places[mask]
        return self.take(self._by_id(places), columns)

    def _inside(self, within: IndexFilter) -> np.ndarray:
        """Return int64 (n,), the numbers of the rows of `within`, ascending."""
        if within.stretches is not None:
            among, rest = map(self._along, within.stretches), replace(within, stretches=None)
        elif within.titles is not None:
            among, rest = map(self._titled.having, within.titles), replace(within, titles=None)
        else:
            mask = mask_of(self.rows, within)
            return np.arange(len(self)) if mask is None else np.flatnonzero(mask)
        places = np.unique(np.concatenate([_NONE, *among]))
        mask = mask_of(self.rows.take(pa.array(places)), rest) if rest != EVERYTHING else None
        return places if mask is None else places[mask]

    def _along(self, stretch: Stretch) -> np.ndarray:
        """Return int64 (n,), the numbers of the rows in a stretch, ascending."""
        places = self._of_source.having(stretch.source_id)
        along = self._positions[places]
        return places[(along >= stretch.first) & (along <= stretch.last)]

    def _by_id(self, places: np.ndarray) -> np.ndarray:
        return places[np.argsort(self.ids[places])]

    @cached_property
    def _titled(self) -> "_Groups":
        return _Groups.of(unqualified_titles(self.rows.column("title")))

    @cached_property
    def _of_source(self) -> "_Groups":
        return _Groups.of(self.rows.column("source_id"))

    @cached_property
    def _positions(self) -> np.ndarray:
        return self.rows.column("position").to_numpy()

    @cached_property
    def ids(self) -> np.ndarray:
        """str (rows,), the id of each row."""
        return np.array(self.rows.column("id").to_pylist(), dtype=np.str_)

    @cached_property
    def _place_of(self) -> dict[str, int]:
        return {key: place for place, key in enumerate(self.rows.column("id").to_pylist())}


@dataclass(frozen=True)
class _Groups:
    """The places of the rows that have a text in a column, ascending, by the text."""

    number: Mapping[str, int]
    bounds: np.ndarray  # of group n: places[bounds[n]:bounds[n + 1]]
    places: np.ndarray

    @classmethod
    def of(cls, column: Any) -> "_Groups":
        found = column.combine_chunks().dictionary_encode()
        codes = found.indices.fill_null(len(found.dictionary)).to_numpy(zero_copy_only=False)
        number = {text: code for code, text in enumerate(found.dictionary.to_pylist())}
        bounds = np.concatenate(([0], np.cumsum(np.bincount(codes, minlength=len(number)))))
        return cls(number, bounds, np.argsort(codes, kind="stable"))

    def having(self, text: str) -> np.ndarray:
        code = self.number.get(text)
        return _NONE if code is None else self.places[self.bounds[code] : self.bounds[code + 1]]


def _numbers(found: pa.Table) -> np.ndarray:
    return found.column("_rowid").to_numpy()
