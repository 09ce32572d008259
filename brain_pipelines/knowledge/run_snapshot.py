"""The engine of snapshots: runs one stage for one user and day; skips it if unchanged, else computes and stores it.

A snapshot is a function of its pinned inputs (`pinned_inputs.py`), code and settings. The first stage pins the current
inputs; later stages read only these, and fail if an upstream stage was computed from other inputs. Tables are written
before the manifest of the day, which names them and what they were made of, so a re-run after a kill equals a clean
run. The ledger of the catalog holds failures only. The stages themselves are in `knowledge/stages/`; this module does
not depend on Dagster.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from brain_pipelines.engine.run_stage import LOCK_SECONDS, StageFailedError
from brain_pipelines.engine.stage import Progress, ignore_progress
from brain_pipelines.engine.up_to_date import Make, ledger_row
from brain_pipelines.knowledge.pinned_inputs import PinnedInputs, end_of, pin_inputs
from brain_pipelines.knowledge.stage import SnapshotInput, SnapshotOutput, SnapshotStage
from brain_pipelines.readers.contract import describe, public
from brain_retrieval.errors import StoreError
from brain_retrieval.home import Space
from brain_retrieval.ids import stable_hash
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.locking import writer_lock

if TYPE_CHECKING:
    import polars as pl

    from brain_retrieval.models.chat.protocol import ChatModel
    from brain_retrieval.stores.snapshots import StageRecord

SNAPSHOT = "snapshot"  # the `source` of snapshots in the ledger, where other rows have a source type


@dataclass
class SnapshotReport:
    """The result of one stage for one snapshot: row counts by table, warnings, measures, a sample of ids, seconds."""

    day: str
    skipped: bool = False
    rows: dict[str, int] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    measures: dict[str, float] = field(default_factory=dict)
    sample: tuple[str, ...] = ()
    seconds: float = 0.0


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
    """Bring a stage of a snapshot up to date. The first stage pins the current inputs for the whole snapshot.

    Args:
        stage: the stage to run.
        stages: all stages of a snapshot, in order.
        space: the stores of the user.
        day: the knowledge day, ISO.
        settings: of the installation.
        run_id: recorded with a failure in the ledger.
        force: compute the stage even if its inputs, code and configuration are unchanged.
        progress: callback for progress of the stage.

    Raises:
        StageFailedError: if the stage failed; the previously stored tables are kept.
    """
    started = time.perf_counter()
    report = SnapshotReport(day)
    with writer_lock(space.create(), timeout=LOCK_SECONDS), Catalog(space) as catalog:
        work = _Work(stage, stages, space, catalog, settings, day, progress)
        try:
            if stage == stages[0]:
                work.pin()
            work.bring_up_to_date(report, force)
            work.clear_failure()
        except Exception as error:
            work.record_failure(run_id, describe(error), time.perf_counter() - started)
            # Not chained: an error of a library may quote user text, and the event log is never purged.
            raise StageFailedError(f"{stage.group}/{stage.name} of {day}: {public(error)}") from None
    report.seconds = time.perf_counter() - started
    return report


@dataclass
class _Work:
    """The run of one stage of one snapshot of one user."""

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

    # -- inputs and hashes --------------------------------------------------------------------------------------------

    def pin(self) -> None:
        """Store the current state of all inputs as the inputs of this snapshot."""
        pinned, before = pin_inputs(self.space, self.settings, self.catalog, self.day, self.stages), self.pinned_before
        if before is None or replace(before, log_until=pinned.log_until) != pinned:  # else there was no recall between
            self.store.write_inputs(self.day, pinned.as_json(), own=["log_until"])

    @property
    def pinned_before(self) -> PinnedInputs | None:
        try:
            return PinnedInputs.from_json(self.store.inputs(self.day) or {})
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

    def make(self) -> Make:
        """Return the hashes that decide whether the stage may be skipped: inputs, code, configuration."""
        config = stable_hash(self.stage.config(self.settings, self.space.user))
        return Make(self.input_hash(), self.stage.code_version, config)

    def input_hash(self) -> str:
        """Return the hash of everything the stage may read: pinned inputs and the tables of upstream stages.

        Raises:
            StoreError: if an upstream stage of this snapshot has not run.
        """
        upstream = {}
        for name in self.stage.upstream:
            record = self.store.stage(self.day, name)
            if record is None:
                raise StoreError(f"the snapshot {self.day} lacks {name}; {self.start_again}")
            upstream[name] = record.output_hash
        inputs = self.pinned.content_hash(self.stage.lake, reads_log=self.stage.reads_log)
        return stable_hash([self.day, self.settings.time_zone, upstream, inputs])

    def check_one_state(self) -> None:
        """Check that all direct and indirect upstream stages were computed from the pinned inputs.

        Raises:
            StoreError: if one was not.
        """
        for name in self.before(self.stage):
            record = self.store.stage(self.day, name)
            expected = replace(self, stage=self.by_name[name]).input_hash()
            if record is None or record.input_hash != expected:
                raise StoreError(f"{name} of the snapshot {self.day} is not of the pinned inputs; {self.start_again}")

    def before(self, stage: SnapshotStage) -> list[str]:
        """Return the names of the direct and indirect upstream stages of a stage, in order."""
        found = set(stage.upstream)
        for other in reversed(self.stages):
            if other.name in found:
                found |= set(other.upstream)
        return [one.name for one in self.stages if one.name in found]

    # -- computing --------------------------------------------------------------------------------------------------

    def bring_up_to_date(self, report: SnapshotReport, force: bool) -> None:
        self.check_one_state()
        make = self.make()
        if not force and (before := self.unchanged(make)):
            report.skipped = True
            report.rows = {name: table.rows for name, table in before.tables.items()}
            report.measures = self.stored_measures()
            return
        output = self.stage.run(self.snapshot_input())
        tables = {table: output.tables[table] for table in self.stage.tables}
        identity = {"input_hash": make.input_hash, "config_hash": make.config_hash}
        self.store.write_stage(self.day, self.stage.name, tables, code_version=make.code_version, **identity)
        report.rows = {table: frame.height for table, frame in tables.items()}
        report.warnings, report.measures, report.sample = output.warnings, output.measures, output.sample

    @property
    def key(self) -> tuple[str, str, str]:
        return SNAPSHOT, self.stage.name, self.day

    def unchanged(self, make: Make) -> "StageRecord | None":
        """Return the stored output of the stage if it is intact and was made of the same."""
        stored = self.store.stage(self.day, self.stage.name)
        if stored is None or make != Make(stored.input_hash, stored.code_version, stored.config_hash):
            return None
        if self.stage.publishes:
            return stored if self.is_published() else None
        return stored if self.store.is_whole(stored) else None

    def is_published(self) -> bool:
        """Return whether this snapshot is visible to readers and a graph exists."""
        made = [stage.name for stage in self.stages if stage.tables]
        return self.store.is_visible(self.day, made) and (self.space.root / "graph.sqlite").is_file()

    def record_failure(self, run_id: str, error: str, seconds: float) -> None:
        """Record a failure; the next run computes the stage again."""
        make = Make("", self.stage.code_version, "")
        self.store.discard_stage(self.day, self.stage.name)
        self.catalog.put_ledger(ledger_row(self.key, make, run_id=run_id, error=error, seconds=seconds))

    def clear_failure(self) -> None:
        """Remove an earlier failure from the ledger, and the successes that it held in the first layout."""
        rows = self.catalog.ledger(source=SNAPSHOT, stage=self.stage.name)
        if done := [row for row in rows if row.day == self.day or row.state == "ok"]:
            self.catalog.drop_ledger(done)

    def stored_measures(self) -> dict[str, float]:
        """Return the stored quality measures, so that a failed check also fails when the stage is skipped."""
        if not self.stage.checks:
            return {}
        return dict(self.store.read_stage(self.day, self.stage.name, "quality", ["metric", "value"]).iter_rows())

    # -- input of the stage -----------------------------------------------------------------------------------------

    def snapshot_input(self) -> SnapshotInput:
        return SnapshotInput(
            user=self.space.user,
            day=self.day,
            now=end_of(self.day, self.settings),
            settings=self.settings,
            lake=self.read_lake,
            snapshot=self.read_snapshot,
            previous=self.read_previous,
            recalls=self.read_recalls,
            chat=self.open_chat,
            publish=self.publish,
            progress=self.progress,
        )

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

    def publish(self) -> SnapshotOutput:
        """Publish the snapshot, and the graph if it is the newest; prune old snapshots and files."""
        from brain_pipelines.knowledge.publish import publish_snapshot

        return publish_snapshot(self.store, self.day, self.stages, self.catalog, self.settings, self.pinned)

    def open_chat(self) -> "ChatModel | None":
        from brain_retrieval.models.chat.cached_chat import open_chat

        return open_chat(self.space, self.settings, "summaries", "snapshot", task="summaries")
