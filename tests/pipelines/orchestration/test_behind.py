"""Days that are not up to date, derived from the ledger: unfinished, failed, or made by older code or settings."""

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import dagster as dg
import pytest

from brain_pipelines.definitions import build_defs
from brain_pipelines.engine.run_stage import StageFailedError, materialize
from brain_pipelines.ingest.one_file import NewFile, take_file
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.orchestration.behind import (
    abandoned_spans,
    asked_again_after,
    due_for,
    not_done,
    outdated,
    unfinished,
)
from brain_pipelines.orchestration.resources import BrainResource
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES_BY_NAME
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.locking import writer_lock

DAY, OTHER = "2026-01-05", "2026-01-06"


def run_stages(bench, *names: str, user: str = "alice", days: tuple[str, ...] = (DAY,)) -> None:
    for name in names:
        stage, space = STAGES_BY_NAME[name], bench.space(user)
        materialize(stage, SOURCES_BY_NAME["note"], space, days, settings=bench.settings, run_id=f"cut-off-{name}")


def unfinished_days(bench, user: str = "alice") -> list[tuple[str, str]]:
    with open_landing(bench.space(user), bench.settings) as landing, Catalog(bench.space(user)) as catalog:
        return [(day.source, day.day) for day in unfinished(landing, catalog)]


def due(bench, *files: str) -> list[str]:
    with open_landing(bench.space(), bench.settings) as landing, Catalog(bench.space()) as catalog:
        return [day.day for day in due_for(landing, catalog, {"note"}, [f"inbox:note/{name}" for name in files])]


def outdated_days(bench, user: str = "alice") -> set[tuple[str, str]]:
    with Catalog(bench.space(user)) as catalog:
        return outdated(catalog.ledger(), bench.settings, user)


@pytest.fixture
def noted(bench):
    bench.land(bench.drop("alice", "note", "a.md", "Alice Chen leads the redesign."))
    return bench


@pytest.mark.parametrize("done", [(), ("raw",), ("raw", "text"), ("raw", "text", "chunks", "embeddings")], ids=len)
def test_day_is_unfinished_until_last_stage_has_run(noted, done: tuple[str, ...]) -> None:
    run_stages(noted, *done)
    assert unfinished_days(noted) == [("note", DAY)]
    noted.run()
    assert unfinished_days(noted) == []


def test_day_without_items_is_unfinished_until_rows_are_deleted(noted) -> None:
    noted.run()
    noted.remove(noted.home.inbox / "alice" / "note" / "a.md")
    run_stages(noted, "raw")
    assert unfinished_days(noted) == [("note", DAY)]
    noted.run()
    assert unfinished_days(noted) == []


def test_landed_days_are_unfinished_after_catalog_loss(noted) -> None:
    noted.run()
    noted.drop_derived()
    assert unfinished_days(noted) == [("note", DAY)]


def test_failed_day_is_due_only_for_its_own_files(noted, monkeypatch: pytest.MonkeyPatch) -> None:
    noted.land(noted.drop("alice", "note", "b.md", "Bob Smith maintains the library.", day=OTHER))
    noted.run(days=[OTHER])
    with monkeypatch.context() as without_models:
        without_models.setenv("BRAIN_MODELS_DIR", str(noted.home.path / "none"))
        run_stages(noted, "raw", "text")
        with pytest.raises(StageFailedError):
            run_stages(noted, "chunks")
    run_stages(noted, "extractions", "memory_vectors", "enrichments")
    assert unfinished_days(noted) == []  # stages after the failed one are not unfinished
    assert (due(noted, "b.md"), due(noted, "a.md")) == ([], [DAY])
    with open_landing(noted.space(), noted.settings) as landing, Catalog(noted.space()) as catalog:
        assert not_done(landing, catalog) == {("note", DAY)}
    noted.land(noted.drop("alice", "note", "a.md", "Alice Chen leads the library now."))
    run_stages(noted, "raw", "text")
    assert due(noted, "b.md") == [DAY]  # the failure belongs to an earlier content


def test_changed_settings_make_days_outdated_not_unfinished(noted) -> None:
    noted.run()
    assert outdated_days(noted) == set()
    (noted.home.path / "brain.toml").write_text("[limits]\nmax_pictures = 7\n")
    assert (outdated_days(noted), unfinished_days(noted), due(noted, "a.md")) == ({("note", DAY)}, [], [])
    noted.run()
    assert outdated_days(noted) == set()


def test_team_source_with_deferred_extraction_is_done(bench) -> None:
    (bench.home.path / "brain.toml").write_text('[teams.core]\nmembers = ["alice"]\n')
    bench.land(bench.drop("core", "note", "a.md", "Alice Chen leads the redesign."), "core")
    bench.run("core")
    assert (unfinished_days(bench, "core"), outdated_days(bench, "core")) == ([], set())


def test_half_done_day_is_offered_three_times_and_not_during_write(noted) -> None:
    run_stages(noted, "raw", "text")

    def offered(wait: timedelta) -> list[str]:
        return [key for _, key in abandoned_spans(noted.space(), now=datetime.now(UTC) + wait)]

    assert offered(timedelta(minutes=9)) == []
    keys = [offered(timedelta(minutes=m)) for m in (11, 30, 61, 300, 361, 10_000)]
    assert [len(one) for one in keys] == [1] * 6
    assert keys[0] == keys[1] != keys[2] == keys[3] != keys[4] == keys[5]

    held, release = threading.Event(), threading.Event()

    def write() -> None:
        with writer_lock(noted.space()):
            held.set()
            release.wait(120)

    writer = threading.Thread(target=write)
    writer.start()
    assert held.wait(120)
    assert offered(timedelta(minutes=11)) == []
    release.set()
    writer.join()
    noted.run()
    assert offered(timedelta(minutes=11)) == []


def test_repeated_message_finishes_its_day(bench) -> None:
    at = datetime(2026, 1, 5, 9, tzinfo=UTC)
    bench.land(bench.drop("alice", "note", "m.md", "Alice Chen leads the redesign."), now=datetime.now(UTC))
    run_stages(bench, "raw")
    sent = NewFile("m.md", (bench.home.inbox / "alice" / "note" / "m.md").read_bytes(), at)
    report = take_file(bench.space(), bench.settings, "note", sent)
    assert (len(report.stored), report.skipped, unfinished_days(bench)) == (1, [], [])
    again = take_file(bench.space(), bench.settings, "note", sent)
    assert [row["reason"] for row in again.skipped] == ["unchanged"]


def test_retry_sensor_requests_half_done_day(noted) -> None:
    run_stages(noted, "raw", "text")
    with Catalog(noted.space()) as catalog:
        earlier = [replace(row, started_at=row.started_at - timedelta(hours=2)) for row in catalog.ledger()]
        catalog.put_ledger(*earlier)
    resources = {"brain": BrainResource(home=str(noted.home.path))}
    with dg.DagsterInstance.ephemeral() as instance, dg.build_sensor_context(instance, resources=resources) as context:
        result = build_defs(noted.home).resolve_sensor_def("retry")(context)
    assert isinstance(result, dg.SensorResult)
    (request,) = result.run_requests or []
    assert (request.job_name, request.tags["brain/user"]) == ("note", "alice")


def test_a_model_is_asked_again_after_four_times_as_long_and_at_least_daily() -> None:
    minutes = [asked_again_after(tries) / timedelta(minutes=1) for tries in range(8)]
    assert minutes == [10, 10, 40, 160, 640, 1440, 1440, 1440]
    assert asked_again_after(10_000) == timedelta(days=1)
