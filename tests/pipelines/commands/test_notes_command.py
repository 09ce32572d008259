"""The commands `brain note`, `merge` and `unmerge`, run through the command line."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_pipelines.ingest.agent_tools import AgentTools

MONTH_AGO = datetime.now(UTC) - timedelta(days=31)


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, [*arguments, "--user", "alice"])
    assert result.exit_code == code, result.output
    return result.output


def answer(*arguments: str) -> dict:
    return json.loads(run(*arguments, "--json"))


def test_written_notes_are_listed(bench) -> None:
    AgentTools(bench.home, "alice", clock=lambda: MONTH_AGO).add_note_to_person("Bob Lee", "Is on leave.")
    note = answer("note", "add", "Bob Lee", "Prefers short meetings.", "--class", "person", "--lifetime", "forever")
    assert note["visible"] and note["expires_at"] is None and note["note_id"]
    scales = ("--description", "Bob leads Atlas.", "--attitude", "5", "--proximity", "4")
    relation = answer("note", "relate", "Bob Lee", "Lisbon", "lives in", *scales)
    assert (relation["kind"], relation["entities"]) == ("associated_with", ["Bob Lee", "Lisbon"])
    other = answer("note", "relate", "Bob Lee", "Zorblatt", "likes", "-d", "Often.", "--to-class", "concept")
    assert other["kind"] == "engages_with"
    about = answer("note", "about-relationship", "Bob Lee", "Lisbon", "Since March.", "-l", "week")
    assert about["note_id"] and about["expires_at"]
    entry = answer("note", "store", "preference", "Answer in English.", "--priority", "high", "--tag", "style")
    assert entry["stored"] and answer("note", "store", "preference", "answer in english")["id"] == entry["id"]
    answer("merge", "Bob Lee", "Robert Lee")
    answer("unmerge", "Bob Lee", "Bob Li")

    listed = answer("note", "list")
    assert [row["op"] for row in listed] == [
        "unmerge", "merge", "store", "add_note_to_relationship", "create_relationship", "create_relationship",
        "add_note"]  # fmt: skip
    assert [row["op"] for row in answer("note", "list", "lisbon")] == [
        "add_note_to_relationship",
        "create_relationship",
    ]
    everything = answer("note", "list", "Bob Lee", "--expired")
    assert (everything[-1]["content"], everything[-1]["expired"]) == ("Is on leave.", True) and len(everything) == 7
    shown = run("note", "list", "bob", "--expired")
    assert "Note about Bob Lee" in shown and "Prefers short meetings." in shown and "expired" in shown
    assert run("note", "list", "nobody").strip() == "nothing"


def test_commands_print_receipt(bench) -> None:
    assert run("note", "add", "Bob Lee", "Hello Bob.").startswith("stored: inbox:agent-note/")
    assert "Bob Lee → Lisbon: associated_with" in run("note", "relate", "Bob Lee", "Lisbon", "visits", "-d", "Often.")
    assert run("note", "store", "fact", "The lift is broken.").startswith("stored: ")
    assert run("note", "store", "fact", "The lift is broken.").startswith("already there: ")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("note", "add", "Bob Lee", "x", "--class", "thing"), 2),
        (("note", "add", "Bob Lee", "x", "--lifetime", "decade"), 2),
        (("note", "add", "Bo\udcff", "x"), 2),
        (("note", "relate", "Bob Lee", "Lisbon", "visits"), 2),
        (("note", "relate", "Bob Lee", "Lisbon", "visits", "-d", "x", "--attitude", "6"), 2),
        (("note", "store", "gossip", "x"), 2),
        (("merge", "Bob Lee", "Robert Lee"), 3),
        (("unmerge", "Bob Lee", "Robert Lee"), 3),
        (("note", "list"), 3),
    ],
)
def test_invalid_arguments_set_exit_code(bench, arguments: tuple[str, ...], code: int) -> None:
    result = CliRunner().invoke(app, [*arguments, "--user", "alice", "--json"])
    assert result.exit_code == code
    if "visits" not in arguments:  # errors of the argument parser are not JSON
        assert json.loads(result.stdout)["error"]


def test_merge_with_itself_is_refused(bench) -> None:
    bench.space().create()
    assert "Bob Lee and itself" in run("merge", "Bob Lee", "Bob Lee", "--json", code=2)
