"""A passage whose statement has ended says so, and what holds comes first, through `Brain.search` over real stores."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from brain_retrieval.brain import Brain
from brain_retrieval.query.hits import SearchResult
from brain_retrieval.serve.cli import register
from tests.retrieval.library import fill, row
from tests.retrieval.query.temporal.statements import STATEMENTS, landed

app = typer.Typer()
register(app)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("landed")
    landed(directory)
    return directory


@pytest.fixture
def brain(home: Path) -> Iterator[Brain]:
    with Brain.open(home, user="dana") as opened:
        yield opened


def files(found: SearchResult) -> list[str]:
    return [hit.source_ref.uri.rsplit("/", 1)[1] for hit in found]


def marks(found: SearchResult) -> dict[str, str]:
    """Return by file the newer statement that ends one in it."""
    newer = {hit.source_ref.uri.rsplit("/", 1)[1]: hit.temporal_context.superseded_by for hit in found}
    return {name: one.text for name, one in newer.items() if one is not None}


def test_the_command_prints_what_holds_instead(home: Path) -> None:
    arguments = ["search", "where does Dana live", "--user", "dana", "--home", str(home)]
    shown = CliRunner().invoke(app, arguments, env={"COLUMNS": "300"}).stdout
    assert f"no longer: {STATEMENTS[0][2]}" in shown
    assert f"since 2026-02-10: {STATEMENTS[1][2]}" in shown and "inbox:note/kiel.md [0:" in shown


def test_the_ended_statement_names_what_holds_and_where_it_is_said(brain: Brain) -> None:
    ended = next(hit for hit in brain.search("Dana lives in Jena near the station") if "Jena" in hit.text)
    newer = ended.temporal_context.to_json()["superseded_by"]
    assert newer["text"] == STATEMENTS[1][2]
    assert newer["source_ref"]["uri"] == "inbox:note/kiel.md"
    assert newer["source_ref"]["span"] == [0, len(STATEMENTS[1][2])]
    assert newer["effective_from"][:10] == newer["said_at"][:10] == "2026-02-10"
    assert (newer["sure"], newer["rule"]) == (True, "slot")
    assert (newer["ended_text"], newer["ended_span"]) == (STATEMENTS[0][2], [0, len(STATEMENTS[0][2])])


def test_what_holds_comes_before_what_has_ended(brain: Brain) -> None:
    found = brain.search("Dana lives in Jena near the station, lives where?")
    assert files(found)[:2] == ["kiel.md", "jena.md"]
    assert "current" in found[0].why_ranked.boosts
    assert found[0].score >= found[1].score


def test_what_holds_is_fetched_if_it_was_not_found(brain: Brain) -> None:
    found = brain.search("Dana lives in Jena", k=1)
    assert files(found) == ["kiel.md"]
    assert found[0].why_ranked.arms["lexical"].rank == 2
    assert 0 < found[0].why_ranked.boosts["current"] < found[0].why_ranked.final
    assert found[0].score > 0


def test_a_passage_outside_the_scope_is_not_fetched(brain: Brain) -> None:
    found = brain.search("Dana lives in Jena", day_to="2026-01-31")
    assert files(found) == ["jena.md"]
    assert marks(found)["jena.md"] == STATEMENTS[1][2]


@pytest.mark.parametrize(
    ("as_of", "known_at"), [("2026-02-01", None), (None, "2026-02-01"), ("2026-02-01", "2026-02-01")]
)
def test_before_the_newer_statement_nothing_has_ended(brain: Brain, as_of: str | None, known_at: str | None) -> None:
    found = brain.search("where does Dana live", as_of=as_of, known_at=known_at)
    assert files(found)[0] == "jena.md"
    assert marks(found) == {}


def test_what_was_received_later_is_not_known_earlier(tmp_path: Path) -> None:
    landed(tmp_path, received="2026-03-10")
    with Brain.open(tmp_path, user="dana") as brain:
        assert marks(brain.search("where does Dana live", as_of="2026-02-15")) == {"jena.md": STATEMENTS[1][2]}
        assert marks(brain.search("where does Dana live", as_of="2026-02-15", known_at="2026-03-11")) != {}
        assert brain.search("where does Dana live", known_at="2026-03-01") == []


@pytest.mark.parametrize(
    "question",
    ["who used to live in Jena near the station?", "where did Dana live in January 2026 near the station"],
)
def test_a_question_about_then_keeps_the_order(brain: Brain, question: str) -> None:
    found = brain.search(question)
    assert files(found)[0] == "jena.md"
    assert marks(found)["jena.md"] == STATEMENTS[1][2]


def test_a_user_without_memories_has_neither_marks_nor_warnings(tmp_path: Path) -> None:
    fill(tmp_path, "erin", [row("note", "a.md", "2026-01-05", "Dana lives in Jena.")])
    with Brain.open(tmp_path, user="erin") as brain:
        found = brain.search("where does Dana live")
    assert (len(found), found.warnings, marks(found)) == (1, [], {})


def test_memories_that_cannot_be_read_leave_the_hits_with_a_warning(tmp_path: Path) -> None:
    space = landed(tmp_path)
    for file in (space.lake / "memories").rglob("*.parquet"):
        file.write_bytes(b"broken")
    with Brain.open(tmp_path, user="dana") as brain:
        found = brain.search("where does Dana live")
    assert len(found) == len(STATEMENTS)
    assert any("memories" in warning for warning in found.warnings)
    assert marks(found) == {}


def test_an_ending_is_known_to_be_of_what_is_shown(brain: Brain) -> None:
    ended = next(hit for hit in brain.search("Dana lives in Jena near the station") if "Jena" in hit.text)
    newer, first = ended.temporal_context.superseded_by, ended.source_ref.span[0]
    assert newer is not None and newer.quote(ended.text, first) == STATEMENTS[0][2]
    assert newer.ends_part_of(f"… {STATEMENTS[0][2]} …", ended.text, first)
    assert not newer.ends_part_of("… Dana has a boat.", ended.text, first)
    assert not newer.ends_part_of(ended.text, ended.text, first + 10_000)  # the statement is not in that passage
