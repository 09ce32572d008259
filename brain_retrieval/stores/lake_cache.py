"""What is computed from one lake table of a user, kept in the memory of the process while the table is unchanged."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar

import polars as pl

from brain_retrieval.home import Space
from brain_retrieval.stores.catalog import Catalog, LakeFile
from brain_retrieval.stores.lake import Lake

T = TypeVar("T")


class LakeCache(Generic[T]):
    """Values by user; those of the users asked for last are kept, up to a number of rows.

    >>> LakeCache("entities", lambda rows: rows.height, most_rows=1_000_000).of(space)  # doctest: +SKIP
    """

    def __init__(
        self, table: str, make: Callable[[pl.DataFrame], T], *, most_rows: int, columns: Sequence[str] | None = None
    ) -> None:
        """Compute values from the rows of a lake table, all columns or only some."""
        self._table, self._make, self._most_rows, self._columns = table, make, most_rows, columns
        self._kept: dict[Path, tuple[list[LakeFile], T]] = {}  # the user asked for last comes last
        self._lock = Lock()

    def of(self, space: Space, catalog: Catalog | None = None) -> T:
        """Return the value of a user's table as it is now; `catalog` is that of the user, if it is open."""
        with nullcontext(catalog) if catalog is not None else Catalog(space) as opened:
            # Listed before the rows are read: if they change in between, the next question reads again.
            files = opened.lake_files(self._table)
            with self._lock:
                known = self._kept.pop(space.lake, None)
                if known is not None and known[0] == files:
                    self._kept[space.lake] = known
                    return known[1]
            rows = Lake(space, opened).read(self._table, columns=self._columns)
        value = self._make(pl.DataFrame(pl.from_arrow(rows)))
        with self._lock:
            self._kept[space.lake] = (files, value)
            while len(self._kept) > 1 and self._rows() > self._most_rows:
                self._kept.pop(next(iter(self._kept)))
        return value

    def _rows(self) -> int:
        return sum(file.rows for files, _ in self._kept.values() for file in files)
