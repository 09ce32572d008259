"""`brain rerun` starts no run for days that are up to date, and one for each day that is not, whatever the reason."""

import pytest
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_pipelines.ingest.current import days_to_run, smallest_first
from brain_pipelines.ingest.files import spans_of
from brain_pipelines.landing.landing import open_landing
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.migration import active_index
from brain_retrieval.stores.lake import Lake

DAYS = ["2026-01-05", "2026-01-06"]


@pytest.fixture
def done(bench):
    """A home with two days of notes that are done."""
    for day in DAYS:
        bench.land(bench.drop("alice", "note", f"{day}.md", f"Priya leads project Phoenix since {day}.", day=day))
    bench.run()
    return bench


def due(bench) -> list[str]:
    return days_to_run(bench.space(), bench.settings, {"note": DAYS})["note"]


def test_nothing_is_run_when_all_days_are_current(done, monkeypatch) -> None:
    def launch(*_args: object, **_options: object) -> None:
        raise AssertionError("a run was started, or rows were read")

    monkeypatch.setattr("brain_pipelines.ingest.local_runs.launch", launch)
    monkeypatch.setattr(Lake, "read", launch)  # the ledger says what is stored
    answer = CliRunner().invoke(app, ["--home", str(done.home.path), "rerun", "--user", "alice"])
    assert answer.exit_code == 0, answer.output
    assert "2 days are current, nothing to do" in answer.output and "2 stored" in answer.output


def test_a_day_that_changed_is_run_alone(done) -> None:
    assert due(done) == []
    done.land(done.drop("alice", "note", f"{DAYS[1]}.md", "Mei leads project Phoenix now.", day=DAYS[1]))
    assert due(done) == [DAYS[1]]
    done.run()
    assert due(done) == []


def test_other_settings_run_every_day(done, monkeypatch) -> None:
    monkeypatch.setenv("BRAIN_CHUNKING__NOTE__MAX_SIZE", "64")
    assert due(done) == DAYS


def test_lost_rows_are_run_again(done) -> None:
    with Catalog(done.space()) as catalog:
        [file] = catalog.lake_files("text", source="note", days=[DAYS[0]])
        path = done.space().lake / file.path
    content = path.read_bytes()
    path.unlink()
    assert due(done) == [DAYS[0]]
    path.write_bytes(content)
    assert due(done) == []
    with Catalog(done.space()) as catalog:
        index = active_index(done.space(), catalog)
        assert index is not None
        index.move_aside(done.space().damaged)
    assert due(done) == DAYS


def test_bytes_that_the_policy_drops_are_run_until_they_are_gone(done, monkeypatch) -> None:
    monkeypatch.setenv("BRAIN_PRIVACY__REDACT", "true")
    monkeypatch.setenv("BRAIN_PRIVACY__RAW", "keep")
    done.run()
    assert due(done) == []
    monkeypatch.setenv("BRAIN_PRIVACY__RAW", "drop")
    assert due(done) == DAYS
    done.run()
    assert due(done) == []


def test_the_smallest_runs_come_first(bench) -> None:
    bench.land(bench.drop("alice", "document", "table.csv", "id,name\n" + "1,Priya\n" * 500, day=DAYS[0]))
    bench.land(bench.drop("alice", "note", "key.md", "The key is under the stone.", day=DAYS[0]))
    bench.land(bench.drop("alice", "note", "long.md", "Priya leads project Phoenix. " * 20, day="2026-03-09"))
    with open_landing(bench.space(), bench.settings) as landing:
        requests = spans_of(landing.dirty())
        ordered = smallest_first(landing, requests)
        sizes = [landing.bytes_of(one.source, one.start, one.end) for one in ordered]
    assert [one.source for one in ordered] == ["note", "note", "document"]
    assert sizes == sorted(sizes) and sizes[0] < 100 < sizes[1] < 1_000 < sizes[2]
    assert sorted(ordered, key=str) == sorted(requests, key=str)
