"""Running one stage of one snapshot of one user: skip what is unchanged, compute the rest, store.

A snapshot is a function of the lake rows received until the end of its day, of the access log until then, of code and
settings. What the stages compute lies in `knowledge/` and `memory/`; nothing here knows Dagster.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock
from functools import cached_property
from typing import TYPE_CHECKING

from brain_pipelines.engine.run_stage import LOCK_SECONDS, StageFailedError
from brain_pipelines.engine.stage import Progress, ignore_progress
from brain_pipelines.knowledge.stage import SnapshotInput, SnapshotOutput, SnapshotStage
from brain_pipelines.readers.contract import describe, public
from brain_retrieval.home import Space
from brain_retrieval.ids import stable_hash
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog, LedgerRow
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.locking import writer_lock

if TYPE_CHECKING:
    import polars as pl

    from brain_pipelines.knowledge.team_sources import SharedSources
    from brain_retrieval.models.chat.protocol import ChatModel
    from brain_retrieval.stores.snapshots import StageRecord

SNAPSHOT = "snapshot"  # what snapshots are called in the ledger, beside the source types


@dataclass
class SnapshotReport:
    """What a stage did for a snapshot."""

    day: str
    skipped: bool = False
    rows: dict[str, int] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    measures: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0


def end_of(day: str, settings: Settings) -> datetime:
    """Return the first instant after a knowledge day of the time zone of the settings, in UTC as all times of rows."""
    following = date.fromisoformat(day) + timedelta(days=1)
    return datetime.combine(following, clock(), tzinfo=settings.zone).astimezone(UTC)


def run_stage(
    stage: SnapshotStage,
    stages: Sequence[SnapshotStage],
    space: Space,
    day: str,
    *,
    settings: Settings,
    run_id: str = "",
    force: bool = False,
    progress: Progress = ignore_progress,
) -> SnapshotReport:
    """Bring a stage of a snapshot up to date.

    Args:
        stages: all stages of a snapshot, to find which of them writes a table.
        day: the knowledge day, ISO.
        force: compute it even if nothing it depends on has changed.

    Raises:
        StageFailedError: if it could not be computed; what was stored before stays.
    """
    started = time.perf_counter()
    report = SnapshotReport(day)
    with writer_lock(space.create(), timeout=LOCK_SECONDS), Catalog(space) as catalog:
        work = _Work(stage, stages, space, catalog, settings, day, progress)
        try:
            if stage.settles:
                work.settle(report)
            work.bring_up_to_date(report, force)
        except Exception as error:
            work.record("failed", run_id, report, started, describe(error))
            # Not chained: the message of a foreign error may quote a text, and the event log keeps it for ever.
            raise StageFailedError(f"{stage.group}/{stage.name} of {day}: {public(error)}") from None
        work.record("ok", run_id, report, started)
    report.seconds = time.perf_counter() - started
    return report


def lake_hash(catalog: Catalog, tables: Sequence[tuple[str, str | None]]) -> str:
    """Return a hash of the content of lake tables (of one source type, or of all)."""
    return stable_hash([[t, s, [(f.key, f.digest) for f in catalog.lake_files(t, source=s)]] for t, s in tables])


@dataclass
class _Work:
    """One stage, one user, one snapshot."""

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
        self.maker = {table: stage.name for stage in self.stages for table in stage.tables}

    def settle(self, report: SnapshotReport) -> None:
        """Bring the stages before this one up to date: what was ingested since they ran, they then all know."""
        for earlier in self._earlier():
            done = SnapshotReport(self.day)
            earlier.bring_up_to_date(done, force=False)
            report.warnings += done.warnings

    def is_settled(self) -> bool:
        """Tell whether the stages before this one would all be skipped."""
        return all(earlier.unchanged(earlier.key()) for earlier in self._earlier())

    def _earlier(self) -> "list[_Work]":
        stages = self.stages[: self.stages.index(self.stage)]
        return [_Work(s, self.stages, self.space, self.catalog, self.settings, self.day, self.progress) for s in stages]

    def key(self) -> tuple[str, str, str]:
        """Return the hashes that decide whether the stage may be skipped: inputs, code, configuration."""
        config = stable_hash(self.stage.config(self.settings, self.space.user))
        return self.input_hash(), self.stage.code_version, config

    def unchanged(self, key: tuple[str, str, str]) -> "StageRecord | None":
        """Return what the stage stored, if it is whole and was made of the same."""
        before = self.store.stage(self.day, self.stage.name)
        if before is None or (before.input_hash, before.code_version, before.config_hash) != key:
            return None
        if self.stage.publishes:
            return before if self.is_published() else None
        return before if self.store.is_whole(self.day, before) else None

    def is_published(self) -> bool:
        """Tell whether readers see this snapshot, and a graph."""
        made = [stage.name for stage in self.stages if stage.tables]
        return self.store.is_visible(self.day, made) and (self.space.root / "graph.sqlite").is_file()

    def bring_up_to_date(self, report: SnapshotReport, force: bool) -> None:
        key = self.key()
        if not force and (before := self.unchanged(key)):
            report.skipped = True
            report.rows = {name: table.rows for name, table in before.tables.items()}
            report.measures = self.stored_measures()
            return
        inputs, _, config = key
        began = time.perf_counter()
        output = self.stage.run(self.snapshot_input())
        self.store.write_stage(
            self.day,
            self.stage.name,
            {table: output.tables[table] for table in self.stage.tables},
            input_hash=inputs,
            code_version=self.stage.code_version,
            config_hash=config,
            seconds=time.perf_counter() - began,
        )
        report.rows = {table: frame.height for table, frame in output.tables.items()}
        report.warnings, report.measures = output.warnings, output.measures

    def record(self, state: str, run_id: str, report: SnapshotReport, started: float, error: str = "") -> None:
        """Tell the ledger how the stage ended, for `brain status`; what may be skipped is not read there."""
        self.catalog.put_ledger(
            LedgerRow(
                source=SNAPSHOT,
                stage=self.stage.name,
                day=self.day,
                state=state,
                input_hash="",
                code_version=self.stage.code_version,
                config_hash="",
                output_hash="",
                rows=sum(report.rows.values()),
                error=error,
                run_id=run_id,
                started_at=datetime.now(UTC),
                seconds=round(time.perf_counter() - started, 3),
            )
        )

    def stored_measures(self) -> dict[str, float]:
        """Return what the quality gate found when it last ran: what failed fails again until its cause is gone."""
        if not self.stage.checks:
            return {}
        return dict(self.store.read_stage(self.day, self.stage.name, "quality", ["metric", "value"]).iter_rows())

    def input_hash(self) -> str:
        """Return the hash of all that the stage may read.

        Raises:
            StoreError: if an upstream stage of this snapshot has not run.
        """
        from brain_retrieval.errors import StoreError

        upstream = {}
        for name in self.stage.upstream:
            record = self.store.stage(self.day, name)
            if record is None:
                raise StoreError(f"the snapshot {self.day} lacks {name}; run the nightly job of this day")
            upstream[name] = record.output_hash
        log = self.recalls.height and stable_hash(self.recalls.rows()) if self.stage.reads_log else ""
        lake = [lake_hash(self.catalog, self.stage.lake), self.shared.content_hash(self.stage.lake)]
        return stable_hash([self.day, self.settings.time_zone, upstream, lake, log])

    def snapshot_input(self) -> SnapshotInput:
        return SnapshotInput(
            user=self.space.user,
            day=self.day,
            now=end_of(self.day, self.settings),
            settings=self.settings,
            lake=self.read_lake,
            snapshot=self.read_snapshot,
            previous=self.read_previous,
            recalls=lambda: self.recalls,
            chat=self.open_chat,
            publish=self.publish,
            progress=self.progress,
        )

    def read_lake(self, table: str, columns: Sequence[str] | None = None, source: str | None = None) -> "pl.DataFrame":
        import polars as pl

        if (table, source) not in self.stage.lake and (table, None) not in self.stage.lake:
            raise ValueError(f"{self.stage.name} does not declare that it reads {table}")
        wanted = [*dict.fromkeys([*columns, "received_at", "source", "source_id"])] if columns else None
        rows = pl.DataFrame(Lake(self.space, self.catalog).read(table, source=source, columns=wanted))
        if source is None:
            rows = self.shared.add_to(rows, table)
        known = rows.filter(pl.col("received_at") < end_of(self.day, self.settings))
        return known.select(columns) if columns else known

    @cached_property
    def shared(self) -> "SharedSources":
        from brain_pipelines.knowledge.team_sources import SharedSources

        return SharedSources(self.space, self.settings)

    def read_snapshot(self, table: str, columns: Sequence[str] | None = None) -> "pl.DataFrame":
        if self.maker[table] not in self.stage.upstream:
            raise ValueError(f"{self.stage.name} does not declare that it reads {table}")
        return self.store.read_stage(self.day, self.maker[table], table, columns)

    def read_previous(self, table: str, columns: Sequence[str] | None = None) -> "pl.DataFrame":
        before = self.store.newest((date.fromisoformat(self.day) - timedelta(days=1)).isoformat())
        day = before or self.day  # what this very snapshot said before is the next best thing
        record = self.store.stage(day, self.maker[table])
        if self.maker[table] == self.stage.name and record and record.code_version != self.stage.code_version:
            return self.store.empty(table, columns)  # nothing that older code made is carried over
        return (
            self.store.read(day, table, columns)
            if before
            else self.store.read_stage(day, self.maker[table], table, columns)
        )

    @cached_property
    def recalls(self) -> "pl.DataFrame":
        from brain_retrieval.stores.access_log import AccessLog

        with AccessLog(self.space) as log:
            return log.recalls(end_of(self.day, self.settings))

    def publish(self) -> SnapshotOutput:
        """Make the snapshot visible; if it is the newest, also as the graph. Old snapshots and files go."""
        from brain_pipelines.knowledge.publish import publish_snapshot

        made = [stage.name for stage in self.stages if stage.tables]
        return publish_snapshot(self.store, self.day, made, self.catalog, self.settings, settled=self.is_settled())

    def open_chat(self) -> "ChatModel | None":
        from brain_retrieval.models.chat.cached_chat import open_chat

        return open_chat(self.space, self.settings, "summaries", "snapshot")
