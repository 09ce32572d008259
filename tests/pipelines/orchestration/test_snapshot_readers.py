"""What commands and readers show of a snapshot, and before the first one."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_retrieval.errors import InvalidQueryError, NoSnapshotError
from brain_retrieval.knowledge.reader import Knowledge
from tests.pipelines.orchestration.snapshot_steps import (
    NOTES,
    read,
    snapshot,
    write,
)


def test_missing_snapshot_error_says_how_to_create_one(bench) -> None:
    write(bench, {"move.md": NOTES["move.md"]})
    with pytest.raises(NoSnapshotError, match="brain nightly --user alice"):
        Knowledge(bench.space(), bench.settings).facts()


def test_memories_and_entities_answer_before_the_first_snapshot(bench) -> None:
    write(bench, NOTES)
    known = Knowledge(bench.space(), bench.settings)
    assert any("Lisbon" in card.text for card in known.memories("Bob Lee"))
    card = known.entity("Bob Lee")
    assert card.snapshot is None and card.source_count > 1 and card.sources[0].uri.startswith("inbox:note/")
    with pytest.raises(InvalidQueryError, match="did you mean Bob Lee"):
        known.entity("Bob Leee")
    shown = CliRunner().invoke(app, ["facts", "--about", "Bob Lee", "--user", "alice"])
    assert shown.exit_code == 0 and "Lisbon" in shown.output


def test_user_without_data_can_have_snapshot(bench) -> None:
    bench.space().create()
    snapshot(bench)
    assert Knowledge(bench.space(), bench.settings).storylines() == []


def test_commands_show_snapshot_content(bench, known) -> None:
    run = CliRunner().invoke
    card = json.loads(run(app, ["entity", "bob lee", "--user", "alice", "--json"]).output)
    assert card["name"] == "Bob Lee" and card["facts"][0]["evidence"][0]["uri"].startswith("inbox:note/")
    shown = run(app, ["entity", "Bob Lee", "--user", "alice"])
    assert shown.exit_code == 0 and "Lisbon" in shown.output and "Mentioned" in shown.output
    shown = json.loads(run(app, ["relations", "--about", "Bob Lee", "--history", "--user", "alice", "--json"]).output)
    assert {"Berlin", "Lisbon"} <= {relation["object"] for relation in shown["relations"]}
    said = json.loads(run(app, ["facts", "--about", "Bob Lee", "--all", "--user", "alice", "--json"]).output)
    assert {"current", "ended"} <= {memory["status"] for memory in said["memories"]}
    assert "Lisbon" in run(app, ["facts", "--about", "Bob Lee", "--user", "alice"]).output
    few, all_of_them = (run(app, ["facts", *more, "--user", "alice"]).output for more in ((), ("--all",)))
    assert "--all every statement" in few and "every statement" not in all_of_them
    assert "no storylines yet" in run(app, ["storylines", "--user", "alice"]).output
    unknown = run(app, ["entity", "Bob Leee", "--user", "alice"])
    assert unknown.exit_code == 2 and "did you mean" in unknown.output
    assert run(app, ["facts", "--user", "nobody"]).exit_code == 3
    assert run(app, ["nightly", "--user", "alice", "--day", "soon"]).exit_code == 2


def test_entities_are_listed_by_type_and_number_of_sources(bench, known) -> None:
    run = CliRunner().invoke
    listed = json.loads(run(app, ["entities", "--user", "alice", "--json"]).output)
    assert listed["total"] == len(listed["entities"]) > 1
    order = [(-line["source_count"], -line["mention_count"]) for line in listed["entities"]]
    assert order == sorted(order)
    people = json.loads(run(app, ["entities", "--user", "alice", "--type", "person", "--limit", "1", "--json"]).output)
    assert [line["type"] for line in people["entities"]] == ["Person"]
    assert people["total"] == sum(line["type"] == "Person" for line in listed["entities"])
    shown = run(app, ["entities", "--user", "alice", "--limit", "1"])
    assert shown.exit_code == 0 and f"1 of {listed['total']}" in shown.output
    wrong = run(app, ["entities", "--user", "alice", "--type", "Dragon"])
    assert wrong.exit_code == 2 and "Organization" in wrong.output


def test_preference_changes_over_time(bench) -> None:
    notes = {
        "tea.md": ("2026-01-05", "Bob Lee prefers tea."),
        "coffee.md": ("2026-02-05", "Bob Lee prefers coffee."),
        "lisbon.md": NOTES["lisbon.md"],
    }
    write(bench, notes)
    snapshot(bench)
    chains = Knowledge(bench.space(), bench.settings).drift("Bob Lee")
    assert [[fact.object for fact in chain] for chain in chains.values()] == [["tea", "coffee"]]
    shown = CliRunner().invoke(app, ["relations", "--about", "Bob Lee", "--drift", "--user", "alice", "--json"])
    assert [fact["object"] for fact in json.loads(shown.output)["relations"]] == ["tea", "coffee"]
    assert CliRunner().invoke(app, ["relations", "--drift", "--user", "alice"]).exit_code == 2


def test_storylines_need_enough_evidence(bench) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    days = [(start + timedelta(days=2 * n)).date().isoformat() for n in range(12)]
    notes = {
        f"{day}.md": (day, f"Priya Raman reviewed Phoenix on day {n}. The budget of Phoenix grew.")
        for n, day in enumerate(days)
    }
    for name, (day, text) in notes.items():
        bench.land(bench.drop("alice", "note", name, text, day=day))
    read(bench, days)
    snapshot(bench)
    found = [s for s in Knowledge(bench.space(), bench.settings).storylines("Phoenix") if s.level == "storyline"]
    assert len(found) == 1 and found[0].source_count == 12 and found[0].open
    assert found[0].description and found[0].citations[0].uri.startswith("inbox:note/")
    texts = {row["source_id"]: row["text"] for row in _texts(bench)}
    quotes = [texts[c.source_id][slice(*c.span)] for c in found[0].citations]
    assert found[0].description == " ".join(quotes)


def _texts(bench) -> list[dict]:
    from brain_retrieval.stores.catalog import Catalog
    from brain_retrieval.stores.lake import Lake

    with Catalog(bench.space()) as catalog:
        return Lake(bench.space(), catalog).read("text").to_pylist()
