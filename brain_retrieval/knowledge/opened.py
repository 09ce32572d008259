"""What the parts of a card read of an opened `Knowledge`: its snapshot, its clocks and its memories."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Protocol

import polars as pl

from brain_retrieval.home import Space
from brain_retrieval.knowledge.cards import Mentioned
from brain_retrieval.knowledge.memories.reader import MemoryReader
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog


class Opened(Protocol):
    """The knowledge of one user, opened at its newest snapshot, if there is one."""

    @property
    def space(self) -> Space: ...

    @property
    def settings(self) -> Settings: ...

    @property
    def day(self) -> str | None: ...

    @property
    def catalog(self) -> Catalog | None: ...

    @property
    def known_at(self) -> datetime | None: ...

    @property
    def memory_reader(self) -> MemoryReader: ...

    def table(self, name: str) -> pl.DataFrame:
        """Return a table of the snapshot."""
        ...

    def strength(self, item_id: str) -> dict[str, Any]:
        """Return state, salience and recalls of an item."""
        ...

    def strengths(self, item_ids: Collection[str]) -> dict[str, dict[str, Any]]:
        """Return the strength of each of some items."""
        ...

    def display_name(self, entity_id: str) -> str:
        """Return the name of an entity."""
        ...

    @property
    def sources(self) -> pl.DataFrame:
        """Source ids with their places and titles."""
        ...

    def mentioned(self, source_ids: pl.DataFrame, *, newest_first: bool) -> list[Mentioned]:
        """Return sources by their ids, a column `source_id`, in order of time."""
        ...
