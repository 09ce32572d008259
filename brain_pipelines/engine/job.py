"""`Job`: the steps of bringing one stage of one source of one user up to date. `run_stage.py` orders and locks them.

Order of writes: lake (or index) first, ledger last, the queue of landed days when both are on disk. A run killed at any
point leaves the old ledger row, so the next run computes the day again and replaces its rows; that is why a rerun after
kill -9 equals a clean run.
"""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cached_property, partial

from brain_pipelines.engine import stage_version
from brain_pipelines.engine.isolation import run_isolated
from brain_pipelines.engine.raw_policy import release_raw
from brain_pipelines.engine.recording import Plan, StageRecords, StageReport
from brain_pipelines.engine.spending import record_spent, spent_since
from brain_pipelines.engine.stage import (
    ChecksViolatedError,
    Progress,
    Row,
    Stage,
    StageInput,
    StageOutput,
    Upstream,
)
from brain_pipelines.engine.waiting import is_held, waits
from brain_pipelines.engine.writers import IndexWriter, LakeWriter, StageWriter, UserStores
from brain_pipelines.landing.redaction.file_names import FileNames
from brain_pipelines.sources.source import Source
from brain_retrieval.errors import StoreError
from brain_retrieval.ids import stable_hash
from brain_retrieval.models.chat.cached_chat import open_chat
from brain_retrieval.models.chat.metering import open_meter


class StageFailedError(RuntimeError):
    """A stage could not be computed for any of its days; the ledger records the failure and the run fails.

    `transient` says that the same call may succeed in a moment: a store was locked, or a model did not answer.
    """

    def __init__(self, message: str, *, transient: bool = False) -> None:
        super().__init__(message)
        self.transient = transient


class Job(StageRecords):
    """One stage of one source of one user: what to do, computing it, storing it. `run_stage.py` orders the steps."""

    def __init__(
        self,
        stage: Stage,
        source: Source,
        bench: UserStores,
        run_id: str,
        progress: Progress,
        upstream: Upstream | None = None,
    ) -> None:
        super().__init__(stage, source, bench, run_id)
        self.progress = progress
        self.upstream = upstream

    @cached_property
    def is_deferred(self) -> bool:
        return stage_version.is_deferred(self.stage, self.bench.settings, self.bench.space.user)

    @cached_property
    def writer(self) -> StageWriter:
        if "index" in self.stage.tables:
            return IndexWriter(self.source, self.bench)
        return LakeWriter(self.source, self.stage, self.bench)

    # -- the steps ----------------------------------------------------------------------------------------------

    def look(self, days: Sequence[str]) -> Plan:
        """Return what is known of days; one that never had data and has none now is not to do, also with `force`."""
        inputs = self.input_hashes(days)
        rows = self.bench.catalog.ledger(source=self.source.name, stage=self.stage.name, days=list(days))
        before = {row.day: row for row in rows}
        return Plan(inputs, before, [day for day in days if inputs[day] or day in before])

    def left_behind(self, days: Sequence[str]) -> list[str]:
        """Return the days before the first that have rows, if the first day, on which their items lie, is run."""
        first = self.bench.landing.first_day
        if self.upstream is not None or first not in days:
            return []
        rows = self.bench.catalog.ledger(source=self.source.name, stage=self.stage.name)
        return [row.day for row in rows if row.day < first and (row.input_hash or row.rows)]

    def plan(self, seen: Plan, force: bool) -> Plan:
        """Return what `look` found without the days that are up to date."""
        inputs, before, concerned = seen.inputs, seen.before, seen.todo
        lost = self.writer.lost(before[day] for day in concerned if day in before) if concerned else set()
        now = datetime.now(UTC)
        lost |= {day for day, row in before.items() if waits(row) and not is_held(row, self.bench.settings.costs, now)}
        todo = [d for d in concerned if force or d in lost or not self.make(inputs[d]).is_of(before.get(d))]
        return Plan(inputs, before, todo)

    def compute(self, todo: Sequence[str]) -> tuple[StageOutput, dict[str, int]]:
        """Return the output for days and 0 for each validity check; nothing is stored.

        Raises:
            ChecksViolatedError: if rows violate a check for other reasons than single items.
        """
        stage_input = self.stage_input([] if self.is_deferred else todo)
        output = StageOutput() if self.is_deferred else run_isolated(self.checked, stage_input)
        return output, self.check(stage_input, output)

    def changed(self, plan: Plan) -> list[str]:
        """Return the days whose input another process has replaced since the plan was made."""
        now = self.input_hashes(plan.todo)
        return [day for day in plan.todo if now[day] != plan.inputs[day]]

    def done_elsewhere(self, plan: Plan, days: Sequence[str]) -> list[str]:
        """Return those of `days` that another process has stored since, from the same input."""
        rows = {r.day: r for r in self.bench.catalog.ledger(source=self.source.name, stage=self.stage.name, days=days)}
        made = [day for day in days if self.make(plan.inputs[day]).is_of(rows.get(day))]
        return [day for day in made if rows[day] != plan.before.get(day)]

    def put(self, plan: Plan, days: Sequence[str], output: StageOutput, report: StageReport, seconds: float) -> None:
        """Store the rows of computed days, then record them."""
        if not days:
            return
        self.name_config()
        digests = self.store(days, output, report)
        for day in days:
            self.record(day, plan.inputs[day], digests.get(day, ""), output, report, seconds / len(days))
        self.bench.catalog.sync()

    def book(self, days: Sequence[str], began: datetime) -> None:
        """Record what remote models took for the days that were stored."""
        if not days:
            return
        catalog, source, above = self.bench.catalog, self.source.name, self.stage.upstream
        read = catalog.ledger(source=source, stage=above, days=list(days)) if above else []
        rows = dict.fromkeys(days, 1) | {row.day: row.rows for row in read}
        spent = spent_since(self.bench.space, source, self.stage.name, began)
        if any(spent) or catalog.spent(source, self.stage.name, days):
            record_spent(catalog, source, self.stage.name, rows, spent)

    def settle(self, days: Sequence[str], plan: Plan, report: StageReport) -> None:
        """Conclude days that are up to date: the queue of landed days changes only when the catalog is on disk."""
        done = [day for day in days if day not in report.failed]
        if self.stage.upstream is None:
            self.bench.catalog.sync()
            self.bench.landing.settle(self.source.name, {day: plan.inputs[day] for day in done})
        if self.stage.releases_raw:
            release_raw(
                self.bench, self.stage, self.source.name, [d for d in done if plan.inputs[d] or d in plan.before]
            )

    # -- what to do ---------------------------------------------------------------------------------------------

    def input_hash(self, day: str) -> str:
        """Return the hash of the stage's input for a day: landed items or the upstream stage's output, "" for none."""
        if self.upstream is not None:
            return self.upstream.input_hash(day)
        if self.stage.upstream is None:
            return self.bench.landing.content(self.source.name, day)
        upstream = self.bench.catalog.get_ledger(self.source.name, self.stage.upstream, day)
        return upstream.output_hash if upstream else ""

    def input_hashes(self, days: Sequence[str]) -> dict[str, str]:
        """Return `input_hash` of each day."""
        if self.upstream is not None or self.stage.upstream is None:
            return {day: self.input_hash(day) for day in days}
        rows = self.bench.catalog.ledger(source=self.source.name, stage=self.stage.upstream, days=list(days))
        return dict.fromkeys(days, "") | {row.day: row.output_hash for row in rows}

    # -- computing ----------------------------------------------------------------------------------------------

    def stage_input(self, days: Sequence[str]) -> StageInput:
        return StageInput(
            source=self.source,
            settings=self.bench.settings,
            rows={day: self.read(day) for day in days},
            blob=self.bench.landing.raw.open,
            stored=self.stored,
            scratch=self.bench.space.scratch,
            known_vectors=lambda: self.writer.known_vectors(days),
            progress=self.progress,
            chat=partial(open_chat, self.bench.space, self.bench.settings, self.stage.name, self.source.name),
            meter=partial(open_meter, self.bench.space, self.bench.settings, self.stage.name, self.source.name),
        )

    def stored(self, day: str) -> list[Row]:
        """Return the stage's rows of a day as they are; none if they cannot be read, since the run replaces them."""
        try:
            tables = (self.stage.name, *self.stage.aside)
            kept = [self.bench.lake.read(table, source=self.source.name, days=[day]).to_pylist() for table in tables]
            return [row for rows in kept for row in rows]
        except StoreError:
            return []

    def checked(self, stage_input: StageInput) -> StageOutput:
        """Run the stage over a part of the span and raise if its rows violate a check or cannot be stored."""
        output = self.stage.run(stage_input)
        self.check(stage_input, output)
        for table, days in output.tables.items():
            for day, rows in days.items():
                self.writer.check(table, self.complete(day, rows))
        return output

    def check(self, stage_input: StageInput, output: StageOutput) -> dict[str, int]:
        """Return 0 for each validity check of the stage, or raise ChecksViolatedError."""
        violations = {check.__name__: check(stage_input, output) for check in self.stage.validity}
        if any(violations.values()):
            raise ChecksViolatedError(violations)
        return violations

    def read(self, day: str) -> list[Row]:
        if self.upstream is not None:
            return self.upstream.read(day)
        if self.stage.upstream is None:
            names = FileNames(self.bench.settings)
            items = self.bench.landing.items(self.source.name, day)
            return [{**asdict(i), "uri": names.uri(i.uri), "name": names.name(i.name)} for i in items]
        return self.bench.lake.read(
            self.stage.reads or self.stage.upstream, source=self.source.name, days=[day]
        ).to_pylist()

    # -- storing ------------------------------------------------------------------------------------------------

    def store(self, days: Sequence[str], output: StageOutput, report: StageReport) -> dict[str, str]:
        """Replace every output table for every day and return the output hash of each day ("" when empty)."""
        digests: dict[str, list[str]] = {day: [] for day in days}
        for table in self.stage.tables:
            rows = {day: self.complete(day, output.tables.get(table, {}).get(day, [])) for day in days}
            for day, digest in self.writer.replace(table, rows).items():
                digests[day] += [] if table in self.stage.aside else [digest]
                report.rows[day] = report.rows.get(day, 0) + len(rows[day])
        return {day: stable_hash(parts) if any(parts) else "" for day, parts in digests.items()}

    def complete(self, day: str, rows: Sequence[Row]) -> list[Row]:
        """Fill in the columns that every derived row has."""
        common = {"source": self.source.name, "day": day}
        common |= {"code_version": self.stage.code_version, "config_hash": self.config_hash}
        return [{**row, **common} for row in rows]
