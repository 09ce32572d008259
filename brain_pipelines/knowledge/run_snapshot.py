"""The engine of snapshots: runs one stage for one user and day; skips it if unchanged, else computes and stores it.

A snapshot is a function of its pinned inputs (`pinned_inputs.py`), code and settings. The first stage pins the current
inputs; later stages read only these, and fail if an upstream stage was computed from other inputs. Tables are written
before the manifest of the day, which names them and what they were made of, so a re-run after a kill equals a clean
run. The ledger of the catalog holds failures only. The stages themselves are in `knowledge/stages/`; this module does
not depend on Dagster.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from brain_pipelines.engine.healing import replace_catalog
from brain_pipelines.engine.run_stage import LOCK_SECONDS, StageFailedError
from brain_pipelines.engine.stage import Progress, ignore_progress
from brain_pipelines.engine.up_to_date import Make, ledger_row
from brain_pipelines.knowledge.pinned_inputs import PinnedInputs, end_of, pin_inputs
from brain_pipelines.knowledge.snapshot_reads import SnapshotReads
from brain_pipelines.knowledge.stage import SnapshotInput, SnapshotOutput, SnapshotStage
from brain_pipelines.readers.contract import describe, public
from brain_retrieval.errors import BrainError, DamagedCatalogError, StoreError, home_error
from brain_retrieval.home import Space
from brain_retrieval.ids import stable_hash
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.lake_compaction import compact
from brain_retrieval.stores.locking import working, writer_lock

if TYPE_CHECKING:
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
    with working(space.create()), Catalog(space) as catalog:
        work = _Work(stage, stages, space, catalog, settings, day, progress)
        try:
            if stage == stages[0]:
                work.compact()
                with work.locked():
                    work.pin()
            work.bring_up_to_date(report, force)
            with work.locked():
                work.clear_failure()
        except DamagedCatalogError as error:
            replace_catalog(space, settings)
            raise StageFailedError(f"{stage.group}/{stage.name} of {day}: {public(error)}") from None
        except Exception as error:
            if (unusable := home_error(error)) is not None:
                raise unusable from None
            with work.locked():
                work.record_failure(run_id, describe(error), time.perf_counter() - started)
            # Not chained: an error of a library may quote user text, and the event log is never purged.
            raise StageFailedError(f"{stage.group}/{stage.name} of {day}: {public(error)}") from None
    report.seconds = time.perf_counter() - started
    return report


def is_current(stages: Sequence[SnapshotStage], space: Space, day: str, *, settings: Settings) -> bool:
    """Return whether a run of all stages would compute nothing: the snapshot is whole, visible, and of the same.

    What cannot be looked at is not current: a run says what is wrong, or repairs it. Nothing is written.

    Args:
        stages: all stages of a snapshot, in order.
        space: the stores of the user.
        day: the knowledge day, ISO.
    """
    try:
        with working(space), writer_lock(space, timeout=LOCK_SECONDS), Catalog(space) as catalog:
            work = [_Work(stage, stages, space, catalog, settings, day, ignore_progress) for stage in stages]
            if catalog.ledger(source=SNAPSHOT) or not work[0].is_pinned():  # a run clears what the ledger holds
                return False
            return all(one.unchanged(one.make()) is not None for one in work)
    except BrainError:
        return False


class _Work(SnapshotReads):
    """The run of one stage of one snapshot of one user."""

    # -- inputs and hashes --------------------------------------------------------------------------------------------

    def compact(self) -> None:
        """Compact closed months before the inputs are pinned.

        Later their rows would move to other files than the pinned ones, and the next night would have to pin them again
        although nothing has changed.
        """
        compact(Lake(self.space, self.catalog), datetime.now(UTC).strftime("%Y-%m"))

    def pin(self) -> None:
        """Store the current state of all inputs as the inputs of this snapshot."""
        now = self.inputs_now()
        if not _is_same(self.pinned_before, now):
            self.store.write_inputs(self.day, now.as_json(), own=["log_until"])

    def is_pinned(self) -> bool:
        """Return whether the current state of all inputs is the one that is stored."""
        return _is_same(self.pinned_before, self.inputs_now())

    def inputs_now(self) -> PinnedInputs:
        """Return the current state of all inputs."""
        return pin_inputs(self.space, self.settings, self.catalog, self.day, self.stages)

    def make(self) -> Make:
        """Return the hashes that decide whether the stage may be skipped: inputs, code, configuration."""
        config = stable_hash(self.stage.config(self.settings, self.space.user))
        return Make(self.input_hash(self.stage, self.record), self.stage.code_version, config)

    def record(self, name: str) -> "StageRecord | None":
        """Return what a stage last wrote for this snapshot."""
        return self.store.stage(self.day, name)

    def input_hash(self, stage: SnapshotStage, record: "Callable[[str], StageRecord | None]") -> str:
        """Return the hash of everything a stage may read: pinned inputs and the tables of upstream stages.

        Args:
            stage: the stage.
            record: returns what an upstream stage last wrote.

        Raises:
            StoreError: if an upstream stage of this snapshot has not run.
        """
        upstream = {}
        for name in stage.upstream:
            written = record(name)
            if written is None:
                raise StoreError(f"the snapshot {self.day} lacks {name}; {self.start_again}")
            upstream[name] = written.output_hash
        inputs = self.pinned.content_hash(stage.lake, reads_log=stage.reads_log)
        return stable_hash([self.day, self.settings.time_zone, upstream, inputs])

    def check_one_state(self) -> None:
        """Check that all direct and indirect upstream stages were computed from the pinned inputs.

        Raises:
            StoreError: if one was not.
        """
        record = cache(self.record)  # nothing is written while the lock is held
        for name in self.before(self.stage):
            written, expected = record(name), self.input_hash(self.by_name[name], record)
            if written is None or written.input_hash != expected:
                raise StoreError(f"{name} of the snapshot {self.day} is not of the pinned inputs; {self.start_again}")

    def check_unchanged(self, make: Make) -> None:
        """Check that no other run has pinned other inputs, or computed an upstream stage, in the meantime.

        Raises:
            StoreError: if one has.
        """
        if replace(self).make() != make:
            raise StoreError(f"another run began the snapshot {self.day} again; {self.start_again}")

    def locked(self) -> AbstractContextManager[None]:
        """Hold the user's writer lock."""
        return writer_lock(self.space, timeout=LOCK_SECONDS)

    def before(self, stage: SnapshotStage) -> list[str]:
        """Return the names of the direct and indirect upstream stages of a stage, in order."""
        found = set(stage.upstream)
        for other in reversed(self.stages):
            if other.name in found:
                found |= set(other.upstream)
        return [one.name for one in self.stages if one.name in found]

    # -- computing --------------------------------------------------------------------------------------------------

    def bring_up_to_date(self, report: SnapshotReport, force: bool) -> None:
        with self.locked():
            self.check_one_state()
            make = self.make()
            before = None if force else self.unchanged(make)
        if before is not None:
            report.skipped = True
            report.rows = {name: table.rows for name, table in before.tables.items()}
            report.measures = self.stored_measures()
            return
        # A summary by a chat model takes seconds, and a message must not wait for it: the lock is free meanwhile.
        with self.locked() if self.stage.publishes else nullcontext():
            output = self.stage.run(self.snapshot_input())
        tables = {table: output.tables[table] for table in self.stage.tables}
        identity = {"input_hash": make.input_hash, "config_hash": make.config_hash}
        with self.locked():
            self.check_unchanged(make)
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

    def publish(self) -> SnapshotOutput:
        """Publish the snapshot, and the graph if it is the newest; prune old snapshots and files."""
        from brain_pipelines.knowledge.publish import publish_snapshot

        return publish_snapshot(self.store, self.day, self.stages, self.catalog, self.settings, self.pinned)


def _is_same(before: PinnedInputs | None, now: PinnedInputs) -> bool:
    """Return whether inputs are the same; a later end of the access log is, if there was no recall between."""
    return before is not None and replace(before, log_until=now.log_until) == now
