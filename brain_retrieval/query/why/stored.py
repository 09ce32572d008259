"""`Stored`: reads of one user's lake, ledger and newest snapshot for `Brain.why`."""

import json
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from functools import cached_property
from typing import Any

import polars as pl

from brain_retrieval.errors import StoreError
from brain_retrieval.home import Space
from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.knowledge.memories.stored import memory_index
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.models.chat.chat_cache import ResponseCache
from brain_retrieval.query.why.node import MadeBy
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.lake_query import LakeQueries
from brain_retrieval.stores.snapshots import SnapshotStore
from brain_retrieval.stores.sqlite import Database
from brain_retrieval.teams import teams_of

Row = dict[str, Any]
CHECKS = "claims.sqlite"  # written by checks online


class Stored:
    """What is stored of a user. Rows of a day are read once."""

    def __init__(self, space: Space, settings: Settings, catalog: Catalog, opened: ExitStack | None = None) -> None:
        """Read the stores of `space`; the teams that are asked about too are kept open in `opened`."""
        self.space, self.settings, self.catalog = space, settings, catalog
        self._opened = opened or ExitStack()
        self._teams: dict[str, Stored] = {}
        self.lake = Lake(space, catalog)
        self.known = Knowledge(space, settings, catalog=catalog)
        self.warnings: list[str] = []
        self._days: dict[tuple[str, str, str], list[Row]] = {}
        self._items: dict[str, Row | None] = {}

    def find(self, sql: str, *values: Any) -> list[Row]:
        """Return the rows of a query over the lake."""
        return self._queries.run(sql, values).to_pylist()

    @cached_property
    def _queries(self) -> LakeQueries:
        return self._opened.enter_context(LakeQueries(self.lake))

    def of_source(self, table: str, source_id: str, source: str, day: str) -> list[Row]:
        """Return the rows of a source in a lake table of its day; a warning if a file of it is lost."""
        key = (table, source, day)
        if key not in self._days:
            try:
                self._days[key] = self.lake.read(table, source=source, days=[day]).to_pylist()
            except StoreError as error:
                self.warnings.append(str(error))
                self._days[key] = []
        return [row for row in self._days[key] if row["source_id"] == source_id]

    def item(self, source_id: str) -> Row | None:
        """Return the row of RAW of a source, by id or uri; the user's own only."""
        if source_id not in self._items:
            sql = "SELECT * FROM raw WHERE source_id = $1 OR uri = $1 ORDER BY source_id LIMIT 1"
            self._items[source_id] = next(iter(self.find(sql, source_id)), None)
        return self._items[source_id]

    def holding(self, source_id: str) -> tuple["Stored", Row] | None:
        """Return a source and the stores it lies in: the user's own, or those of a team the user is a member of."""
        if (own := self.item(source_id)) is not None:
            return self, own
        for team in teams_of(self.settings, self.space.user):
            if team not in self._teams:
                space = Space(self.space.home, team)
                if not space.catalog.is_file():
                    continue
                catalog = self._opened.enter_context(Catalog(space))
                self._teams[team] = Stored(space, self.settings, catalog, self._opened)
            if (item := self._teams[team].item(source_id)) is not None:
                return self._teams[team], item
        return None

    @cached_property
    def memories(self) -> MemoryIndex:
        """The index of all memories."""
        return memory_index(self.space, self.catalog)

    @cached_property
    def answers(self) -> ResponseCache | None:
        """The cached answers of chat models, None if none was ever kept."""
        cache = ResponseCache(self.space)
        return self._opened.enter_context(cache) if cache.path.is_file() else None

    def checks(self, uri: str) -> list[Row]:
        """Return the claims that were checked online for which the page of a uri said something."""
        path = self.space.root / CHECKS
        if not path.is_file():
            return []
        with Database(path, "") as file:
            names = ("key", "checked_at", "fresh_until", "stop")
            sql = f"SELECT {', '.join(f'checked.{name}' for name in names)} FROM page JOIN checked USING (key)"
            rows = file.rows(f"{sql} WHERE page.uri = ? ORDER BY checked_at DESC, key", (uri,))
        return [dict(zip(names, row, strict=True)) for row in rows]

    def memory(self, memory_id: str) -> Row | None:
        """Return a row of MEMORIES by id."""
        found = self.memories.rows.filter(pl.col("memory_id") == memory_id)
        return found.row(0, named=True) if found.height else None

    def table(self, name: str) -> pl.DataFrame:
        """Return a table of the newest snapshot, empty without one."""
        if self.known.day is None:
            return SnapshotStore(self.space).empty(name, None)
        return self.known.table(name)

    def rows(self, name: str, **values: Any) -> list[Row]:
        """Return rows of a table of the newest snapshot whose columns have these values; a list means any of it."""
        wanted = [
            pl.col(column).is_in(list(value)) if isinstance(value, list | set | tuple) else pl.col(column) == value
            for column, value in values.items()
        ]
        return self.table(name).filter(pl.all_horizontal(wanted)).to_dicts()

    def with_any(self, name: str, column: str, ids: Iterable[str]) -> list[Row]:
        """Return rows of a table of the newest snapshot whose list `column` has one of the ids."""
        wanted = sorted(set(ids))
        return self.table(name).filter(pl.col(column).list.eval(pl.element().is_in(wanted)).list.any()).to_dicts()

    def uri_of(self, source_id: str) -> str:
        """Return the uri of a source of the snapshot, its id if it is not there."""
        found = self.rows("known_sources", source_id=source_id)
        return found[0]["uri"] if found else source_id

    def made(self, stage: str, row: Row) -> MadeBy:
        """Return what made a row of the lake: the version it names, and of the ledger when and with which models."""
        version, config = row["code_version"], row["config_hash"]
        ledger = self.catalog.get_ledger(row["source"], stage, row["day"])
        current = ledger is not None and (ledger.code_version, ledger.config_hash) == (version, config)
        at = ledger.started_at if ledger is not None and current else None
        return MadeBy(stage, version, config, self._models(config), at)

    def made_in_snapshot(self, stage: str) -> MadeBy | None:
        """Return what made a table of the newest snapshot."""
        day = self.known.day
        record = None if day is None else SnapshotStore(self.space).stage(day, stage)
        if record is None:
            return None
        return MadeBy(f"{stage} of the snapshot {day}", record.code_version, record.config_hash)

    def _models(self, config: str) -> dict[str, str]:
        said = self.catalog.get_meta(f"config:{config}")
        named = json.loads(said).get("named", {}) if said else {}
        return {name: str(value) for name, value in sorted(named.items())}


def first(rows: Sequence[Row], limit: int) -> tuple[Sequence[Row], int]:
    """Return the first rows, and how many more there are."""
    return rows[:limit], max(0, len(rows) - limit)
