"""`brain` without arguments: what is here, what waits, what failed, and what to do next."""

import json
from dataclasses import replace
from datetime import UTC, datetime

from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_retrieval.stores.catalog import Catalog, LedgerRow, QuarantineRow

AT = datetime(2026, 3, 1, tzinfo=UTC)
ROW = LedgerRow("note", "raw", "2026-01-05", "ok", "i", "1", "c", "o", 3, "", "run", AT, 0.1)


def page(*arguments: str) -> str:
    done = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_fresh_home_says_how_to_begin_and_creates_nothing(bench) -> None:
    bench.home.path.rmdir()
    shown = page()
    assert "Nothing is stored here yet" in shown and "brain init" in shown and "brain ingest FILE…" in shown
    assert max(map(len, shown.splitlines())) <= max(80, len(str(bench.home.path)) * 2 + 40)
    assert not bench.home.path.exists()


def test_a_full_home_says_what_is_here_what_waits_and_what_failed(bench) -> None:
    with Catalog(bench.space().create()) as catalog:
        kinds = [replace(ROW, source=kind) for kind in ("calendar", "conversation", "document", "email", "message")]
        later = replace(ROW, day="2026-01-06", state="failed", error="no model", rows=0)
        catalog.put_ledger(ROW, *kinds, replace(ROW, stage="text"), later)
        found = QuarantineRow("note", "text", "2026-01-05", "s", "inbox:note/[x].md", "empty", "rejected")
        catalog.replace_quarantine("note", "text", "2026-01-05", [found])
    bench.drop("bob", "note", "new.md", "Not processed yet.")
    lines = page().splitlines()
    assert all(len(line) <= 80 for line in lines[2:])  # the first names the home
    shown = "\n".join(lines)
    assert "18 items" in shown and "2026-01-05 to 2026-01-05" in shown and "3 more" in shown
    assert "1 day failed, 1 item could not be read" in shown
    assert "5 days to process" in shown and "1 new file to process" in shown
    assert shown.index("Failed") < shown.index("Waiting") < shown.index("Next") < shown.index("brain status")


def test_the_page_is_also_json(bench) -> None:
    bench.drop("bob", "note", "new.md", "Not processed yet.")
    shown = json.loads(page("--json"))
    (bob,) = shown["users"]
    assert bob["user"] == "bob" and bob["inbox"]["new"] == 1 and bob["waits"] == ["1 new file to process"]
    assert shown["next"][0] == "brain rerun --user bob"


def test_a_damaged_store_of_one_user_is_said(bench) -> None:
    space = bench.space().create()
    space.catalog.write_bytes(b"no database" * 1000)
    bench.drop("bob", "note", "new.md", "Fine.")
    shown = page()
    assert "brain doctor --user alice" in " ".join(shown.split()) and "bob" in shown


def test_a_day_whose_stage_made_nothing_does_not_wait_for_those_that_read_it(bench) -> None:
    def ended(day: str, *stages: tuple[str, str, str]) -> list[LedgerRow]:
        return [
            replace(ROW, day=day, stage=stage, input_hash=read, output_hash=made, rows=1 if made else 0)
            for stage, read, made in stages
        ]

    every = (
        ("raw", "", "r"),
        ("text", "r", "t"),
        ("chunks", "t", "c"),
        ("embeddings", "c", "v"),
        ("enrichments", "t", "s"),
    )
    with Catalog(bench.space().create()) as catalog:
        catalog.put_ledger(*ended("2026-01-05", *every, ("extractions", "t", "e"), ("memory_vectors", "e", "v")))
        catalog.put_ledger(*ended("2026-01-06", *every, ("extractions", "t", "")))
    (alice,) = json.loads(page("--json"))["users"]
    assert alice["half_done"] == 0 and alice["waits"] == []
    with Catalog(bench.space()) as catalog:
        catalog.put_ledger(*ended("2026-01-07", *every, ("extractions", "t", "e")))
    (alice,) = json.loads(page("--json"))["users"]
    assert alice["waits"] == ["1 day to process"]
