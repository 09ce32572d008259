"""Postings: for each word the rows that have it, as one array of row numbers, word after word."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

Rows = np.ndarray  # sorted distinct row numbers
NONE = np.empty(0, np.int64)
FEW = 500  # pairs that are indexed in less time than the queries for many take


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
    """Distinct words, and the rows of each."""

    words: pl.Series
    bounds: np.ndarray  # rows of word n: rows[bounds[n]:bounds[n + 1]]
    rows: np.ndarray

    @classmethod
    def of(cls, pairs: pl.DataFrame) -> "Postings":
        """Index pairs of the columns `row` and `word`; null and repeated ones do not matter."""
        if pairs.height <= FEW:
            return cls._of_few(pairs.drop_nulls().select("word", "row").iter_rows())
        found = pairs.lazy().drop_nulls().select("word", "row").unique().collect()
        words = found["word"].unique().sort()
        codes = found.select(pl.col("word").cast(pl.Enum(words)).to_physical().alias("code"), "row").sort("code", "row")
        counts = np.bincount(codes["code"].to_numpy(), minlength=len(words))
        return cls(words, np.concatenate(([0], np.cumsum(counts))), codes["row"].to_numpy())

    @classmethod
    def _of_few(cls, pairs: Iterable[tuple[str, int]]) -> "Postings":
        found: dict[str, set[int]] = {}
        for word, row in pairs:
            found.setdefault(word, set()).add(row)
        words = sorted(found)
        bounds = np.concatenate(([0], np.cumsum([len(found[word]) for word in words], dtype=np.int64)))
        rows = np.array([row for word in words for row in sorted(found[word])], np.int64)
        return cls(pl.Series("word", words, pl.String), bounds, rows)

    def numbered(self, height: int) -> tuple[Mapping[str, int], np.ndarray]:
        """Return a number for each word, and int64 (height,): that of each row, where all rows have one word."""
        number = np.full(height, -1)
        number[self.rows] = np.repeat(np.arange(len(self.words)), np.diff(self.bounds))
        return self._places, number

    def renewed(self, moved: np.ndarray, fresh: "Postings", rows: Rows) -> "Postings":
        """Return the postings after a change of the rows.

        Args:
            moved: for each row its new number, -1 if it is gone; those that stay keep their order.
            fresh: of the new rows.
            rows: their numbers, ascending.
        """
        number = self._places
        missing = [word for word in fresh.words.to_list() if word not in number]
        if missing:
            number = number | {word: len(number) + place for place, word in enumerate(missing)}
        added = np.array([number[word] for word in fresh.words.to_list()], np.int64)
        most = int(max(moved.max(initial=0), rows.max(initial=0))) + 1
        own = np.repeat(np.arange(len(self.words)), np.diff(self.bounds)) * most + moved[self.rows]
        own = own[moved[self.rows] >= 0]
        new = np.sort(np.repeat(added, np.diff(fresh.bounds)) * most + rows[fresh.rows])
        both = np.insert(own, np.searchsorted(own, new), new)
        counts = np.bincount(both // most, minlength=len(number))
        words = pl.concat([self.words, pl.Series(self.words.name, missing, pl.String)]) if missing else self.words
        if (left := counts > 0).all():
            after = Postings(words, np.concatenate(([0], np.cumsum(counts))), both % most)
            after.__dict__["_places"] = number  # a cached property
            return after
        return Postings(words.filter(pl.Series(left)), np.concatenate(([0], np.cumsum(counts[left]))), both % most)

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
