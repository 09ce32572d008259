"""The commands of a home with workers: what each user's newest files are, and computing users in the home again."""

import json

import yaml
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_pipelines.ingest.instance_folder import dagster_home
from brain_pipelines.orchestration.workers.session import SHARED
from brain_retrieval.home import Home
from tests.pipelines.workers.conftest import Machines


def records_in(home: Home, database: str) -> None:
    """Have Dagster keep the records of a home in a database."""
    folder = dagster_home(home.path)
    folder.mkdir(parents=True, exist_ok=True)
    address = database.replace("postgresql:", "postgresql+psycopg2:")
    settings = {"storage": {"postgres": {"postgres_url": address}}, "telemetry": {"enabled": False}}
    (folder / "dagster.yaml").write_text(yaml.safe_dump(settings))


def worker(home: Home, command: str, *options: str) -> str:
    found = CliRunner().invoke(app, ["worker", command, *options, "--home", str(home.path)])
    assert found.exit_code == 0, found.output
    return found.output


def test_a_home_lists_fetches_and_leaves(machines: Machines) -> None:
    home = machines.home
    for one in (home, machines.first):
        records_in(one.home, machines.database)
    assert "no user has been computed" in worker(home.home, "list")
    machines.land("a.md", "The well is behind the barn.")
    machines.run(machines.first)
    landed, computed = 1, 2
    assert json.loads(worker(home.home, "list", "--json"))["users"] == [
        {"user": "alice", "version": computed, "here": landed, "busy": False}
    ]
    with machines.session(machines.first):
        assert "in work" in worker(home.home, "list")
    assert json.loads(worker(home.home, "fetch", "--json")) == {"users": {"alice": computed}}
    assert home.digests() == machines.first.digests()
    assert "take [workers] out of brain.toml" in worker(home.home, "leave")
    assert not (home.home.path / SHARED).exists()
    worker(machines.first.home, "leave")
    assert not machines.first.space().root.exists() and home.texts()
