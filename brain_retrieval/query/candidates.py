"""`Candidates`: the passages that the retrievers of one search found, with the scores of each, as arrays.

Row n of every array is the same passage. Fusion is in `fusion.py`, the order in `ranking.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from brain_retrieval.models.embedding.word_codes import WordCodes
from brain_retrieval.schemas.names import WORD_CODES
from brain_retrieval.stores.index.found import Found, FoundInMemory

pc: Any = pyarrow.compute  # its functions are made at import, which type checkers cannot see

# What ranking reads of a passage; the other columns are read for the hits only.
COLUMNS = ("id", "source_id", "source", "position", "start", "end", "day", "event_at", "received_at")
COLUMNS += ("ttl_policy", "title", "speakers", "text", WORD_CODES)

ZONES = np.timedelta64(1, "D")  # a day in the user's time zone and one in UTC differ by at most this


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
    """The rows found, each once, the arms that found them, by name, and the codes of the question's words."""

    rows: pa.Table
    arms: Mapping[str, Arm]
    asked: WordCodes | None = None

    def __len__(self) -> int:
        return self.rows.num_rows

    def with_arm(self, arm: Arm) -> "Candidates":
        """Return the same passages with the view of a further retriever; what was computed of them is kept."""
        renewed = replace(self, arms={**self.arms, arm.name: arm})
        renewed.__dict__.update({name: value for name, value in self.__dict__.items() if name != "arms"})
        return renewed

    def listed(self, column: str) -> list[Any]:
        """Return a column as Python values."""
        return self.rows.column(column).to_pylist()

    @cached_property
    def ids(self) -> list[str]:
        return self.listed("id")

    @cached_property
    def _by_id(self) -> np.ndarray:
        """int64 (n,): the place of each passage in the order of ids."""
        places = np.empty(len(self), dtype=np.int64)
        places[np.argsort(np.array(self.ids, dtype=np.str_), kind="stable")] = np.arange(len(self))
        return places

    def best_first(self, scores: np.ndarray) -> np.ndarray:
        """Return int64 (n,): the rows by float64 (n,) scores, best first; equal ones by id."""
        return np.lexsort((self._by_id, -scores))

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
    def spoken(self) -> tuple[list[str], np.ndarray, np.ndarray]:
        """The distinct speakers; and for each time that one speaks in a passage: the number of the speaker, the row."""
        if not len(self):
            return [], np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        lists = self.rows.column("speakers").combine_chunks()
        numbered = pc.list_flatten(lists).dictionary_encode()
        rows = pc.list_parent_indices(lists).to_numpy(zero_copy_only=False)
        return numbered.dictionary.to_pylist(), numbered.indices.to_numpy(zero_copy_only=False), rows

    @cached_property
    def days(self) -> np.ndarray:
        """datetime64[D] (n,): the partition's day, which is in the user's time zone, or the event's if it is older.

        Items from before the first day of a home lie on it, and keep their time.
        """
        days = np.array(self.listed("day"), dtype="datetime64[D]")
        events = self.rows.column("event_at").cast(pa.timestamp("us")).to_numpy(zero_copy_only=False)
        events = events.astype("datetime64[D]")
        return np.where(events < days - ZONES, events, days)


def joined(arms: Sequence[tuple[str, Found]], more: Mapping[str, Mapping[str, np.ndarray]]) -> Candidates:
    """Return the candidates of several retrievers.

    Args:
        arms: name, and what it found with COLUMNS.
        more: by retriever name, the scores that it gives to what other ones found: their name -> float64 scores.
    """
    if not arms:
        return Candidates(pa.table({name: pa.array([], pa.string()) for name in COLUMNS}), {})
    rows, places = _distinct([found for _, found in arms])
    place_of = {name: own for (name, _), own in zip(arms, places, strict=True)}
    joint: dict[str, Arm] = {}
    for name, found in arms:
        everywhere, ranks = np.full(rows.num_rows, np.nan), np.zeros(rows.num_rows, dtype=np.int64)
        for other, scores in more.get(name, {}).items():
            everywhere[place_of[other]] = scores
        own = place_of[name]
        everywhere[own], ranks[own] = found.scores, np.arange(1, len(own) + 1)
        joint[name] = Arm(name, everywhere, ranks)
    return Candidates(rows, joint)


def _distinct(found: Sequence[Found]) -> tuple[pa.Table, list[np.ndarray]]:
    """Return the distinct rows in the order in which they are found first, and for each result the places of its own.

    Of one table in memory only the distinct rows are read, once.
    """
    kept = [one for one in found if isinstance(one, FoundInMemory)]
    if len(kept) == len(found) and all(one.kept is kept[0].kept for one in kept):
        taken, places = _numbered([one.places for one in kept])
        return kept[0].kept.take(np.concatenate([one.places for one in kept])[taken], COLUMNS), places
    tables = [one.rows.select(list(COLUMNS)) for one in found]
    taken, places = _numbered([np.array(table.column("id").to_pylist(), dtype=np.str_) for table in tables])
    return pa.concat_tables(tables).take(pa.array(taken)), places


def _numbered(keys: Sequence[np.ndarray]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return where each distinct key stands first, in this order, and for each array the numbers of its keys."""
    _, first, own = np.unique(np.concatenate(keys), return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    return first[order], np.split(number[own], np.cumsum([len(one) for one in keys])[:-1])
