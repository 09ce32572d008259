"""`Candidates`: the passages that the retrievers of one search found, with the scores of each, as arrays.

Row n of every array is the same passage. Fusion is in `fusion.py`, the order in `ranking.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

# What ranking reads of a passage; the other columns are read for the hits only.
COLUMNS = ("id", "source_id", "source", "position", "start", "end", "day", "received_at", "ttl_policy", "title")
COLUMNS += ("speakers", "text")


@dataclass(frozen=True)
class Arm:
    """One retriever's view of the candidates.

    Args:
        scores: float64 (n,), raw; NaN where this retriever gave none.
        ranks: int64 (n,), from 1; 0 where the retriever did not return the passage itself.
    """

    name: str
    scores: np.ndarray
    ranks: np.ndarray

    @property
    def lowest(self) -> float:
        """The raw score of the weakest candidate that this retriever returned itself; 0 without one."""
        returned = self.scores[self.ranks > 0]
        return float(returned.min()) if len(returned) else 0.0


@dataclass(frozen=True)
class Candidates:
    """The rows found, each once, and the arms that found them, by name."""

    rows: pa.Table
    arms: Mapping[str, Arm]

    def __len__(self) -> int:
        return self.rows.num_rows

    def with_arm(self, arm: Arm) -> "Candidates":
        """Return the same passages with the view of a further retriever."""
        return Candidates(self.rows, {**self.arms, arm.name: arm})

    def listed(self, column: str) -> list[Any]:
        """Return a column as Python values."""
        return self.rows.column(column).to_pylist()

    @cached_property
    def ids(self) -> list[str]:
        return self.listed("id")

    @cached_property
    def positions(self) -> np.ndarray:
        """int64 (n,): the number of the passage within its source."""
        return self.rows.column("position").to_numpy(zero_copy_only=False).astype(np.int64)

    @cached_property
    def parents(self) -> np.ndarray:
        """int64 (n,): a number for the source of each passage, equal for passages of one source."""
        sources = self.listed("source_id")
        numbers = {key: number for number, key in enumerate(dict.fromkeys(sources))}
        return np.fromiter(map(numbers.__getitem__, sources), dtype=np.int64, count=len(sources))

    @cached_property
    def texts(self) -> list[str]:
        return self.listed("text")

    @cached_property
    def titles(self) -> list[str]:
        return [title or "" for title in self.listed("title")]

    @cached_property
    def titled(self) -> dict[str, list[int]]:
        """The rows of each title, ascending; titles in the order of their first rows."""
        found: dict[str, list[int]] = {}
        for row, title in enumerate(self.titles):
            found.setdefault(title, []).append(row)
        return found

    @cached_property
    def days(self) -> np.ndarray:
        """datetime64[D] (n,)."""
        return np.array(self.listed("day"), dtype="datetime64[D]")


def joined(arms: Sequence[tuple[str, pa.Table, np.ndarray]], more: Mapping[str, Mapping[str, float]]) -> Candidates:
    """Return the candidates of several retrievers.

    Args:
        arms: name, rows best first with COLUMNS, and float64 scores.
        more: by retriever name, id -> score of passages that it did not return itself.
    """
    if not arms:
        return Candidates(pa.table({name: pa.array([], pa.string()) for name in COLUMNS}), {})
    tables = [rows.select(list(COLUMNS)) for _, rows, _ in arms]
    listed = [table.column("id").to_pylist() for table in tables]
    number = {key: place for place, key in enumerate(dict.fromkeys(chain.from_iterable(listed)))}
    places = [np.fromiter(map(number.__getitem__, ids), dtype=np.int64, count=len(ids)) for ids in listed]
    taken = np.unique(np.concatenate(places), return_index=True)[1]
    rows = pa.concat_tables(tables).take(pa.array(taken))
    found: dict[str, Arm] = {}
    for (name, _, scores), own in zip(arms, places, strict=True):
        everywhere, ranks = np.full(len(number), np.nan), np.zeros(len(number), dtype=np.int64)
        if beside := more.get(name):
            everywhere[[number[key] for key in beside]] = list(beside.values())
        everywhere[own], ranks[own] = scores, np.arange(1, len(own) + 1)
        found[name] = Arm(name, everywhere, ranks)
    return Candidates(rows, found)
