"""The stage contract: a named, versioned function from the rows of a span of days to rows, with its input and output.

Skipping, locking, storing and recording are done by `run_stage.py`; this module depends neither on stores nor on
Dagster.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from brain_pipelines.readers.contract import Issue, describe
from brain_pipelines.sources.source import Source
from brain_retrieval.errors import is_unanswered
from brain_retrieval.schemas.embedded import KnownVector
from brain_retrieval.settings import Settings

if TYPE_CHECKING:
    from brain_retrieval.models.chat.cached_chat import CachedChat
    from brain_retrieval.models.chat.metering import MeterOpener
    from brain_retrieval.models.chat.protocol import ChatModel
    from brain_retrieval.settings.language import Task

Row = dict[str, Any]


class Progress(Protocol):
    """Callback with the number of units done so far, the total and the name of the unit."""

    def __call__(self, done: int, total: int, unit: str, /) -> None: ...


def ignore_progress(_done: int, _total: int, _unit: str) -> None:
    """No-op progress callback."""


class Upstream(Protocol):
    """Source of the upstream stage's rows other than the user's own stores, such as a team's space."""

    def input_hash(self, day: str) -> str:
        """Return a hash of the rows of a day, "" if there are none."""
        ...

    def read(self, day: str) -> list[Row]:
        """Return the rows of a day."""
        ...


class ChatOpener(Protocol):
    """Opens the user's chat model, with costs booked under this stage and source; None if no model is configured."""

    def __call__(
        self, *, task: "Task | None" = None, max_output_tokens: int = 0, model: "ChatModel | None" = None
    ) -> "CachedChat | None":
        """Return the model of a task, or `model`; `max_output_tokens` raises the limit for long answers."""
        ...


@dataclass(frozen=True)
class StageInput:
    """Input of a stage: the upstream rows of each day to compute, and access to blobs, settings and models."""

    source: Source
    settings: Settings
    rows: dict[str, list[Row]]  # ISO day -> rows of the upstream table
    blob: Callable[[str], AbstractContextManager[Path]]  # sha256 -> its plain bytes, while they are needed
    stored: Callable[[str], list[Row]]  # ISO day -> rows that this stage stored for it before
    scratch: Path  # of this user, for files that live no longer than an item is read
    known_vectors: Callable[[], Mapping[str, KnownVector]]  # chunk id -> what is now in the index
    progress: Progress
    chat: ChatOpener
    meter: "MeterOpener | None" = None  # of remote models that are not chat models; None counts nothing


@dataclass
class StageOutput:
    """Rows by table and day, with the problems of single items. A day without an entry has no rows."""

    tables: dict[str, dict[str, list[Row]]] = field(default_factory=dict)
    issues: dict[str, list[Issue]] = field(default_factory=dict)  # by day: caused by the input, not retried
    failures: dict[str, list[Issue]] = field(default_factory=dict)  # by day: unexpected errors, retried a few times
    undone: set[str] = field(default_factory=set)  # days for which a remote model did not answer: they stay as they are
    stopped: Exception | None = None  # why

    def fail(self, day: str, row: Row, error: Exception, *, lost: bool = False) -> None:
        """Record an unexpected error of an item of a day; it will be retried.

        An item whose bytes are lost, and one for which a remote model did not answer, are retried until they succeed.
        """
        kind = "lost" if lost else "waiting" if is_unanswered(error) else "rejected"
        self.failures.setdefault(day, []).append(Issue(row["source_id"], row["uri"], describe(error), kind))

    def reject(self, day: str, row: Row, reason: str) -> None:
        """Record that an item of a day is invalid; it will not be retried."""
        self.issues.setdefault(day, []).append(Issue(row["source_id"], row["uri"], reason, "rejected"))

    def keep(self, table: str, day: str, row: Row, stored: Iterable[Row]) -> None:
        """Keep what an earlier run stored of an item: with its bytes gone, it may be all that is left of it."""
        self.add(table, day, [one for one in stored if one["source_id"] == row["source_id"]])

    def merge(self, other: "StageOutput") -> None:
        """Append the rows, issues and failures of another part of the same span."""
        self.undone |= other.undone
        self.stopped = self.stopped or other.stopped
        for table, days in other.tables.items():
            for day, rows in days.items():
                self.add(table, day, rows)
        for mine, theirs in ((self.issues, other.issues), (self.failures, other.failures)):
            for day, issues in theirs.items():
                mine.setdefault(day, []).extend(issues)

    def add(self, table: str, day: str, rows: Sequence[Row]) -> None:
        """Append rows to a table's day."""
        self.tables.setdefault(table, {}).setdefault(day, []).extend(rows)


@dataclass(frozen=True)
class Stage:
    """One stage of every source's graph.

    `config` returns the settings that the result depends on. They are hashed; a change re-runs this stage and the
    stages after it only. `validity` holds checks that count violations; rows that violate one are not stored. `named`
    names parts of the configuration ("model", "prompt") by which `brain plan` says what has changed.
    """

    name: str
    upstream: str | None  # the stage, and its lake table, that is read; None for the first stage
    tables: tuple[str, ...]  # what is written: lake tables, or "index"
    code_version: str
    config: Callable[[Settings, Source], Any]
    run: Callable[[StageInput], StageOutput]
    validity: tuple[Callable[[StageInput, StageOutput], int], ...]
    description: str
    releases_raw: bool = False  # no later stage needs the bytes: `privacy.raw` may encrypt or drop them after this one
    named: Callable[[Settings, Source], Mapping[str, str]] = lambda settings, source: {}
    reads: str = ""  # the upstream stage's lake table that is read, if it has another name than the stage
    aside: tuple[str, ...] = ()  # of `tables`, those that no stage reads: a change of them re-runs none
    per_reader: bool = False  # in a team's space it runs separately for each reader, on request


VIOLATED = "checks violated: "  # the ledger's reason for a day whose rows were not stored because of a check


class ChecksViolatedError(Exception):
    """Rows violate validity checks; `violations` counts them by name of the check."""

    def __init__(self, violations: dict[str, int]) -> None:
        super().__init__(", ".join(f"{name}: {count}" for name, count in violations.items() if count))
        self.violations = violations
