"""Postings: for each word the rows that have it, as one array of row numbers ordered by word."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

Rows = np.ndarray  # sorted distinct row numbers
NONE = np.empty(0, np.int64)


def sharing_most(lists: Sequence[tuple[Rows, int]], count: int, most: int) -> Rows:
    """Return the `most` rows that have most words, rare ones before frequent ones, then the newest; any order.

    Args:
        lists: for each word rows that have it, and how many have it in all.
        count: of all rows.
    """
    found = [(rows, math.log(1 + count / max(having, 1))) for rows, having in lists if len(rows)]
    if not found:
        return NONE
    rows, place = np.unique(np.concatenate([each for each, _ in found]), return_inverse=True)
    if len(rows) <= most:
        return rows
    weights = np.repeat([weight for _, weight in found], [len(each) for each, _ in found])
    return rows[np.lexsort((rows, np.bincount(place, weights, len(rows))))[-most:]]


@dataclass(frozen=True)
class Postings:
    """Words in their order, and the rows of each."""

    words: pl.Series
    bounds: np.ndarray  # rows of word n: rows[bounds[n]:bounds[n + 1]]
    rows: np.ndarray

    @classmethod
    def of(cls, pairs: pl.DataFrame) -> "Postings":
        """Index pairs of the columns `row` and `word`; null and repeated ones do not matter."""
        found = pairs.lazy().drop_nulls().select("word", "row").unique().collect()
        words = found["word"].unique().sort()
        codes = found.select(pl.col("word").cast(pl.Enum(words)).to_physical().alias("code"), "row").sort("code", "row")
        counts = np.bincount(codes["code"].to_numpy(), minlength=len(words))
        return cls(words, np.concatenate(([0], np.cumsum(counts))), codes["row"].to_numpy())

    @cached_property
    def _places(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.words.to_list())}

    def having(self, word: str) -> Rows:
        """Return the rows that have a word."""
        place = self._places.get(word)
        return NONE if place is None else self.rows[self.bounds[place] : self.bounds[place + 1]]

    def having_one(self, words: Iterable[str]) -> Rows:
        """Return the rows that have one of the words."""
        found = [self.having(word) for word in words]
        return np.unique(np.concatenate(found)) if found else NONE

    def only(self, mask: np.ndarray) -> "Postings":
        """Return the postings of the rows for which `mask` is true."""
        kept = mask[self.rows]
        return Postings(self.words, np.concatenate(([0], np.cumsum(kept)))[self.bounds], self.rows[kept])

    def near(self, words: Iterable[str], least: int) -> set[str]:
        """Return the words equal to one of `words`, or that begin or end with it, or that it begins or ends with.

        Args:
            words: asked for.
            least: letters that such a beginning or end has.
        """
        found: set[str] = set()
        for word in words:
            parts = {part for n in range(least, len(word)) for part in (word[:n], word[-n:])}
            found.update(part for part in (word, *parts) if part in self._places)
            if len(word) >= least:
                longer = self.words.str.starts_with(word) | self.words.str.ends_with(word)
                found.update(self.words.filter(longer).to_list())
        return found
