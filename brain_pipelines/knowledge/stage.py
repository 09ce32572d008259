"""What a snapshot stage is: a named, versioned function from what is known at the end of a day to snapshot tables.

The engine that skips, locks and stores is `run_snapshot.py`; this module knows neither stores nor Dagster.
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
    """Returns rows of a table, all columns if none are named."""

    def __call__(self, table: str, columns: Sequence[str] | None = None, /) -> pl.DataFrame: ...


class ReadLake(Protocol):
    """Returns rows of a lake table with `received_at` up to the end of the day, of one source type or of all."""

    def __call__(
        self, table: str, columns: Sequence[str] | None = None, source: str | None = None, /
    ) -> pl.DataFrame: ...


@dataclass(frozen=True)
class SnapshotInput:
    """What a snapshot stage may see. `now` is the end of the knowledge day, exclusive; no stage asks for the time."""

    user: str
    day: str
    now: datetime
    settings: Settings
    lake: ReadLake
    snapshot: Read  # tables of this snapshot that earlier stages wrote
    previous: Read  # tables of the newest complete snapshot before this one
    recalls: Callable[[], pl.DataFrame]  # item, item_id, at
    chat: Callable[[], ChatModel | None]
    publish: Callable[[], "SnapshotOutput"]  # makes the snapshot visible, with its graph; for the last stage
    progress: Progress

    @property
    def team(self) -> str | None:
        """The team whose snapshot this is, None for that of a person."""
        return self.user if self.user in self.settings.teams else None


@dataclass
class SnapshotOutput:
    """The tables a stage made, and in words what it could not do as wished."""

    tables: dict[str, pl.DataFrame] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    measures: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class SnapshotStage:
    """One stage of a snapshot.

    `upstream` are stages of the snapshot, `lake` the lake tables (and source type, if only one matters) that are read:
    what makes a snapshot due follows from these. `config` returns what of the settings the result depends on.
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
    published: tuple[str, ...] = ()  # those of `tables` that the graph shows
    reads_log: bool = False
    checks: Mapping[str, bool] = field(default_factory=dict)  # name -> whether a failure blocks what follows
    publishes: bool = False  # run again also if what it made visible is lost


def no_config(_settings: Settings, _user: str) -> list[Any]:
    """Return the config of a stage that depends on no setting."""
    return []


def memory_config(settings: Settings, _user: str) -> Any:
    """Return the config of a stage that depends on the settings of memory."""
    return settings.memory.model_dump(mode="json", exclude={"log_access"})
