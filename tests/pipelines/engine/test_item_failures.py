"""An item that makes a stage raise fails alone: through the engine and through Dagster, whatever the stage."""

import dataclasses
import re
from datetime import date

import dagster as dg
import pytest

from brain_pipelines.engine.isolation import TOO_MANY_ALIKE, isolated
from brain_pipelines.engine.run_stage import MAX_ATTEMPTS, StageFailedError, StageReport, materialize
from brain_pipelines.engine.stage import Row, Stage, StageInput, StageOutput
from brain_pipelines.engine.standing import QUARANTINED
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.orchestration.days.calendar import Calendar
from brain_pipelines.orchestration.resources import BrainResource
from brain_pipelines.orchestration.source_assets import build_stage_asset
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES, STAGES_BY_NAME
from brain_retrieval.errors import BadInputError, BrainError, BudgetExceededError, ModelMissingError
from brain_retrieval.extras import MissingExtraError
from brain_retrieval.language.lexicon import LexiconError
from brain_retrieval.stores.catalog import Catalog, LedgerRow, QuarantineRow

DAYS = ("2026-01-05", "2026-01-06")
SECRET = "xylophone"
NOTE = SOURCES_BY_NAME["note"]
NAMES = [stage.name for stage in STAGES]


def fill(bench, good: int = 6) -> None:
    """Land notes on two days, a bad one among those of the first."""
    for n in range(good):
        text = f"Alice Chen leads project number {n} in Berlin. Bob Smith maintains library {n}."
        bench.land(bench.drop("alice", "note", f"good{n}.md", text, day=DAYS[n % 2]))
    bench.land(bench.drop("alice", "note", "bad.md", f"The {SECRET} is here. Carol Diaz lives in Oslo.", day=DAYS[0]))


def raising(stage: Stage, error: type[Exception] = ValueError, *, marks: str = "bad.md") -> Stage:
    """Return the stage with a step before it that raises where it meets a certain item, whatever else it is given."""

    def run(stage_input: StageInput) -> StageOutput:
        for rows in stage_input.rows.values():
            for row in rows:
                if row["uri"].endswith(marks):
                    raise error(f"cannot read {SECRET}")
        return stage.run(stage_input)

    return dataclasses.replace(stage, run=run)


def run_until(bench, stage: Stage, run_id: str = "r1") -> StageReport:
    """Run what comes before a stage, then the stage."""
    before: list[Stage] = []
    upstream = stage.upstream
    while upstream is not None:
        before.insert(0, STAGES_BY_NAME[upstream])
        upstream = before[0].upstream
    with open_landing(bench.space(), bench.settings) as landing:
        days = landing.days("note")
    for one in (*before, stage):
        report = materialize(one, NOTE, bench.space(), days, settings=bench.settings, run_id=run_id)
    return report


def stored(bench, stage: str) -> tuple[list[QuarantineRow], dict[str, LedgerRow]]:
    with Catalog(bench.space()) as catalog:
        return catalog.quarantine(stage=stage), {row.day: row for row in catalog.ledger(stage=stage)}


@pytest.mark.parametrize("name", NAMES)
def test_one_item_fails_alone_and_is_given_up_after_its_attempts(bench, name: str) -> None:
    fill(bench)
    stage = raising(STAGES_BY_NAME[name])
    for attempt in range(1, MAX_ATTEMPTS):
        report = run_until(bench, stage, f"r{attempt}")
        assert report.failed == [DAYS[0]]
        (row,), days = stored(bench, name)
        assert (row.uri, row.kind) == ("inbox:note/bad.md", "failed")
        assert row.reason.startswith(f"ValueError: cannot read {SECRET} (test_item_failures.py:")
        assert (days[DAYS[0]].state, days[DAYS[1]].state) == ("failed", "ok")
        assert all(day.rows for day in days.values())
    report = run_until(bench, stage, f"r{MAX_ATTEMPTS}")
    assert not report.failed and report.computed == [DAYS[0]]
    (row,), days = stored(bench, name)
    assert row.kind == "rejected" and row.reason.startswith(f"gave up after {MAX_ATTEMPTS} attempts: ValueError")
    assert {day.state for day in days.values()} == {"ok"}
    assert run_until(bench, stage, "r9").skipped == list(DAYS)


@pytest.mark.parametrize("name", NAMES)
def test_other_items_are_unaffected_by_a_failing_item(bench, name: str) -> None:
    fill(bench)
    run_until(bench, raising(STAGES_BY_NAME[name]))
    found = bench.digests()
    run_until(bench, STAGES_BY_NAME[name], "r2")
    whole = bench.digests()
    assert found != whole
    bench.remove(bench.space().inbox / "note" / "bad.md")
    run_until(bench, STAGES_BY_NAME[name], "r3")
    without = bench.digests()
    tables = STAGES_BY_NAME[name].tables
    if "index" in tables:
        assert found[1] == without[1]
    mine = [key for key in without[0] if key[0] in tables]
    assert all(found[0][key] == without[0][key] for key in mine)


@pytest.mark.parametrize("error", [ModelMissingError, BudgetExceededError, MemoryError, ImportError])
def test_errors_of_the_run_fail_the_stage(bench, error: type[Exception]) -> None:
    fill(bench)
    with pytest.raises(StageFailedError) as raised:
        run_until(bench, raising(STAGES_BY_NAME["enrichments"], error))
    assert issubclass(error, BrainError) or SECRET not in str(raised.value)
    rows, days = stored(bench, "enrichments")
    assert not rows and {day.state for day in days.values()} == {"failed"}


def test_invalid_item_is_not_retried(bench) -> None:
    fill(bench)
    report = run_until(bench, raising(STAGES_BY_NAME["chunks"], BadInputError))
    (row,), _ = stored(bench, "chunks")
    assert not report.failed and (row.kind, row.reason) == ("rejected", f"cannot read {SECRET}")


def test_an_item_in_a_language_without_a_lexicon_fails_alone(bench) -> None:
    fill(bench)
    report = run_until(bench, raising(STAGES_BY_NAME["enrichments"], LexiconError))
    (row,), days = stored(bench, "enrichments")
    assert report.failed and row.kind == "failed" and row.reason.startswith("LexiconError")
    assert (days[DAYS[0]].state, days[DAYS[1]].state) == ("failed", "ok") and all(day.rows for day in days.values())


def test_a_stage_that_fails_for_all_in_one_way_is_broken(bench) -> None:
    fill(bench, TOO_MANY_ALIKE - 1)
    with pytest.raises(StageFailedError, match="ValueError") as raised:
        run_until(bench, raising(STAGES_BY_NAME["enrichments"], marks=".md"))
    assert SECRET not in str(raised.value) and raised.value.__cause__ is None
    assert not stored(bench, "enrichments")[0]


def changed(stage: Stage, column: str, value: object) -> Stage:
    """Return a stage that spoils a column of its rows of the bad item."""

    def spoil(row: Row) -> Row:
        return {**row, column: value} if row["uri"].endswith("bad.md") else row

    def run(stage_input: StageInput) -> StageOutput:
        output = stage.run(stage_input)
        for days in output.tables.values():
            for day, rows in days.items():
                days[day] = [spoil(row) for row in rows]
        return output

    return dataclasses.replace(stage, run=run)


@pytest.mark.parametrize(
    ("name", "column", "value", "reason"),
    [
        ("text", "attributes", '{"half": "\ud800"}', "UnicodeEncodeError"),
        ("text", "title", 7, "Arrow"),
        ("chunks", "start", 1, "ChecksViolatedError: .*chunks_are_slices: 1"),
        ("enrichments", "bucket", "none", "ChecksViolatedError: .*enrichments_well_formed: 1"),
    ],
)
def test_rows_that_cannot_be_stored_fail_their_item(bench, name: str, column: str, value: object, reason: str) -> None:
    fill(bench)
    report = run_until(bench, changed(STAGES_BY_NAME[name], column, value))
    assert report.failed == [DAYS[0]] and not any(report.violations.values())
    (row,), days = stored(bench, name)
    assert row.uri.endswith("bad.md") and re.match(reason, row.reason), row.reason
    assert all(day.rows for day in days.values())


def test_the_check_of_the_asset_shows_it_and_the_log_holds_no_text(bench) -> None:
    fill(bench)
    run_until(bench, STAGES_BY_NAME["text"])
    asset = build_stage_asset(
        NOTE,
        raising(STAGES_BY_NAME["extractions"]),
        Calendar(date.fromisoformat(DAYS[0])).definition(),
        bench.settings,
    )
    brain = BrainResource(home=str(bench.home.path))
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("users", ["alice"])
        result = dg.materialize(
            [asset], instance=instance, partition_key=f"{DAYS[0]}|alice", resources={"brain": brain}
        )
        events = " ".join(str(event) for event in instance.all_logs(result.run_id))
    checks = {c.check_name: c for c in result.get_asset_check_evaluations()}
    assert result.success and not checks.pop(QUARANTINED).passed and all(c.passed for c in checks.values())
    assert SECRET not in events and "bad.md" not in events
    assert stored(bench, "extractions")[1][DAYS[0]].rows


@pytest.mark.parametrize("bad", [set(), {0}, {9}, {3, 4}, {0, 5, 9}, set(range(10))])
def test_parts_come_in_order_and_bad_items_alone(bad: set[int]) -> None:
    calls: list[int] = []

    def attempt(items):
        calls.append(len(items))
        if bad & set(items):
            raise ValueError("no")
        return list(items)

    parts = list(isolated(range(10), attempt))
    assert [n for part, _ in parts for n in part] == list(range(10))
    failed = {part[0] for part, found in parts if isinstance(found, Exception)}
    assert failed == bad and all(len(part) == 1 for part, found in parts if isinstance(found, Exception))
    assert sum(calls) <= 10 + 30 * len(bad)


def test_nothing_to_do_is_one_call_and_its_error_is_raised() -> None:
    assert list(isolated([], list)) == [([], [])]
    with pytest.raises(ZeroDivisionError):
        list(isolated([], lambda _: 1 // 0))


def test_only_a_library_that_is_absent_is_said_to_be_not_installed() -> None:
    def attempt(error: ImportError) -> None:
        def fail(_: object) -> None:
            raise error

        list(isolated([1], fail))

    with pytest.raises(MissingExtraError, match="spacy is not installed"):
        attempt(ModuleNotFoundError("No module named 'spacy'", name="spacy"))
    said = "cannot import name 'Doc' from partially initialized module 'spacy.tokens'"
    with pytest.raises(ImportError, match=said) as caught:
        attempt(ImportError(said, name="spacy.tokens"))
    assert not isinstance(caught.value, MissingExtraError)
