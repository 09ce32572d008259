"""`brain nightly` of a snapshot that is as it would be starts no run; whatever is missing or different starts one."""

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_pipelines.ingest.local_runs import open_instance
from brain_retrieval.stores.snapshots import SnapshotStore
from tests.pipelines.orchestration.snapshot_steps import DAY, NOTES, content, home_of, write


def nightly(bench, *options: str) -> dict[str, Any]:
    home = str(bench.home.path)
    result = CliRunner().invoke(app, ["nightly", "--user", "alice", "--day", DAY, "--home", home, "--json", *options])
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


@pytest.fixture
def made(bench) -> dict[str, Any]:
    write(bench, {"move.md": NOTES["move.md"]})
    return nightly(bench)


def test_an_unchanged_snapshot_starts_no_run(bench, made: dict[str, Any]) -> None:
    again = nightly(bench)
    assert made["run_id"] and again == {**made, "run_id": ""}
    with open_instance(bench.home.path) as instance:
        assert [run.run_id for run in instance.get_runs()] == [made["run_id"]]
    assert nightly(bench, "--force")["run_id"]
    printed = CliRunner().invoke(app, ["nightly", "--user", "alice", "--day", DAY]).output
    assert printed.startswith(f"snapshot of {DAY}: up to date; ")


def test_a_new_note_and_a_new_setting_start_one(bench, made: dict[str, Any]) -> None:
    write(bench, {"lisbon.md": NOTES["lisbon.md"]})
    assert nightly(bench)["run_id"] and home_of(bench) == "Lisbon"
    assert not nightly(bench)["run_id"]
    (bench.home.path / "brain.toml").write_text('time_zone = "Asia/Tokyo"\n')
    assert nightly(bench)["run_id"]


def test_a_damaged_or_missing_part_starts_one(bench, made: dict[str, Any]) -> None:
    before, store = content(bench), SnapshotStore(bench.space())
    facts = bench.space().knowledge / "tables" / before["known_facts"]
    facts.write_bytes(facts.read_bytes()[:-9])
    assert nightly(bench)["run_id"] and content(bench) == before
    (bench.space().root / "graph.sqlite").unlink()
    assert nightly(bench)["run_id"] and (bench.space().root / "graph.sqlite").is_file()
    store.remove()
    assert nightly(bench)["run_id"] and content(bench) == before
