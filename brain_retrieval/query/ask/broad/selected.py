"""Memories by conditions on their rows: of a time, of some sources."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cached_property

import numpy as np
import polars as pl

from brain_retrieval.knowledge.memories.candidates import with_changes
from brain_retrieval.knowledge.memories.cards import MemoryCard, card_of
from brain_retrieval.knowledge.memories.facets import Facet, Row
from brain_retrieval.knowledge.memories.reader import MemoryReader
from brain_retrieval.knowledge.memories.seen import Seen
from brain_retrieval.knowledge.memories.shown.display import support_counts
from brain_retrieval.knowledge.memories.stored import visible
from brain_retrieval.knowledge.memories.view import Together


class Selected:
    """Memories whose rows fulfil a condition; what has ended one of them is looked for when that is asked for.

    Of hundreds of memories of a year an answer shows six, and choosing these rarely needs to know what has ended.

    Attributes:
        cards: of all of them, without what has ended each; in the order of `MemoryReader.cards_of`.
        rows: of MEMORIES, by id.
    """

    def __init__(self, together: Together, compared: Sequence[Facet]) -> None:
        """Take the memories, and all that are compared with them."""
        self._together, self._compared = together, compared
        self._waiting = {one.row["memory_id"]: one for one in together.waiting}
        self.cards = [card_of(one) for one in self._waiting.values()]

    @property
    def rows(self) -> dict[str, Row]:
        return {key: one.row for key, one in self._waiting.items()}

    def judged(self, wanted: Iterable[str]) -> list[MemoryCard]:
        """Return some of the memories by their ids, with what has ended them."""
        seen = self._together.judged([self._waiting[key] for key in wanted])
        return [self._card(one) for one in seen]

    def _card(self, one: Seen) -> MemoryCard:
        return card_of(one, support=self._support[one.row["memory_id"]], begun=self._begun)

    @cached_property
    def _support(self) -> dict[str, int]:
        return support_counts(self._compared)

    @cached_property
    def _begun(self) -> dict[str, datetime]:
        return {facet.row["memory_id"]: facet.row["effective_from"] for facet in self._compared}


def where(reader: MemoryReader, wanted: pl.Expr, *, at: datetime) -> Selected:
    """Return the memories whose rows of MEMORIES fulfil a condition; none that has expired or is an echo.

    Args:
        reader: of the memories.
        wanted: the condition.
        at: the moment asked about, aware.

    Raises:
        StoreError: if the lake cannot be read.
    """
    index = reader.index
    counted = visible(index, until=reader.known_at, echoes=reader.echoes())
    fulfilled = index.rows.select(wanted.fill_null(value=False)).to_series().to_numpy()
    chosen = fulfilled if counted is None else fulfilled & counted
    rows = np.flatnonzero(chosen)
    facets = with_changes(index, rows, counted)
    together = Together(facets, set(index.rows["memory_id"][rows].to_list()), at, reader.known_at)
    return Selected(together, facets)


def lines_of(reader: MemoryReader, source_ids: Iterable[str]) -> dict[str, int]:
    """Return how many memories each of some sources has."""
    index = reader.index
    return {one: len(index.sources.having(one)) for one in source_ids}
