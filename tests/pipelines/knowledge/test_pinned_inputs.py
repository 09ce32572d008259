"""Pinned inputs: changes of declared inputs make a snapshot due, and all stages read what the first one pinned."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from brain_pipelines.engine.run_stage import StageFailedError
from brain_pipelines.knowledge.due import is_due, store_fingerprint
from brain_pipelines.knowledge.pinned_inputs import PinnedInputs, pin_inputs
from brain_pipelines.knowledge.registry import SNAPSHOT_STAGES
from brain_pipelines.knowledge.run_snapshot import run_stage
from brain_pipelines.knowledge.stage import SnapshotInput, SnapshotOutput, SnapshotStage
from brain_retrieval.stores.access_log import AccessLog
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.lake_compaction import collect_garbage, compact
from brain_retrieval.stores.snapshots import SnapshotStore
from tests.pipelines.knowledge.frames import frame
from tests.pipelines.orchestration.snapshot_steps import DAY

FIRST = SNAPSHOT_STAGES[0]
MADE_UP = replace(FIRST, name="made_up", lake=(("raw", None),), upstream=(), tables=(), published=())
DECLARED = {one for stage in (*SNAPSHOT_STAGES, MADE_UP) for one in stage.lake}


def store_row(bench, table: str, source: str, text: str = "x", day: str = "2026-01-05") -> None:
    """Replace the content of one day of a lake table by one row."""
    with Catalog(bench.space().create()) as catalog:
        lake = Lake(bench.space(), catalog)
        rows = frame(table, {"source_id": text, "source": source, "day": day, "text": text, "name": text})
        lake.replace(table, source, day, rows.to_dicts())


def remembered(bench, stages: tuple[SnapshotStage, ...] = SNAPSHOT_STAGES) -> PinnedInputs:
    """Store the fingerprint of the current inputs as that of the snapshot."""
    with Catalog(bench.space()) as catalog:
        pinned = pin_inputs(bench.space(), bench.settings, catalog, DAY, stages)
        store_fingerprint(bench.space(), bench.settings, catalog, DAY, stages=stages, pinned=pinned)
    return pinned


@pytest.mark.parametrize(("table", "source"), sorted(DECLARED, key=str))
def test_changed_stage_inputs_make_a_snapshot_due(bench, table: str, source: str | None) -> None:
    stages = (*SNAPSHOT_STAGES, MADE_UP)
    store_row(bench, "text", "note")
    remembered(bench, stages)
    assert not is_due(bench.space(), bench.settings, DAY, stages)
    store_row(bench, table, source or "email")
    assert is_due(bench.space(), bench.settings, DAY, stages)
    remembered(bench, stages)
    assert not is_due(bench.space(), bench.settings, DAY, stages)


def test_unread_tables_do_not_make_a_snapshot_due(bench) -> None:
    store_row(bench, "text", "note")
    remembered(bench)
    store_row(bench, "raw", "note")
    assert not is_due(bench.space(), bench.settings, DAY)


def test_a_recall_makes_a_snapshot_due_if_a_stage_reads_the_log(bench) -> None:
    store_row(bench, "text", "note")
    for stages, due in ((SNAPSHOT_STAGES, True), ((FIRST,), False)):
        remembered(bench, stages)
        with AccessLog(bench.space()) as log:
            log.record([("chunk", f"{due}")], at=datetime(2026, 3, 1, 9, tzinfo=UTC))
        assert is_due(bench.space(), bench.settings, DAY, stages) == due


@pytest.mark.parametrize(
    ("reads", "what"),
    [(lambda s: s.lake("raw"), "reads raw"), (lambda s: s.recalls(), "the access log"),
     (lambda s: s.snapshot("known_facts"), "known_facts")],
    ids=["lake", "log", "snapshot"],
)  # fmt: skip
def test_reading_an_undeclared_input_fails(bench, reads, what: str) -> None:
    def run(snapshot: SnapshotInput) -> SnapshotOutput:
        reads(snapshot)
        return SnapshotOutput()

    careless = replace(FIRST, lake=(("text", None),), tables=(), run=run)
    stages = (careless, *SNAPSHOT_STAGES[1:])
    with pytest.raises(StageFailedError):
        run_stage(careless, stages, bench.space(), DAY, settings=bench.settings)
    with Catalog(bench.space()) as catalog:
        [row] = catalog.ledger(source="snapshot")
    assert row.state == "failed" and what in row.error and "does not declare" in row.error


def test_pinned_inputs_round_trip_through_json(bench) -> None:
    store_row(bench, "text", "note")
    pinned = remembered(bench)
    bench_store = SnapshotStore(bench.space())
    bench_store.write_inputs(DAY, pinned.as_json(), own=["log_until"])
    shared, own = map(json.loads, bench_store.written_inputs(DAY) or ())
    assert PinnedInputs.from_json({**shared, **own}) == pinned


def titles(snapshot: SnapshotInput) -> SnapshotOutput:
    """A stage function: return the ids of the texts it reads, as rows of QUALITY."""
    ids = snapshot.lake("text", ["source_id"])["source_id"].to_list()
    rows = [{"metric": one, "passed": True, "value": 0.0, "limit": 0.0, "detail": ""} for one in ids]
    return SnapshotOutput({"quality": frame("quality", *rows)})


PIN = replace(FIRST, tables=(), run=lambda _: SnapshotOutput())
LOOK = replace(FIRST, name="look", upstream=(PIN.name,), tables=("quality",), run=titles)
TWO = (PIN, LOOK)


def seen(bench) -> list[str]:
    """Run the second stage and return the ids of the texts it read."""
    run_stage(LOOK, TWO, bench.space(), DAY, settings=bench.settings)
    return SnapshotStore(bench.space()).read_stage(DAY, LOOK.name, "quality")["metric"].to_list()


def test_pinned_rows_are_read_after_replacement_and_compaction(bench) -> None:
    store_row(bench, "text", "note", "old")
    store_row(bench, "text", "note", "other", day="2026-01-06")
    run_stage(PIN, TWO, bench.space(), DAY, settings=bench.settings)
    store_row(bench, "text", "note", "new")
    assert seen(bench) == ["old", "other"]
    with Catalog(bench.space()) as catalog:
        lake = Lake(bench.space(), catalog)
        assert compact(lake, "2026-02") == 1
        collect_garbage(lake, timedelta(hours=1))  # within the grace period for readers
    SnapshotStore(bench.space()).write_stage(DAY, LOOK.name, {}, code_version="lost")
    assert seen(bench) == ["old", "other"]
    run_stage(PIN, TWO, bench.space(), DAY, settings=bench.settings)
    assert seen(bench) == ["new", "other"]


def test_missing_pinned_file_error_names_file_and_command(bench) -> None:
    store_row(bench, "text", "note", "old")
    run_stage(PIN, TWO, bench.space(), DAY, settings=bench.settings)
    store_row(bench, "text", "note", "new")
    with Catalog(bench.space()) as catalog:
        collect_garbage(Lake(bench.space(), catalog), timedelta(0))
    with pytest.raises(StageFailedError, match=f"brain nightly --user alice --day {DAY}. starts it again"):
        seen(bench)
    run_stage(PIN, TWO, bench.space(), DAY, settings=bench.settings)
    assert seen(bench) == ["new"]


def test_stage_fails_if_upstream_has_other_inputs(bench) -> None:
    last = replace(LOOK, name="last", upstream=(LOOK.name,), tables=())
    stages = (*TWO, last)
    store_row(bench, "text", "note", "old")
    for stage in TWO:
        run_stage(stage, stages, bench.space(), DAY, settings=bench.settings)
    store_row(bench, "text", "note", "new")
    run_stage(PIN, stages, bench.space(), DAY, settings=bench.settings)
    with pytest.raises(StageFailedError, match=r"look of the snapshot .* is not of the pinned inputs"):
        run_stage(last, stages, bench.space(), DAY, settings=bench.settings)
    for stage in stages[1:]:
        run_stage(replace(stage, run=titles), stages, bench.space(), DAY, settings=bench.settings)


def test_stage_fails_if_inputs_are_not_pinned(bench) -> None:
    with pytest.raises(StageFailedError, match=r"are not pinned|lacks sources"):
        seen(bench)
