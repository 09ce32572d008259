"""Execution of one stage over a span of days of one user: skip unchanged days, compute the others, replace, record.

The Dagster assets are thin wrappers around `materialize`; this module does not depend on Dagster.

The user's writer lock is held while stores are compared or written, and not while rows are computed: recognising the
speech of a video takes minutes, and a message must not wait for it. Before rows are stored, the input is compared with
what it was: days that another process changed meanwhile are computed again.
"""

import logging
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from datetime import UTC, datetime

from brain_pipelines.engine.healing import heal_index, replace_catalog, unindexed
from brain_pipelines.engine.job import Job, StageFailedError
from brain_pipelines.engine.recording import MAX_ATTEMPTS, Plan, StageReport
from brain_pipelines.engine.stage import (
    ChecksViolatedError,
    Progress,
    Stage,
    StageOutput,
    Upstream,
    ignore_progress,
)
from brain_pipelines.engine.standing import record_problems
from brain_pipelines.engine.writers import UserStores
from brain_pipelines.readers.contract import public
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.sources.source import Source
from brain_retrieval.errors import DamagedCatalogError, DamagedIndexError, StoreError, home_error, may_pass
from brain_retrieval.home import Space
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.locking import working, writer_lock

__all__ = ["LOCK_SECONDS", "MAX_ATTEMPTS", "StageFailedError", "StageReport", "materialize"]

LOCK_SECONDS = 3600.0
ROUNDS = 3  # after so many in which another process changed the input, the lock is held while computing
LOGGER = logging.getLogger(__name__)


def materialize(
    stage: Stage,
    source: Source,
    space: Space,
    days: Sequence[str],
    *,
    settings: Settings,
    run_id: str,
    force: bool = False,
    progress: Progress = ignore_progress,
    upstream: Upstream | None = None,
) -> StageReport:
    """Bring `stage` of `source` up to date for `days` of one user.

    An index or a catalog that cannot be read is moved aside; the index is built again at once, for all days of the
    user, and after a lost catalog every landed day is entered in the queue of dirty days.

    Args:
        days: ISO days, any order; a day without data costs one look-up.
        run_id: recorded in the ledger and in attempts, never in rows.
        force: also compute unchanged days.
        upstream: replaces the user's own stores as the place where the stage reads its input.

    Raises:
        StageFailedError: if the stage as a whole failed; single bad items never raise.
        UnusableHomeError: the disk is full, or the home read-only or out of reach.
    """
    started = time.perf_counter()
    run = _Run(stage, source, space, settings, run_id, progress, upstream)
    try:
        report = run.over(sorted(set(days)), force)
        for name, lost in run.unindexed():
            again = _Run(stage, SOURCES_BY_NAME[name], space, settings, run_id, progress)
            again.over(lost, force=False)
    except DamagedCatalogError as error:
        replace_catalog(space, settings)
        raise StageFailedError(f"{source.name}/{stage.name}: {public(error)}") from None
    if report.computed or report.failed:
        with Catalog(space) as catalog:
            record_problems(space, catalog)
    report.seconds = time.perf_counter() - started
    return report


class _Run:
    """One call of `materialize`."""

    def __init__(
        self,
        stage: Stage,
        source: Source,
        space: Space,
        settings: Settings,
        run_id: str,
        progress: Progress,
        upstream: Upstream | None = None,
    ) -> None:
        self.stage, self.source, self.space, self.settings, self.run_id = stage, source, space, settings, run_id
        self.progress, self.upstream = progress, upstream
        self.healed = False

    def over(self, days: Sequence[str], force: bool) -> StageReport:
        """Bring days up to date; an index that turns out to be damaged is moved aside and the days are run again."""
        try:
            return self._over(days, force)
        except DamagedIndexError as error:
            LOGGER.warning("%s", error)
            with self._locked(), UserStores.open(self.space, self.settings) as bench:
                self.healed = heal_index(bench, self.stage, damaged=True) or self.healed
            return self._over(days, force)

    def unindexed(self) -> list[tuple[str, list[str]]]:
        """Return (source, days) whose chunks the index lacks after a repair in this run."""
        if not self.healed:
            return []
        with UserStores.open(self.space, self.settings) as bench:
            return unindexed(bench.catalog, self.stage)

    def _over(self, days: Sequence[str], force: bool) -> StageReport:
        report = StageReport()
        with working(self.space), UserStores.open(self.space, self.settings) as bench:
            job = Job(self.stage, self.source, bench, self.run_id, self.progress, self.upstream)
            left = [*days, *job.left_behind(days)]
            for _ in range(ROUNDS):
                left = self._attempt(job, left, force, report)
                if not left:
                    return report
            with self._locked():
                self._attempt(job, left, force, report)
        return report

    def _attempt(self, job: Job, days: Sequence[str], force: bool, report: StageReport) -> list[str]:
        """Compute and store days; return those whose input changed meanwhile."""
        with self._locked():
            plan = job.look(days)
        try:
            with self._locked():
                if "index" in self.stage.tables:
                    self.healed = heal_index(job.bench, self.stage) or self.healed
                    plan = job.look(days)
                plan = job.plan(plan, force)
                same = [day for day in days if day not in set(plan.todo)]
                report.skipped += same
                job.settle(same, plan, report)
            return self._compute(job, plan, report) if plan.todo else []
        except (DamagedCatalogError, DamagedIndexError, StageFailedError):
            raise
        except Exception as error:
            if (unusable := home_error(error)) is not None:
                with suppress(StoreError, OSError), self._locked():  # a full disk may not even take the reason
                    job.fail(plan.todo, plan.inputs, str(unusable))
                raise unusable from None
            with self._locked():
                job.fail(plan.todo, plan.inputs, error)
            raise self._failed(error) from None

    def _compute(self, job: Job, plan: Plan, report: StageReport) -> list[str]:
        began, at = time.perf_counter(), datetime.now(UTC)
        output, error = StageOutput(), None
        try:
            output, report.violations = job.compute(plan.todo)
        except ChecksViolatedError as violated:
            error = violated
        seconds = time.perf_counter() - began
        with self._locked():
            changed = set(job.changed(plan))
            days = [day for day in plan.todo if day not in changed]
            if error is not None:
                job.fail(days, plan.inputs, error)
                report.violations, report.failed = error.violations, [*report.failed, *days]
                return sorted(changed)
            made = set(job.done_elsewhere(plan, days))
            report.skipped += sorted(made)
            undone = [day for day in days if day in output.undone and day not in made]
            done = [day for day in days if day not in undone]
            kept = job.keep(plan, [day for day in done if day not in made], output, report)
            stored = [day for day in done if day not in made and day not in kept]
            job.put(plan, stored, output, report, seconds)
            job.book(stored, at)
            job.settle(done, plan, report)
            if output.stopped is not None and undone:
                job.fail(undone, plan.inputs, output.stopped)
                raise self._failed(output.stopped)
        return sorted(changed)

    def _failed(self, error: Exception) -> StageFailedError:
        # Not chained: the message of a foreign error may quote a text, and the event log is never purged.
        message = f"{self.source.name}/{self.stage.name}: {public(error)}"
        return StageFailedError(message, transient=may_pass(error))

    def _locked(self) -> AbstractContextManager[None]:
        return writer_lock(self.space, timeout=LOCK_SECONDS)
