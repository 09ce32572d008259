"""`Found`: what a search of an index returns, as an Arrow table and an array of scores."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from brain_retrieval.stores.index.index_rows import vector_matrix


@dataclass(frozen=True)
class Match:
    """One row found: the requested columns, and its score; higher is better."""

    row: dict[str, Any]
    score: float


class Found:
    """The requested columns of the rows found, best first, and float64 (rows,) scores; higher is better.

    Iterating gives a `Match` a row; who reads many rows takes the columns instead.
    """

    def __init__(self, rows: pa.Table, scores: np.ndarray) -> None:
        self._rows = rows
        self.scores = scores

    @property
    def rows(self) -> pa.Table:
        return self._rows

    def __len__(self) -> int:
        return len(self.scores)

    def is_empty(self, column: str) -> bool:
        """Return whether a column has no value in any row."""
        values = self.rows.column(column)
        return values.null_count == len(values)

    def best(self, column: str, count: int) -> list[Any]:
        """Return a column of the first `count` rows as Python values."""
        return self.rows.column(column).slice(0, count).to_pylist()

    def vectors(self) -> np.ndarray:
        """Return float32 (rows, width), the column "vector"."""
        return vector_matrix(self.rows.column("vector"))

    def only(self, kept: np.ndarray) -> "Found":
        """Return the rows for which bool (rows,) `kept` is true."""
        return Found(self.rows.filter(pa.array(kept)), self.scores[kept])

    def __iter__(self) -> Iterator[Match]:
        for row, score in zip(self.rows.to_pylist(), self.scores.tolist(), strict=True):
            yield Match(row, score)

    @classmethod
    def nothing(cls, schema: pa.Schema, columns: Sequence[str]) -> "Found":
        """Return an empty result with these columns."""
        return cls(pa.schema([schema.field(name) for name in columns]).empty_table(), np.empty(0))


class InMemory(Protocol):
    """A table that a store keeps in memory."""

    rows: Any
    vectors: np.ndarray

    def take(self, places: np.ndarray, columns: Sequence[str]) -> pa.Table:
        """Return the columns of the rows at `places`, in that order."""
        ...


class FoundInMemory(Found):
    """What is found in a table in memory: the places of its rows there, of which columns are read when asked for."""

    def __init__(self, kept: InMemory, places: np.ndarray, columns: Sequence[str], scores: np.ndarray) -> None:
        self.kept, self.places, self.scores = kept, places, scores
        self._columns = tuple(columns)
        self._taken: pa.Table | None = None

    @property
    def rows(self) -> pa.Table:
        if self._taken is None:
            self._taken = self.kept.take(self.places, self._columns)
        return self._taken

    def is_empty(self, column: str) -> bool:
        whole = self.kept.rows.column(column)
        return whole.null_count == len(whole) or whole.take(pa.array(self.places)).null_count == len(self)

    def best(self, column: str, count: int) -> list[Any]:
        return self.kept.rows.column(column).take(pa.array(self.places[:count])).to_pylist()

    def vectors(self) -> np.ndarray:
        return self.kept.vectors[self.places]

    def only(self, kept: np.ndarray) -> "FoundInMemory":
        return FoundInMemory(self.kept, self.places[kept], self._columns, self.scores[kept])


def by_score(scores: pa.ChunkedArray, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return int64 (n,), the places in order of score, equal ones by id, and the float64 scores in that order.

    LanceDB gives rows of equal scores in the order in which its threads find them.
    """
    numbers = scores.to_numpy().astype(np.float64)
    order = np.lexsort((ids, -numbers))
    return order, numbers[order]
