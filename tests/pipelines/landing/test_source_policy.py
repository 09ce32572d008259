"""Retention and sensitivity of a source: where they may be stated, which statement counts, and what they reach."""

from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_pipelines.ingest.agent_tools import AgentTools
from brain_pipelines.landing.inbox import FileState
from brain_pipelines.landing.landing import NO_POLICY, open_landing
from brain_pipelines.readers.source_policy import SourcePolicy, stated
from brain_retrieval.brain import Brain
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from tests.pipelines.conftest import Bench
from tests.pipelines.orchestration.snapshot_steps import snapshot

TEXT = "Katrin moved to Jena in March and looks for a flat near the river."


def lake(bench, table: str) -> list[dict]:
    with Catalog(bench.space()) as catalog:
        return Lake(bench.space(), catalog).read(table).to_pylist()


def policies(bench, table: str = "text") -> set[tuple[str | None, str]]:
    return {(row["ttl_policy"], row["sensitivity"]) for row in lake(bench, table)}


@pytest.mark.parametrize(
    ("said", "policy"),
    [
        ({"retention": "keep-forever"}, SourcePolicy("keep_forever")),
        ({"ttl_policy": "Ephemeral", "sensitivity": " HIGH "}, SourcePolicy("ephemeral", "high")),
        ({"ttl_policy": "decay", "retention": "ephemeral"}, SourcePolicy("decay")),
        ({"sensitivity": ["low", "high"]}, SourcePolicy()),
    ],
)
def test_stated_values(said: dict, policy: SourcePolicy) -> None:
    found, problems = stated(said)
    assert found == policy and bool(problems) == (policy == SourcePolicy())


def test_stronger_retention_and_higher_sensitivity_count() -> None:
    one, other = SourcePolicy("decay", "high"), SourcePolicy("ephemeral", "low")
    assert one.with_(other) == other.with_(one) == SourcePolicy("ephemeral", "high")
    assert SourcePolicy("keep_forever").with_(SourcePolicy("ephemeral")) == SourcePolicy("keep_forever")
    with pytest.raises(ValueError, match="secret"):
        SourcePolicy(sensitivity="secret")


def test_front_matter_reaches_every_table_and_survives_a_rebuild(bench) -> None:
    bench.land(bench.drop("alice", "note", "a.md", f"---\nretention: ephemeral\nsensitivity: high\n---\n{TEXT}"))
    bench.land(bench.drop("alice", "note", "b.md", f"# Plain\n\n{TEXT}", day="2026-01-06"))
    bench.run()
    expected = {("ephemeral", "high"), (None, "normal")}
    assert all(policies(bench, table) == expected for table in ("raw", "text", "chunks", "entities"))
    bench.space().catalog.unlink()  # everything derived is built again from the landed files
    bench.run()
    assert policies(bench) == expected


def test_unknown_value_is_reported_and_does_not_count(bench) -> None:
    bench.land(bench.drop("alice", "note", "a.md", f"---\nsensitivity: top secret\n---\n{TEXT}"))
    bench.run()
    assert policies(bench) == {(None, "normal")}
    with Catalog(bench.space()) as catalog:
        assert any("top secret" in row.reason for row in catalog.quarantine("note"))


def test_policy_of_the_sender_is_kept_for_later_versions_until_taken_back(bench) -> None:
    def land(text: str, policy: SourcePolicy = NO_POLICY) -> set[str]:
        path = bench.drop("alice", "note", "a.md", text)
        with open_landing(bench.space(), bench.settings) as landing:
            return landing.land(FileState.of(path, bench.space().inbox), policy=policy)

    def items() -> list[tuple[str | None, str | None]]:
        with open_landing(bench.space(), bench.settings) as landing:
            found = landing.items_of("inbox:note/a.md")
        return [(item.meta.get("ttl_policy"), item.meta.get("sensitivity")) for item in found]

    assert land(TEXT, SourcePolicy("ephemeral", "high"))
    assert items() == [("ephemeral", "high")]
    land(f"{TEXT} It has a balcony.")
    assert items() == [("ephemeral", "high")]
    assert land(f"{TEXT} It has a balcony.", SourcePolicy("decay"))  # the same bytes, another policy: the day runs
    assert items() == [("decay", "high")]
    land(f"---\nretention: keep_forever\nsensitivity: low\n---\n{TEXT}")
    assert items() == [("keep_forever", "high")]


def test_landing_database_of_an_earlier_version_gets_the_column(bench) -> None:
    bench.land(bench.drop("alice", "note", "a.md", TEXT))
    with open_landing(bench.space(), bench.settings) as landing, landing.transaction() as connection:
        connection.execute("ALTER TABLE delivery DROP COLUMN policy")
    bench.land(bench.drop("alice", "note", "a.md", f"{TEXT} Soon."))
    with open_landing(bench.space(), bench.settings) as landing:
        assert landing.rows("SELECT policy FROM delivery") == [("{}",)]


def test_expired_sources_are_not_found(bench) -> None:
    now = datetime.now(UTC)
    for name, age, retention in (("old", 31, "ephemeral"), ("new", 29, "ephemeral"), ("kept", 400, "decay")):
        text = f"---\nretention: {retention}\n---\nThe heron of the {name} weir nests early."
        bench.land(bench.drop("alice", "note", f"{name}.md", text), now=now - timedelta(days=age))
    bench.run()
    with Brain.open(bench.home.path, user="alice") as brain:
        found = {hit.source_ref.uri for hit in brain.search("heron weir", k=10, log=False)}
        assert found == {"inbox:note/new.md", "inbox:note/kept.md"}
        before = brain.search("heron weir", k=10, known_at=now - timedelta(days=3), log=False)
        assert {hit.source_ref.uri for hit in before} == {f"inbox:note/{name}.md" for name in ("old", "new", "kept")}
        card = brain.source("inbox:note/old.md")
    assert (card.ttl_policy, card.sensitivity) == ("ephemeral", "normal")


def test_options_of_ingest_and_message(tmp_path) -> None:
    file = tmp_path / "plan.md"
    file.write_text(TEXT)
    home = ["--user", "alice", "--home", str(tmp_path / "home")]

    def run(*arguments: str) -> int:
        return CliRunner().invoke(app, [*arguments, *home]).exit_code

    assert run("message", TEXT, "--ephemeral", "--sensitivity", "high") == 0
    assert run("ingest", str(file), "--keep-forever") == 0
    assert run("ingest", str(file), "--keep-forever", "--ephemeral") == 2
    assert run("ingest", str(file), "--sensitivity", "secret") == 2
    with Brain.open(tmp_path / "home", user="alice") as brain:
        hits = [brain.search("Jena flat", sources=[name])[0] for name in ("message", "note")]  # of the same words
        found = {hit.source_ref.source: brain.source(hit.source_ref.uri) for hit in hits}
    assert {name: (card.ttl_policy, card.sensitivity) for name, card in found.items()} == {
        "message": ("ephemeral", "high"),
        "note": ("keep_forever", "normal"),
    }


@pytest.mark.parametrize(
    ("said", "policy"),
    [
        ({"keep_forever": True}, "keep_forever"),
        ({"keep-forever": "yes"}, "keep_forever"),
        ({"ephemeral": "true"}, "ephemeral"),
        ({"ephemeral": False}, None),
        ({"ephemeral": True, "keep_forever": True}, "keep_forever"),
        ({"retention": "decay", "ephemeral": True}, "decay"),
    ],
)
def test_front_matter_may_use_the_words_of_the_command_line(said: dict, policy: str | None) -> None:
    assert stated(said) == (SourcePolicy(policy), [])


def test_what_is_of_high_sensitivity_is_shown_to_those_who_ask_for_it(bench: Bench) -> None:
    day = (datetime.now(UTC) + timedelta(days=5)).date().isoformat()
    tools = AgentTools(bench.home.path, "alice")
    tools.add_note_to_person("Ida Falk", "Plays the oboe.")
    tools.add_note_to_person("Edvin Moss", f"His operation is on {day}.", sensitivity="high")
    tools.add_note_to_person("Edvin Moss", f"His birthday is on {day}.")
    snapshot(bench, datetime.now(UTC).date().isoformat())
    with Brain.open(bench.home.path, user="alice") as brain:
        first = " ".join(card.text for card in brain.knowledge().memories())
        start, overview = brain.conversation_context().text, brain.overview().text
        asked = {about: brain.facts(about) for about in ("Edvin Moss", "operation")}
        card = brain.knowledge().entity("Edvin Moss")
        found = brain.search("operation", k=3, log=False)
    assert "oboe" in first and "birthday" in start and "birthday" in overview
    for shown in (first, start, overview):
        assert "operation" not in shown
    for cards in asked.values():
        assert [one.sensitivity for one in cards if "operation" in one.text] == ["high"]
    assert "operation" in " ".join(note.content for note in card.notes) and "operation" in found[0].text


def test_what_has_expired_is_not_coming_up(bench: Bench) -> None:
    now = datetime.now(UTC)
    day = (now + timedelta(days=5)).date().isoformat()
    for name, retention in (("sweep", "ephemeral"), ("roofer", "decay")):
        text = f"---\nretention: {retention}\n---\nThe {name} comes on {day} at 9:30."
        bench.land(bench.drop("alice", "note", f"{name}.md", text), now=now - timedelta(days=31))
    bench.run()
    with Brain.open(bench.home.path, user="alice") as brain:
        reader = brain.knowledge().memory_reader
        before = brain.knowledge(known_at=now - timedelta(days=3)).memory_reader
        assert ["roofer" in one.card.text for one in reader.coming_up(now.date())] == [True]
        assert len(before.coming_up(now.date())) == 2
