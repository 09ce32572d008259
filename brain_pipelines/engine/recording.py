"""What is recorded of the days of a stage: the ledger, items in quarantine, attempts, and what waits for a model."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property

from brain_pipelines.engine import stage_version
from brain_pipelines.engine.stage import VIOLATED, ChecksViolatedError, Stage, StageOutput
from brain_pipelines.engine.up_to_date import Make, ledger_row
from brain_pipelines.engine.waiting import ATTEMPT, WAITING, waits
from brain_pipelines.engine.writers import UserStores
from brain_pipelines.readers.contract import Issue, describe
from brain_pipelines.sources.source import Source
from brain_retrieval.errors import is_unanswered
from brain_retrieval.stores.catalog import LedgerRow, QuarantineRow

MAX_ATTEMPTS = 3


@dataclass
class StageReport:
    """Outcome of a stage by ISO day. `rows` counts the rows now stored for each computed day."""

    computed: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    rows: dict[str, int] = field(default_factory=dict)
    violations: dict[str, int] = field(default_factory=dict)  # by validity check; nothing was stored if any is > 0
    quarantined: dict[str, int] = field(default_factory=dict)
    waiting: dict[str, int] = field(default_factory=dict)  # of them, items that a remote model is asked about again
    seconds: float = 0.0


@dataclass(frozen=True)
class Plan:
    """What was found before computing: the hash of each day's input, its ledger row, and the days to compute."""

    inputs: dict[str, str]
    before: dict[str, LedgerRow]
    todo: list[str]


class StageRecords:
    """The records of one stage of one source of one user."""

    def __init__(self, stage: Stage, source: Source, bench: UserStores, run_id: str) -> None:
        self.stage, self.source, self.bench, self.run_id = stage, source, bench, run_id

    @cached_property
    def config_hash(self) -> str:
        return stage_version.config_hash(self.stage, self.source, self.bench.settings, self.bench.space.user)

    def make(self, input_hash: str) -> Make:
        return Make(input_hash, self.stage.code_version, self.config_hash)

    def name_config(self) -> None:
        """Record what the hash of the settings stands for, so that a later change can be named."""
        key = stage_version.config_key(self.config_hash)
        if self.bench.catalog.get_meta(key) is None:
            said = stage_version.describe(self.stage, self.source, self.bench.settings)
            self.bench.catalog.set_meta(key, said)

    def fail(self, days: Sequence[str], inputs: dict[str, str], error: Exception | str) -> None:
        """Record that no day of the span could be stored; counts as one attempt for each day as a whole."""
        reason = _reason(error)
        for day in days:
            key = (self.source.name, self.stage.name, day, "", inputs[day])
            self.bench.catalog.record_attempt(*key, run_id=self.run_id, error=reason)
            # The hash of the settings is left out, since computing it may be what failed.
            make = Make(inputs[day], self.stage.code_version, "")
            self.bench.catalog.put_ledger(ledger_row(key[:3], make, run_id=self.run_id, error=reason))

    def keep(self, plan: Plan, days: Sequence[str], output: StageOutput, report: StageReport) -> list[str]:
        """Leave stored days as they are for which a model did not answer, and return them.

        What was made of the same input under older code or settings is complete; what could be made now is not.
        """
        kept = []
        for day in days:
            row, missing = plan.before.get(day), _waiting(output, day)
            if not missing or row is None or row.state != "ok" or waits(row) or row.input_hash != plan.inputs[day]:
                continue
            if self.make(plan.inputs[day]).is_of(row):
                continue
            reason = f"{WAITING}{len(missing)} items: {missing[0].reason}"
            key = (self.source.name, self.stage.name, day)
            self.bench.catalog.record_attempt(*key, ATTEMPT, row.input_hash, run_id=self.run_id, error=reason)
            now = datetime.now(UTC)
            self.bench.catalog.put_ledger(replace(row, error=reason, run_id=self.run_id, started_at=now))
            standing = self.bench.catalog.quarantine(self.source.name, self.stage.name, day)
            rows = [*standing, *(self.quarantine_row(day, issue, issue.kind) for issue in missing)]
            self.bench.catalog.replace_quarantine(*key, rows)
            report.rows[day], report.quarantined[day] = row.rows, len(rows)
            report.waiting[day] = len(missing)
            report.skipped.append(day)
            kept.append(day)
        return kept

    def record(
        self, day: str, input_hash: str, digest: str, output: StageOutput, report: StageReport, seconds: float
    ) -> None:
        waiting = _waiting(output, day)
        failures = [f for f in output.failures.get(day, []) if f.kind != "waiting"]
        tries = [(f, self.attempt(day, input_hash, f)) for f in failures]
        given_up = [f for f, count in tries if count >= MAX_ATTEMPTS and f.kind != "lost"]
        retryable = [f for f in failures if f not in given_up]
        rows = [self.quarantine_row(day, i, i.kind) for i in output.issues.get(day, []) if i.kind != "waiting"]
        rows += [self.quarantine_row(day, i, i.kind) for i in waiting]
        rows += [self.quarantine_row(day, f, "failed") for f in retryable]
        rows += [self.quarantine_row(day, f, "rejected", f"gave up after {MAX_ATTEMPTS} attempts: ") for f in given_up]
        self.bench.catalog.replace_quarantine(self.source.name, self.stage.name, day, rows)
        error = f"{len(retryable)} items failed and will be retried" if retryable else ""
        key = (self.source.name, self.stage.name, day)
        missing = f"{WAITING}{len(waiting)} items: {waiting[0].reason}" if waiting else ""
        if waiting:
            self.bench.catalog.record_attempt(*key, ATTEMPT, input_hash, run_id=self.run_id, error=missing)
        self.bench.catalog.put_ledger(
            ledger_row(
                key,
                self.make(input_hash),
                run_id=self.run_id,
                output_hash=digest,
                rows=report.rows.get(day, 0),
                error=error,
                waiting=missing,
                seconds=seconds,
            )
        )
        report.quarantined[day] = len(rows)
        report.waiting[day] = len(waiting)
        (report.failed if retryable else report.computed).append(day)

    def attempt(self, day: str, input_hash: str, failure: Issue) -> int:
        key = (self.source.name, self.stage.name, day, failure.source_id, input_hash)
        self.bench.catalog.record_attempt(*key, run_id=self.run_id, error=failure.reason)
        return self.bench.catalog.attempts(*key)

    def quarantine_row(self, day: str, issue: Issue, kind: str, prefix: str = "") -> QuarantineRow:
        return QuarantineRow(
            source=self.source.name,
            stage=self.stage.name,
            day=day,
            source_id=issue.source_id,
            uri=issue.uri,
            reason=prefix + issue.reason,
            kind=kind,
            detail=issue.detail,
        )


def _waiting(output: StageOutput, day: str) -> list[Issue]:
    """Return what waits for a remote model on a day."""
    return [i for found in (output.failures, output.issues) for i in found.get(day, []) if i.kind == "waiting"]


def _reason(error: Exception | str) -> str:
    if isinstance(error, str):
        return error
    if isinstance(error, ChecksViolatedError):
        return f"{VIOLATED}{error}"
    return f"{WAITING}{describe(error)}" if is_unanswered(error) else describe(error)
