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


def best_first(rows: pa.Table, scores: pa.ChunkedArray) -> Found:
    """Return rows with their scores, ordered by score; equal ones keep their order."""
    order, numbers = by_score(scores)
    return Found(rows.take(pa.array(order)), numbers)


def by_score(scores: pa.ChunkedArray) -> tuple[np.ndarray, np.ndarray]:
    """Return int64 (n,), the places in order of score, equal ones as they are, and the scores in that order."""
    numbers = scores.to_numpy().astype(np.float64)
    order = np.argsort(-numbers, kind="stable")
    return order, numbers[order]
