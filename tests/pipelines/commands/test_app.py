"""The `brain` command end to end. Its JSON output and exit codes are a public interface."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from brain_pipelines.commands.app import app
from brain_retrieval import __version__
from brain_retrieval.errors import BrainError
from brain_retrieval.home import project_root

runner = CliRunner()


def brain(*arguments: str) -> Result:
    return runner.invoke(app, list(arguments))


def brain_json(*arguments: str) -> Any:
    result = brain(*arguments, "--json")
    assert result.exit_code == 0, result.output + repr(result.exception)
    return json.loads(result.stdout)


def write_files(folder: Path) -> Path:
    (folder / "sub").mkdir(parents=True)
    (folder / "plan.md").write_text("# Plan\n\nAlice Chen leads the UI redesign project since January.\n")
    (folder / "sub" / "näme with 'quotes' [red].txt").write_text("Bob Smith maintains the component library.\n")
    (folder / "noise.txt").write_bytes(b"\x7fELF" + bytes(range(256)) * 10)
    return folder


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return write_files(tmp_path / "given")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A home into which the files were ingested once, and the report; the tests work on copies."""
    root = tmp_path_factory.mktemp("template")
    options = ("--user", "alice", "--source", "note", "--event-time", "2026-01-05T10:00")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DAGSTER_HOME", raising=False)
        report = brain_json("ingest", str(write_files(root / "given")), *options, "--home", str(root / "home"))
    return root / "home", report


@pytest.fixture
def ingested(bench, files: Path, template: tuple[Path, dict[str, Any]]) -> dict[str, Any]:
    home, report = template
    shutil.copytree(home, bench.home.path, dirs_exist_ok=True)
    return report


def test_ingest_reports_result_per_file(ingested) -> None:
    assert {row["uri"] for row in ingested["stored"]} == {
        "inbox:note/plan.md",
        "inbox:note/sub/n%C3%A4me%20with%20%27quotes%27%20%5Bred%5D.txt",
    }
    assert {row["day"] for row in ingested["stored"]} == {"2026-01-05"}
    (refused,) = [row for row in ingested["quarantined"] if row["kind"] == "rejected"]
    assert refused["uri"] == "inbox:note/noise.txt" and refused["reason"]
    assert [run["success"] for run in ingested["runs"]] == [True]


def test_repeated_ingest_is_fast_and_changes_nothing(bench, files: Path, ingested) -> None:
    before = bench.digests()
    again = brain_json("ingest", str(files), "--user", "alice", "--source", "note")
    assert (again["stored"], again["runs"]) == ([], [])
    assert len(again["skipped"]) == 3
    assert bench.digests() == before


def test_hit_has_documented_fields(ingested) -> None:
    answer = brain_json("search", "who leads the redesign", "--user", "alice", "--k", "1")
    (hit,) = answer["hits"] if isinstance(answer, dict) else answer
    assert set(hit) >= {"rank", "score", "text", "source_ref", "why_ranked", "temporal_context"}
    reference = hit["source_ref"]
    assert set(reference) >= {"source_id", "source", "uri", "span"}
    assert (hit["rank"], reference["source"], reference["uri"]) == (1, "note", "inbox:note/plan.md")
    start, end = reference["span"]
    assert end - start == len(hit["text"]) and "Alice Chen leads" in hit["text"]
    assert hit["why_ranked"] and hit["temporal_context"]["event_at"].startswith("2026-01-05T10:00")


def test_as_of_and_known_at_filter_hits(ingested) -> None:
    def hits(*options: str) -> int:
        answer = brain_json("search", "redesign", "--user", "alice", *options)
        return len(answer["hits"] if isinstance(answer, dict) else answer)

    assert hits("--as-of", "2026-01-04") == 0 and hits("--as-of", "2026-01-05") > 0
    assert hits("--known-at", "2026-01-05") == 0  # the event had happened, but was not received yet


def test_context_respects_budget_and_cites(ingested) -> None:
    pack = brain_json("context", "the component library", "--user", "alice", "--max-tokens", "60")
    assert pack["total_tokens"] <= 60
    assert pack["text"].startswith("<retrieved_knowledge ")
    assert pack["items"][0]["source_ref"]["uri"].startswith("inbox:note/")


def test_status_shows_quarantine_sizes_and_freshness(ingested) -> None:
    report = brain_json("status", "--user", "alice")
    (user,) = report["users"]
    assert user["index"]["fresh"] and user["index"]["chunks"] >= 2
    assert [row["uri"] for row in user["quarantine"] if row["kind"] == "rejected"] == ["inbox:note/noise.txt"]
    note = next(row for row in user["sources"] if row["source"] == "note")
    assert (note["rows"]["raw"], note["rows"]["text"], note["failed_days"]) == (3, 2, 0)
    assert all(user["bytes"][name] > 0 for name in ("raw", "catalog", "lake", "index"))
    assert user["snapshots"] == {"count": 0, "newest": None, "ahead": [], "blocked": ""}
    drawn = brain("status")
    assert drawn.exit_code == 0 and "inbox:note/noise.txt" in drawn.stdout


def test_broken_line_is_reported_and_rest_of_conversation_stored(bench, tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text('{"role": "user", "content": "hello", "timestamp": "2026-01-05T09:00:00Z"}\nnot json\n')
    report = brain_json("ingest", str(path), "--user", "alice", "--source", "conversation")
    assert [row["kind"] for row in report["quarantined"]] == ["rejected"]
    assert [row["uri"] for row in report["stored"]] == ["inbox:conversation/talk.jsonl#2026-01-05"]


def test_rerun_applies_inbox_changes(bench, ingested) -> None:
    (bench.home.inbox / "alice" / "note" / "plan.md").unlink()
    report = brain_json("rerun", "--user", "alice", "--source", "note")
    assert all(run["success"] for run in report["runs"])
    assert [uri for uri in bench.texts() if uri.endswith("plan.md")] == []


def test_rerun_runs_only_given_days(ingested) -> None:
    report = brain_json("rerun", "--user", "alice", "--from", "2026-01-06", "--to", "2026-01-31")
    assert report["runs"] == []
    report = brain_json("rerun", "--user", "alice", "--from", "2026-01-05", "--to", "2026-01-05", "--force")
    assert [(run["source"], run["from"], run["to"]) for run in report["runs"]] == [("note", "2026-01-05", "2026-01-05")]


def test_home_option_before_or_after_command(bench, ingested, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("BRAIN_HOME", str(tmp_path / "elsewhere"))
    assert brain("status", "--user", "alice").exit_code == 3
    assert brain("status", "--user", "alice", "--home", str(bench.home.path)).exit_code == 0
    assert brain("--home", str(bench.home.path), "status", "--user", "alice").exit_code == 0


def test_users_lists_known_users(ingested) -> None:
    assert "alice" in json.dumps(brain_json("users"))


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["ingest", "{file}", "--user", "Alice", "--source", "note"], 2),
        (["ingest", "{file}", "--user", "alice", "--source", "telepathy"], 2),
        (["ingest", "/no/such/file", "--user", "alice", "--source", "note"], 2),
        (["ingest", "{file}", "--user", "alice", "--source", "note", "--event-time", "yesterday"], 2),
        (["search", "x", "--user", "nobody"], 3),
        (["search", "x", "--user", "../alice"], 2),
        (["status", "--user", "nobody"], 3),
        (["rerun", "--user", "nobody"], 3),
        (["rerun", "--user", "alice", "--from", "soon"], 2),
        (["no-such-command"], 2),
    ],
)
def test_exit_codes(bench, tmp_path: Path, arguments: list[str], code: int) -> None:
    file = tmp_path / "a.txt"
    file.write_text("hello")
    result = brain(*(argument.format(file=file) for argument in arguments))
    expected = result.exception.exit_code if isinstance(result.exception, BrainError) else result.exit_code
    assert expected == code, result.output


def test_hidden_and_unreadable_files_are_reported_and_rest_ingested(bench, tmp_path: Path) -> None:
    hidden, good = tmp_path / ".hidden.md", tmp_path / "good.md"
    hidden.write_text("unseen")
    good.write_text("A good note.")
    (bench.home.inbox / "alice" / "note" / "blocked.md").mkdir(parents=True)  # a directory where a file should go
    blocked = tmp_path / "blocked.md"
    blocked.write_text("no room")
    report = brain_json("ingest", str(hidden), str(blocked), str(good), "--user", "alice", "--source", "note")
    assert [row["uri"] for row in report["stored"]] == ["inbox:note/good.md"]
    assert [(row["uri"], row["stage"]) for row in report["quarantined"]] == [(str(blocked), "landing")]
    assert [row["uri"] for row in report["skipped"]] == [str(hidden)]


def test_ingest_fails_if_all_items_are_refused(bench, files: Path) -> None:
    result = brain("ingest", str(files / "noise.txt"), "--user", "alice", "--source", "note")
    assert result.exit_code == 1 and "rejected" in result.output


def test_errors_are_one_line_on_standard_error(bench) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "brain_pipelines.commands.entry", "search", "x", "--user", "nobody"],
        capture_output=True,
        text=True,
        cwd=project_root(),
        env={**os.environ, "BRAIN_HOME": str(bench.home.path)},
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("error: user 'nobody' is not known here") and "Traceback" not in done.stderr


def test_the_version_is_printed() -> None:
    result = brain("--version")
    assert result.exit_code == 0 and result.output == f"brain {__version__}\n"
