"""What is computed from one lake table of a user, kept in the memory of the process while the table is unchanged."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar

import polars as pl

from brain_retrieval.home import Space
from brain_retrieval.stores.catalog import Catalog, LakeFile
from brain_retrieval.stores.lake import READ_TRIES, Lake

T = TypeVar("T")


@dataclass(frozen=True)
class Change:
    """What differs from before: the days without the rows that they had, and the rows that they have now."""

    days: frozenset[tuple[str, str]]  # (source, day)
    rows: pl.DataFrame

    def unchanged(self) -> pl.Expr:
        """Return whether a row with the columns source and day is still as it was."""
        changed = [f"{source}/{day}" for source, day in sorted(self.days)]
        return ~pl.concat_str("source", "day", separator="/").is_in(changed)

    def applied(self, before: pl.DataFrame) -> pl.DataFrame:
        """Return the rows as they are now from those before, which have the columns source and day."""
        return pl.concat([before.filter(self.unchanged()), self.rows.select(before.columns)])


@dataclass(frozen=True)
class _Kept(Generic[T]):
    """A value, the files that it was computed from, and the state of the catalog that listed them."""

    state: object
    files: list[LakeFile]
    value: T


class LakeCache(Generic[T]):
    """Values by user; those of the users asked for last are kept, up to a number of rows.

    >>> LakeCache("entities", lambda rows: rows.height, most_rows=1_000_000).of(space)  # doctest: +SKIP
    """

    def __init__(
        self,
        table: str,
        make: Callable[[pl.DataFrame], T],
        *,
        most_rows: int,
        columns: Sequence[str] | None = None,
        renew: Callable[[T, Change], T] | None = None,
    ) -> None:
        """Compute values from the rows of a lake table, all columns or only some.

        `renew` computes a value from the one before, which it leaves as it is, and a change: only files that changed
        are read then. It has to give what `make` gives of all rows.
        """
        self._table, self._make, self._most_rows, self._columns = table, make, most_rows, columns
        self._renew = renew
        self._kept: dict[Path, _Kept[T]] = {}  # the user asked for last comes last
        self._lock = Lock()

    def of(self, space: Space, catalog: Catalog | None = None) -> T:
        """Return the value of a user's table as it is now; `catalog` is that of the user, if it is open."""
        with nullcontext(catalog) if catalog is not None else Catalog(space) as opened:
            state = opened.state()  # before the files are listed: what is written in between makes it another one
            with self._lock:
                known = self._kept.pop(space.lake, None)
                if known is not None:
                    self._kept[space.lake] = known
            if known is not None and known.state == state:
                return known.value
            files = opened.lake_files(self._table)
            if known is not None and known.files == files:
                value = known.value
            else:
                files, value = self._computed(Lake(space, opened), files, known)
        with self._lock:
            self._kept.pop(space.lake, None)
            self._kept[space.lake] = _Kept(state, files, value)
            while len(self._kept) > 1 and self._rows() > self._most_rows:
                self._kept.pop(next(iter(self._kept)))
        return value

    def has(self, space: Space, catalog: Catalog) -> bool:
        """Return whether the value of a user's table as it is now is here, so that nothing has to be read for it."""
        known = self._kept.get(space.lake)
        return known is not None and known.state == catalog.state()

    def _computed(self, lake: Lake, files: list[LakeFile], known: _Kept[T] | None) -> tuple[list[LakeFile], T]:
        """Return the value of exactly these files, or of those that have replaced them, and which they are."""
        for _ in range(READ_TRIES):
            try:
                if known is None or self._renew is None:
                    return files, self._make(self._read(lake, files))
                days, fresh = _changed(known.files, files)
                return files, self._renew(known.value, Change(days, self._read(lake, fresh))) if days else known.value
            except FileNotFoundError:  # replaced and removed since they were listed
                files = lake.catalog.lake_files(self._table)
        return [], self._make(_frame(lake.read(self._table, columns=self._columns)))

    def _read(self, lake: Lake, files: Sequence[LakeFile]) -> pl.DataFrame:
        return _frame(lake.read_files(self._table, files, columns=self._columns))

    def _rows(self) -> int:
        return sum(file.rows for kept in self._kept.values() for file in kept.files)


def _changed(before: Sequence[LakeFile], now: Sequence[LakeFile]) -> tuple[frozenset[tuple[str, str]], list[LakeFile]]:
    """Return the (source, day) whose rows differ, and the files of those that have rows.

    A day whose rows were only moved to another file has the same digest.
    """
    was = {(file.source, file.day): file.digest for file in before}
    fresh = [file for file in now if was.get((file.source, file.day)) != file.digest]
    gone = was.keys() - {(file.source, file.day) for file in now}
    return frozenset(gone | {(file.source, file.day) for file in fresh}), fresh


def _frame(rows: object) -> pl.DataFrame:
    return pl.DataFrame(pl.from_arrow(rows))
