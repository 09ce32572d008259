"""`SnapshotReads`: what a stage of a snapshot may read: pinned lake files, upstream tables, the previous snapshot."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from brain_pipelines.engine.stage import Progress
from brain_pipelines.knowledge.pinned_inputs import PinnedInputs, end_of
from brain_pipelines.knowledge.stage import SnapshotStage
from brain_retrieval.errors import StoreError
from brain_retrieval.home import Space
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog

if TYPE_CHECKING:
    import polars as pl

    from brain_retrieval.models.chat.protocol import ChatModel


@dataclass
class SnapshotReads:
    """One stage of one snapshot of one user, and its inputs."""

    stage: SnapshotStage
    stages: Sequence[SnapshotStage]
    space: Space
    catalog: Catalog
    settings: Settings
    day: str
    progress: Progress

    def __post_init__(self) -> None:
        from brain_retrieval.stores.snapshots import SnapshotStore

        self.store = SnapshotStore(self.space)
        self.by_name = {stage.name: stage for stage in self.stages}
        self.maker = {table: stage.name for stage in self.stages for table in stage.tables}

    @property
    def pinned_before(self) -> PinnedInputs | None:
        try:
            return _read_inputs(*(self.store.written_inputs(self.day) or ("{}", "{}")))
        except (KeyError, TypeError, ValueError):
            return None

    @cached_property
    def pinned(self) -> PinnedInputs:
        if (pinned := self.pinned_before) is None:
            raise StoreError(f"the inputs of the snapshot {self.day} are not pinned; {self.start_again}")
        return pinned

    @property
    def start_again(self) -> str:
        return f"`brain nightly --user {self.space.user} --day {self.day}` starts it again from its first stage"

    def read_lake(self, table: str, columns: Sequence[str] | None = None, source: str | None = None) -> "pl.DataFrame":
        import polars as pl

        from brain_pipelines.knowledge.pinned_reader import PinnedReader

        if (table, source) not in self.stage.lake and (table, None) not in self.stage.lake:
            raise ValueError(f"{self.stage.name} does not declare that it reads {table}")
        wanted = [*dict.fromkeys([*columns, "received_at", "source", "source_id"])] if columns else None
        reader = PinnedReader(self.space, self.settings, self.catalog, self.day, self.pinned)
        rows = reader.read(table, wanted, source)
        known = rows.filter(pl.col("received_at") < end_of(self.day, self.settings))
        return known.select(columns) if columns else known

    def read_snapshot(self, table: str, columns: Sequence[str] | None = None) -> "pl.DataFrame":
        if self.maker[table] not in self.stage.upstream:
            raise ValueError(f"{self.stage.name} does not declare that it reads {table}")
        return self.store.read_stage(self.day, self.maker[table], table, columns)

    def read_previous(self, table: str, columns: Sequence[str] | None = None) -> "pl.DataFrame":
        before = self.store.newest((date.fromisoformat(self.day) - timedelta(days=1)).isoformat())
        day = before or self.day  # without an earlier snapshot, the last output for this day is used
        record = self.store.stage(day, self.maker[table])
        if self.maker[table] == self.stage.name and record and record.code_version != self.stage.code_version:
            return self.store.empty(table, columns)  # output of older code is not carried over
        return (
            self.store.read(day, table, columns)
            if before
            else self.store.read_stage(day, self.maker[table], table, columns)
        )

    def read_recalls(self) -> "pl.DataFrame":
        from brain_retrieval.stores.access_log import AccessLog

        if not self.stage.reads_log:
            raise ValueError(f"{self.stage.name} does not declare that it reads the access log")
        with AccessLog(self.space) as log:
            return log.recalls(self.pinned.log_until)

    def open_chat(self) -> "ChatModel | None":
        from brain_retrieval.models.chat.cached_chat import open_chat

        return open_chat(self.space, self.settings, "summaries", "snapshot", task="summaries")


@lru_cache(maxsize=2)
def _read_inputs(shared: str, own: str) -> PinnedInputs:
    """Return the inputs that are written so: each stage asks for them several times, and of many days they are long."""
    return PinnedInputs.from_json({**json.loads(shared), **json.loads(own)})
