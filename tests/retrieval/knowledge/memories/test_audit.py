"""A temporal audit over the lake: the state, what was known, and the chain of changes; and its command."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from brain_retrieval.brain import Brain
from brain_retrieval.knowledge.memories.reader import MemoryReader
from brain_retrieval.knowledge.memories.view import Seen
from brain_retrieval.serve.audit_cli import register
from tests.retrieval.query.temporal.statements import STATEMENTS, landed

JENA, KIEL = STATEMENTS[0][2], STATEMENTS[1][2]
app = typer.Typer()
register(app)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("audit")
    landed(directory)
    landed(directory, "late", received="2026-03-10")
    return directory


def test_the_state_and_the_change_with_both_citations(home: Path) -> None:
    with Brain.open(home, user="dana") as brain:
        found = brain.audit("where Dana lives")
    assert found.state[0].text == KIEL
    assert JENA not in [card.text for card in found.state]
    change = found.changes[0]
    assert (change.ended.text, change.by.text, change.rule, change.cue, change.sure) == (
        JENA,
        KIEL,
        "slot",
        "none",
        True,
    )
    assert (change.ended.uri, change.by.uri) == ("inbox:note/jena.md", "inbox:note/kiel.md")
    assert change.since.date().isoformat() == "2026-02-10"


def test_at_an_earlier_time_the_earlier_state_and_no_change(home: Path) -> None:
    with Brain.open(home, user="dana") as brain:
        found = brain.audit("where Dana lives", at="2026-02-01")
    assert [card.text for card in found.state] == [JENA]
    assert found.known == found.state
    assert found.changes == ()


def test_what_was_received_later_held_then_but_was_not_known(home: Path) -> None:
    with Brain.open(home, user="late") as brain:
        found = brain.audit("where Dana lives", at="2026-02-15")
        unknown = brain.audit("where Dana lives", at="2026-02-15", known_at="2026-03-01")
    assert KIEL in [card.text for card in found.state]
    assert found.known == ()
    assert (unknown.state, unknown.changes) == ((), ())


def test_a_concept_alone_is_no_topic_beside_statements_that_have_its_word(tmp_path: Path) -> None:
    said = [
        ("2026-01-05", "rent.md", "The rent of the shop is 1,340 euros a month.", None),
        ("2025-12-14", "inn.md", "We slept at the Old Mill inn and paid 92 euros for the room.", None),
    ]
    landed(tmp_path, "ines", statements=said)
    with Brain.open(tmp_path, user="ines") as brain:
        found = brain.audit("rent")
    assert [card.text for card in found.state] == ["The rent of the shop is 1,340 euros a month."]
    assert found.changes == ()


SAID = (
    ("2026-01-05", "log.md", "Dana Orlow: the pump works again.", None),
    ("2026-01-09", "plan.md", "On Friday the keys of the barn go back to Dana for good.", None),
)


def test_a_statement_that_has_the_name_belongs_to_the_topic_however_well_another_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    landed(tmp_path, statements=SAID)
    seen = MemoryReader.seen

    def weighed(reader: MemoryReader, about: str, **options: Any) -> list[Seen]:
        return [
            replace(one, parts={"words": 1.0 if "pump" in one.row["text"] else 0.4})
            for one in seen(reader, about, **options)
        ]

    monkeypatch.setattr(MemoryReader, "seen", weighed)
    with Brain.open(tmp_path, user="dana") as brain:
        assert {card.text for card in brain.audit("Dana").state} == {text for _, _, text, _ in SAID}


def test_the_other_names_of_an_entity_belong_to_the_topic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    landed(tmp_path, statements=SAID)
    with Brain.open(tmp_path, user="dana") as brain:
        assert SAID[1][2] not in [card.text for card in brain.audit("Orlow").state]
        monkeypatch.setattr("brain_retrieval.knowledge.memory_cards.names_of", lambda *_: ("Dana",))
        state = [card.text for card in brain.audit("Orlow").state]
    assert SAID[1][2] in state
    assert len(state) == len(set(state))


def test_the_command_prints_the_chain_and_json(home: Path) -> None:
    arguments = ["audit", "where Dana lives", "--user", "dana", "--home", str(home)]
    shown = CliRunner().invoke(app, arguments, env={"COLUMNS": "300"}).stdout
    assert shown.index(KIEL) < shown.index("Changes") < shown.index(JENA)
    assert "inbox:note/jena.md [0:" in shown and "states another value of the same attribute" in shown
    answer = json.loads(CliRunner().invoke(app, [*arguments, "--json", "--as-of", "2026-02-01"]).stdout)
    assert (answer["changes"], [card["text"] for card in answer["state"]]) == ([], [JENA])


def test_an_overview_without_a_snapshot_says_what_to_run(home: Path) -> None:
    done = CliRunner().invoke(app, ["overview", "--user", "dana", "--home", str(home)])
    assert done.exit_code != 0
    assert "brain nightly" in done.stderr
