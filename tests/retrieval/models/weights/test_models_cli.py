"""`models list | pull | verify`: what they print and their exit codes, on the real default models."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from brain_retrieval.serve.models_cli import app


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, models_dir: Path) -> Path:
    """The settings point to an empty models directory, and pip finds nothing."""
    monkeypatch.setenv("BRAIN_MODELS_DIR", str(tmp_path / "models"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")  # refused before it is asked: not https
    return tmp_path / "models"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def states(result: Result) -> dict[str, str]:
    return {row["name"]: row["state"] for row in json.loads(result.stdout)["models"]}


def test_list_shows_what_is_missing(empty: Path) -> None:
    result = run("list", "--json")
    assert result.exit_code == 0
    assert set(states(result).values()) == {"missing"}
    assert "Apache-2.0" in run("list").stdout


def test_pull_verify_and_damage(empty: Path, models_dir: Path) -> None:
    pulled = run("pull", "--json", "--from", str(models_dir))
    assert (pulled.exit_code, set(states(pulled).values())) == (0, {"pulled"})
    again = run("pull", "--json")
    assert (again.exit_code, set(states(again).values())) == (0, {"installed"})
    assert run("verify").exit_code == 0

    (empty / "minilm-tokenizer" / "tokenizer.json").write_text("{}")
    damaged = run("verify", "--json")
    assert damaged.exit_code == 4
    assert [name for name, state in states(damaged).items() if state != "verified"] == ["minilm-tokenizer"]
    repaired = run("pull", "--json", "--from", str(models_dir))
    assert [name for name, state in states(repaired).items() if state != "installed"] == ["minilm-tokenizer"]
    assert states(repaired)["minilm-tokenizer"] == "pulled"


def test_a_pull_that_fails_says_why_and_leaves_nothing(empty: Path) -> None:
    result = run("pull", "minilm-tokenizer")
    assert result.exit_code == 4
    assert "tokenizer.json from any source" in result.stderr
    assert [path for path in empty.rglob("*") if path.is_file()] == []


def test_an_embedder_brings_its_tokenizer(empty: Path, models_dir: Path) -> None:
    assert set(states(run("pull", "--json", "--from", str(models_dir), "minilm-int8"))) == {
        "minilm-int8",
        "minilm-tokenizer",
    }


@pytest.mark.parametrize("command", ["pull", "verify"])
def test_an_unknown_name(empty: Path, command: str) -> None:
    result = run(command, "none-such", "--json")
    assert result.exit_code == 2
    assert json.loads(result.stdout)["error"] == "InvalidSettingsError"


def test_a_bad_setting(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_EMBEDDING__MODLE", "x")
    result = run("list")
    assert result.exit_code == 2
    assert "did you mean 'model'" in result.stderr
