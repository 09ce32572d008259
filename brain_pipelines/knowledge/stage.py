"""The contract of a snapshot stage: a named, versioned function from lake and snapshot tables to snapshot tables.

The engine that skips, locks and stores is `run_snapshot.py`; this module depends neither on stores nor on Dagster.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

import polars as pl

from brain_pipelines.engine.stage import Progress
from brain_retrieval.models.chat.protocol import ChatModel
from brain_retrieval.settings import Settings


class Read(Protocol):
    """Returns rows of a table; all columns if `columns` is None."""

    def __call__(self, table: str, columns: Sequence[str] | None = None, /) -> pl.DataFrame: ...


class ReadLake(Protocol):
    """Returns rows of a lake table with `received_at` before the end of the day, of one source type or of all."""

    def __call__(
        self, table: str, columns: Sequence[str] | None = None, source: str | None = None, /
    ) -> pl.DataFrame: ...


@dataclass(frozen=True)
class SnapshotInput:
    """The input of a snapshot stage. `now` is the end of the knowledge day (exclusive); stages never read the clock."""

    user: str
    day: str
    now: datetime
    settings: Settings
    lake: ReadLake
    snapshot: Read  # tables of this snapshot that earlier stages wrote
    previous: Read  # tables of the newest complete snapshot before this one
    recalls: Callable[[], pl.DataFrame]  # item, item_id, at
    chat: Callable[[], ChatModel | None]
    publish: Callable[[], "SnapshotOutput"]  # publishes snapshot and graph; for the last stage
    progress: Progress

    @property
    def team(self) -> str | None:
        """The team that the snapshot belongs to, None for a person."""
        return self.user if self.user in self.settings.teams else None


@dataclass
class SnapshotOutput:
    """The tables of a stage, warnings for the log, measures and a sample of ids for the metadata of the asset."""

    tables: dict[str, pl.DataFrame] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    measures: dict[str, float] = field(default_factory=dict)
    sample: tuple[str, ...] = ()


@dataclass(frozen=True)
class SnapshotStage:
    """One stage of a snapshot.

    `upstream` names stages of the snapshot, `lake` the lake tables (with a source type, if only one is read); a change
    of these inputs makes a snapshot due. `config` returns the settings that the result depends on.
    """

    name: str
    group: str  # knowledge | memory
    upstream: tuple[str, ...]
    lake: tuple[tuple[str, str | None], ...]
    tables: tuple[str, ...]
    code_version: str
    config: Callable[[Settings, str], Any]
    run: Callable[[SnapshotInput], SnapshotOutput]
    description: str
    published: tuple[str, ...] = ()  # the subset of `tables` that is published to the graph
    reads_log: bool = False
    checks: Mapping[str, bool] = field(default_factory=dict)  # check name -> whether a failure blocks publication
    publishes: bool = False  # makes the snapshot visible; runs again if that was lost


def no_config(_settings: Settings, _user: str) -> list[Any]:
    """Return the config of a stage that depends on no setting."""
    return []


def memory_config(settings: Settings, _user: str) -> Any:
    """Return the config of a stage that depends on the settings of memory."""
    return settings.memory.model_dump(mode="json", exclude={"log_access"})
