"""`brain init`: what it writes is valid, is what the checkout uses, and replaces nothing."""

import json
import re
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_pipelines.ingest.instance_folder import dagster_home
from brain_pipelines.ingest.local_runs import open_instance
from brain_pipelines.ingest.templates import PLACES, read_template
from brain_retrieval.home import project_root
from brain_retrieval.settings import load_settings


def run(home: Path) -> dict[str, list[str]]:
    result = CliRunner().invoke(app, ["init", str(home), "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize("name", ["workspace.yaml", "dagster.yaml", "dagster.postgres.yaml", "dagster.workers.yaml"])
def test_templates_are_the_files_of_the_checkout(name: str) -> None:
    assert (project_root() / PLACES[name]).read_text("utf-8") == read_template(name)


def test_a_new_home_has_everything_and_dagster_opens_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    home = tmp_path / "new" / "home"
    assert set(run(home)["written"]) == set(PLACES.values())
    assert dagster_home(home) == home / "dagster_home"
    with open_instance(home) as instance:
        assert type(instance.run_launcher).__name__ == "HealthCheckedRunLauncher"
    assert yaml.safe_load((home / "workspace.yaml").read_text())["load_from"]
    assert load_settings(home) == load_settings()


def test_every_suggested_setting_exists(tmp_path: Path) -> None:
    text = read_template("brain.toml")
    (tmp_path / "brain.toml").write_text(re.sub(r"^# ", "", text, flags=re.MULTILINE))
    settings = load_settings(tmp_path)
    assert settings.owners["alice"].name == "Alice Example"
    for section in ("embedding", "retrieval", "extraction", "enrichment", "knowledge", "graph", "privacy"):
        assert getattr(settings, section) == getattr(load_settings(), section), section


def test_what_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "brain.toml").write_text('time_zone = "Europe/Berlin"\n')
    report = run(tmp_path)
    assert report["kept"] == ["brain.toml"] and "workspace.yaml" in report["written"]
    assert load_settings(tmp_path).time_zone == "Europe/Berlin"
    assert run(tmp_path)["written"] == []
