"""`MemoriesBySource`: the memories of sources, taken out of their table once: several anchors ask for the same one."""

from collections.abc import Mapping, Sequence
from itertools import islice

import polars as pl

from brain_pipelines.knowledge.memory.stories.phrases import without_context
from brain_pipelines.knowledge.memory.stories.story_memory import Row

MOST_KEPT = 5_000  # sources that are kept


class MemoriesBySource:
    """The memories of sources, each with its text without what stands there for context."""

    def __init__(self, rows: pl.DataFrame, places: Mapping[str, tuple[int, int]]) -> None:
        """Take rows of MEMORIES by source; `places` has the first row and the number of rows of each source."""
        self._rows, self._places = rows, places
        self._kept: dict[str, Sequence[tuple[Row, str]]] = {}

    def of(self, source_ids: Sequence[str]) -> Mapping[str, Sequence[tuple[Row, str]]]:
        """Return the memories of these sources, by source: to take few rows out of a table takes as long as many."""
        if len(self._kept) > MOST_KEPT:
            self._kept.clear()
        missing = [one for one in source_ids if one not in self._kept]
        places = [self._places.get(one, (0, 0)) for one in missing]
        taken = self._rows[[row for at, count in places for row in range(at, at + count)]].iter_rows(named=True)
        for one, (_, count) in zip(missing, places, strict=True):
            self._kept[one] = [(row, without_context(row["text"])) for row in islice(taken, count)]
        return self._kept
