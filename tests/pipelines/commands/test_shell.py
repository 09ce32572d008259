"""Completion by the shell, usage errors as JSON, and an interrupt before a command has begun."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from brain_pipelines.commands import entry
from brain_pipelines.commands.app import app
from brain_retrieval.stores.catalog import Catalog
from tests.pipelines.commands.test_front_page import ROW


def completed(line: str) -> list[str]:
    """Return what bash is given for a line whose last word is to be completed."""
    words = line.split(" ")
    asked = {"_BRAIN_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    return CliRunner().invoke(app, [], env=asked, prog_name="brain").stdout.split()


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


@pytest.fixture
def filled(bench) -> Path:
    for user, kinds in (("alice", ("note", "conversation")), ("bob", ("calendar",))):
        with Catalog(bench.space(user).create()) as catalog:
            catalog.put_ledger(*(replace(ROW, source=kind) for kind in kinds))
    (bench.home.path / "brain.toml").write_text('[teams.design]\nmembers = ["alice"]\n')
    return bench.home.path


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("brain comp", ["completion"]),
        ("brain search --user ", ["alice", "bob"]),
        ("brain sql x --user b", ["bob"]),
        ("brain search x --user alice --source ", ["conversation", "note"]),
        ("brain search x --user bob --source c", ["calendar"]),
        ("brain search x --user carol --source ", []),
        ("brain rerun --source n", ["note"]),
        ("brain search x --team d", ["design"]),
        ("brain context x --recipe f", ["fast"]),
        ("brain keys cr", ["create"]),
        ("brain completion z", ["zsh"]),
    ],
)
def test_a_shell_completes_commands_users_kinds_teams_and_recipes(filled: Path, line: str, expected: list[str]) -> None:
    assert completed(line) == expected


def test_completion_looks_into_the_home_of_the_line(filled: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("BRAIN_HOME", str(tmp_path / "elsewhere"))
    assert completed("brain search --user a") == []
    assert completed(f"brain search --home {filled} --user a") == ["alice"]


def test_a_damaged_store_proposes_nothing(filled: Path) -> None:
    (filled / "users" / "alice" / "catalog.sqlite").write_bytes(b"no database" * 1000)
    assert completed("brain search x --user alice --source ") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell_is_valid(shell: str) -> None:
    script = run("completion", shell).stdout
    assert "_BRAIN_COMPLETE" in script
    if program := shutil.which(shell):
        subprocess.run([program, "-n"], input=script, text=True, check=True)
    assert run("completion", "powershell").exit_code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "x"),
        ("no-such-command",),
        ("search", "x", "--user", "alice", "--k", "seven"),
        ("relations", "--user", "alice", "--drift"),
        ("keys", "revoke"),
        ("--no-such-option",),
    ],
)
def test_mistakes_in_the_arguments_are_json_if_asked_for(bench, arguments: tuple[str, ...]) -> None:
    plain = run(*arguments)
    assert plain.exit_code == 2 and plain.stdout == "" and "Usage: brain" in plain.stderr
    refused = run(*arguments, "--json")
    assert refused.exit_code == 2 and refused.stderr.startswith("error: ")
    assert set(json.loads(refused.stdout)) == {"error", "message"}


def test_json_keeps_exit_codes(bench) -> None:
    assert run("users", "--json").exit_code == 0
    assert run("status", "--user", "carol", "--json").exit_code == 3
    assert run("search", "--help", "--json").exit_code == 0


def test_an_interrupt_while_modules_load_is_one_line(monkeypatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("brain_pipelines.commands.app.main", interrupted)
    monkeypatch.setattr(sys, "argv", ["brain", "status"])
    with pytest.raises(SystemExit) as stopped:
        entry.main()
    assert stopped.value.code == 130 and capsys.readouterr().err == "interrupted\n"


@pytest.mark.parametrize(("loaded", "frozen"), [((), 1), (("_duckdb",), 0), (("zxingcpp",), 0)])
def test_the_end_is_short_unless_a_library_would_report_what_is_left(monkeypatch, loaded, frozen: int) -> None:
    calls = []
    monkeypatch.setattr(entry.gc, "freeze", lambda: calls.append(1))
    for name in entry.REPORT_LEAKS:
        monkeypatch.delitem(sys.modules, name, raising=False)
    for name in loaded:
        monkeypatch.setitem(sys.modules, name, entry)
    entry._leave_objects()
    assert len(calls) == frozen
