"""`Resident`: all rows of a small index table in memory, at one state of the table.

LanceDB takes 4–6 ms of CPU for any query, however small the table. Up to some 100,000 rows a scan in NumPy takes less,
and rows are read without a query. When a table is read is decided in `memory.py`.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from brain_retrieval.stores.index.filters import EVERYTHING, IndexFilter, Stretch
from brain_retrieval.stores.index.found import Found, FoundInMemory
from brain_retrieval.stores.index.index_rows import cosines, vector_matrix
from brain_retrieval.stores.index.mask import mask_of

# Inode and time of the table's folder, and the version: a table that was dropped and made again counts from 1 again.
Stamp = tuple[int, int, int]

LEFT_OUT = frozenset({"search_text", "config_hash", "code_version", "strategy"})  # large or never shown


class Resident:
    """The rows of a table at `stamp`, without the columns of LEFT_OUT. Immutable, so any thread may read it.

    Args:
        rows: with the column "_rowid", LanceDB's own number of each row, which is the same while the stamp is.
    """

    def __init__(self, rows: pa.Table, stamp: Stamp) -> None:
        self.stamp = stamp
        self.vectors = vector_matrix(rows.column("vector"))
        numbers = rows.column("_rowid").to_numpy()
        self._by_number = np.argsort(numbers)
        self._numbers = numbers[self._by_number]
        self.rows: Any = rows.drop_columns(["vector", "_rowid"]).combine_chunks()

    @classmethod
    def of(cls, table: Any, stamp: Stamp) -> "Resident":
        """Read the rows of an open LanceDB table."""
        kept = [name for name in table.schema.names if name not in LEFT_OUT]
        return cls(table.search().with_row_id(True).select(kept).to_arrow(), stamp)

    def __len__(self) -> int:
        return len(self.vectors)

    def has(self, columns: Iterable[str]) -> bool:
        """Return whether all of `columns` are kept."""
        return not LEFT_OUT & set(columns)

    def nearest(self, query: np.ndarray, within: IndexFilter, limit: int, columns: Sequence[str]) -> Found:
        """Return the rows of `within` nearest to `query` by cosine, best first; equal ones by id."""
        places = self._inside(within)
        vectors = self.vectors if len(places) == len(self) else self.vectors[places]
        # Not `@`: BLAS does it in threads that keep all cores busy for 15 ms afterwards.
        scores = np.einsum("ij,j->i", vectors, query)
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
        wanted = {int(place) for place in self.places(ids) if place >= 0}
        for stretch in stretches:
            wanted.update(
                place
                for position, place in self._along.get(stretch.source_id, ())
                if stretch.first <= position <= stretch.last
            )
        places = np.fromiter(sorted(wanted), dtype=np.int64)
        if within != EVERYTHING:
            mask = mask_of(self.rows.take(pa.array(places)), within)
            places = places if mask is None else places[mask]
        return self.take(self._by_id(places), columns)

    def _inside(self, within: IndexFilter) -> np.ndarray:
        """Return int64 (n,), the numbers of the rows of `within`, ascending."""
        if within.titles is None:
            mask = mask_of(self.rows, within)
            return np.arange(len(self)) if mask is None else np.flatnonzero(mask)
        titled = [place for title in within.titles for place in self._titled.get(title, ())]
        places = np.array(sorted(titled), dtype=np.int64)
        mask = mask_of(self.rows.take(pa.array(places)), replace(within, titles=None))
        return places if mask is None else places[mask]

    def _by_id(self, places: np.ndarray) -> np.ndarray:
        return places[np.argsort(self.ids[places])]

    @cached_property
    def _titled(self) -> dict[str, list[int]]:
        titled: dict[str, list[int]] = {}
        for place, title in enumerate(self.rows.column("title").to_pylist()):
            titled.setdefault(title, []).append(place)
        return titled

    @cached_property
    def ids(self) -> np.ndarray:
        """str (rows,), the id of each row."""
        return np.array(self.rows.column("id").to_pylist(), dtype=np.str_)

    @cached_property
    def _place_of(self) -> dict[str, int]:
        return {key: place for place, key in enumerate(self.rows.column("id").to_pylist())}

    @cached_property
    def _along(self) -> dict[str, list[tuple[int, int]]]:
        along: dict[str, list[tuple[int, int]]] = {}
        sources, positions = (self.rows.column(name).to_pylist() for name in ("source_id", "position"))
        for place, (source_id, position) in enumerate(zip(sources, positions, strict=True)):
            along.setdefault(source_id, []).append((position, place))
        return along
