"""Connectors from the command line and as sensors: off by default, shared polling state, no secrets shown."""

import json
import os
from pathlib import Path

import dagster as dg
import pytest
from typer.testing import CliRunner

from brain_pipelines.commands.connect import app
from brain_pipelines.connectors.connector import ConnectorError
from brain_pipelines.definitions import build_defs
from brain_pipelines.orchestration.connector_sensors import build_connector_sensors
from brain_pipelines.orchestration.resources import BrainResource

CLI = CliRunner()


@pytest.fixture
def shelf(bench, tmp_path: Path) -> Path:
    """A directory with one old file, polled by `folder-shelf`, and an unreachable mail account."""
    root = tmp_path / "shelf"
    root.mkdir()
    (root / "2026-01-05 a.md").write_text("Alice wrote this.")
    os.utime(root / "2026-01-05 a.md", (1_700_000_000,) * 2)
    (bench.home.path / "brain.toml").write_text(
        f'[connectors.folder.shelf]\nuser = "alice"\nsource = "note"\npath = "{root}"\n'
        '[connectors.imap.work]\nuser = "alice"\nhost = "127.0.0.1"\nport = 1\nusername = "ann"\n'
        'password = "hunter2"\n'
    )
    return root


def test_a_home_without_connectors_says_where_they_are_set_up(bench) -> None:
    shown = CLI.invoke(app, ["list"]).stdout
    assert "no connector is configured" in shown and "[connectors.folder." in shown
    assert json.loads(CLI.invoke(app, ["list", "--json"]).stdout) == []


def test_list_and_run(bench, shelf: Path) -> None:
    listed = json.loads(CLI.invoke(app, ["list", "--json"]).stdout)
    assert [(row["name"], row["user"], row["source"]) for row in listed] == [
        ("folder-shelf", "alice", "note"),
        ("imap-work", "alice", "email"),
    ]
    done = json.loads(CLI.invoke(app, ["run", "shelf", "--json"]).stdout)
    assert done == {"name": "folder-shelf", "taken": 1, "removed": 0, "waiting": 0, "failures": [], "more": False}
    assert (bench.home.path / "inbox/alice/note/shelf/2026-01-05 a.md").is_file()
    assert "0 taken" in CLI.invoke(app, ["run", "folder-shelf"]).stdout


def test_sensors_are_off_by_default_and_share_state_with_command(bench, shelf: Path) -> None:
    assert CLI.invoke(app, ["run", "shelf"]).exit_code == 0
    defs = build_defs(bench.home)
    sensor = defs.resolve_sensor_def("connect_folder_shelf")
    assert sensor.default_status == dg.DefaultSensorStatus.STOPPED
    (shelf / "b.md").write_text("new")
    os.utime(shelf / "b.md", (1_700_000_000,) * 2)
    brain = BrainResource(home=str(bench.home.path))
    with dg.build_sensor_context(cursor="1", resources={"brain": brain}) as context:
        found = sensor(context)
    assert isinstance(found, dg.SensorResult)
    assert (found.cursor, found.run_requests) == ("2", [])
    assert str(found.skip_reason.skip_message).startswith("1 taken")


def test_failing_connector_reports_reason_and_does_not_stop_others(bench, shelf: Path) -> None:
    result = CLI.invoke(app, ["run", "work"])
    assert result.exit_code != 0
    assert "hunter2" not in result.output + str(result.exception)
    folder, mail = build_connector_sensors(bench.settings)
    brain = BrainResource(home=str(bench.home.path))
    with dg.build_sensor_context(resources={"brain": brain}) as context:
        with pytest.raises(ConnectorError, match=r"imap work: 127\.0\.0\.1:1 cannot be reached"):
            mail(context)
        assert folder(context).cursor == "1"


def test_copied_file_is_processed_by_pipeline(bench, shelf: Path) -> None:
    CLI.invoke(app, ["run", "shelf"])
    bench.land(bench.home.path / "inbox/alice/note/shelf/2026-01-05 a.md")
    bench.run()
    assert bench.texts() == {"inbox:note/shelf/2026-01-05%20a.md": "Alice wrote this."}
