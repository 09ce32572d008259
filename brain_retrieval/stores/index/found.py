"""`Found`: what a search of an index returns, as an Arrow table and an array of scores."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa


@dataclass(frozen=True)
class Match:
    """One row found: the requested columns, and its score; higher is better."""

    row: dict[str, Any]
    score: float


@dataclass(frozen=True)
class Found:
    """The requested columns of the rows found, best first, and float64 (rows,) scores; higher is better.

    Iterating gives a `Match` a row; who reads many rows takes the columns instead.
    """

    rows: pa.Table
    scores: np.ndarray

    def __len__(self) -> int:
        return self.rows.num_rows

    def __iter__(self) -> Iterator[Match]:
        for row, score in zip(self.rows.to_pylist(), self.scores.tolist(), strict=True):
            yield Match(row, score)

    @classmethod
    def nothing(cls, schema: pa.Schema, columns: Sequence[str]) -> "Found":
        """Return an empty result with these columns."""
        return cls(pa.schema([schema.field(name) for name in columns]).empty_table(), np.empty(0))


def by_score(scores: pa.ChunkedArray, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return int64 (n,), the places in order of score, equal ones by id, and the float64 scores in that order.

    LanceDB gives rows of equal scores in the order in which its threads find them.
    """
    numbers = scores.to_numpy().astype(np.float64)
    order = np.lexsort((ids, -numbers))
    return order, numbers[order]
