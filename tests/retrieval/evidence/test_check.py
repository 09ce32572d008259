"""`Brain.evidence` and `brain check` over a real index and real memories."""

import json
import shutil
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from brain_pipelines.commands.evidence.check import register
from brain_retrieval.brain import Brain
from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.evidence.candidates import gathering
from brain_retrieval.serve.check_print import report_lines
from tests.retrieval.library import fill, row
from tests.retrieval.query.temporal.statements import landed

app = typer.Typer()
register(app)
app.command()(lambda: None)  # a second command, so that `check` is a name


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("check")
    landed(directory)
    landed(directory, "late", received="2026-03-10")
    fill(directory, "eve", [row("note", "dana.md", "2026-01-01", "Dana owns a yacht.")])
    fill(directory, "max", [row("note", "list.md", "2026-01-01", "Pears 4 kg, plums 3 kg, " * 50)])
    return directory


def test_what_held_and_has_ended_is_contradicted_with_both_citations(home: Path) -> None:
    with Brain.open(home, user="dana") as brain:
        report = brain.evidence("Dana lives in Jena.")
    assert (report.verdict, report.state) == ("contradicted", "revoked")
    texts = {item.statement.text: item for item in report.findings[0].of("contradict")}
    assert texts["Dana lives in Kiel since the move."].stance.reason == "names another in its place"
    old = texts["Dana lives in Jena, near the station."]
    assert old.statement.ended_by is not None
    assert old.statement.ended_by.uri == "inbox:note/kiel.md"
    assert old.statement.span == (0, len(old.statement.text))


def test_as_of_and_known_at(home: Path) -> None:
    with Brain.open(home, user="dana") as brain:
        assert brain.evidence("Dana lives in Jena.", as_of="2026-01-20").verdict == "supported"
        assert brain.evidence("Dana lives in Kiel.", as_of="2026-01-20").verdict == "contradicted"
    with Brain.open(home, user="late") as brain:
        unknown = brain.evidence("Dana lives in Kiel.", known_at="2026-03-01")
        assert unknown.verdict == "unknown"
        assert brain.evidence("Dana lives in Kiel.", known_at="2026-03-11").verdict == "supported"


def test_unknown_is_not_false_and_nobody_elses_evidence_counts(home: Path) -> None:
    with Brain.open(home, user="dana") as brain:
        report = brain.evidence("Dana owns a yacht.")
    assert (report.verdict, report.state) == ("unknown", "evidence_insufficiency")
    assert report.findings[0].unknown == ("nothing found decides it",)
    assert not report.findings[0].of("contradict")


def test_the_same_claim_has_the_same_report(home: Path) -> None:
    with Brain.open(home, user="dana") as brain:
        one, other = (brain.evidence("Dana lives in Kiel.", as_of="2026-03-01").to_json() for _ in range(2))
    assert one == other
    assert json.loads(json.dumps(one)) == one


def test_a_part_that_fails_is_named_and_the_others_are_used(home: Path, tmp_path: Path) -> None:
    copy = tmp_path / "home"
    shutil.copytree(home, copy)
    shutil.rmtree(next((copy / "users" / "dana").glob("**/*.lance")))
    with Brain.open(copy, user="dana") as brain:
        report = brain.evidence("Dana lives in Kiel.")
    failed = {step.part for step in report.findings[0].failures}
    assert {"passages", "graph"} <= failed
    assert report.verdict == "supported"


def test_conditions_are_relaxed_only_where_little_is_found(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Brain.open(home, user="dana") as brain:
        steps = brain.evidence("Dana lives in Kiel.").findings[0].steps
        asked = [step.condition for step in steps if step.part == "passages"]
        monkeypatch.setattr(gathering, "ENOUGH", 1)
        fewer = brain.evidence("Dana lives in Kiel.").findings[0].steps
    assert asked[:2] == ["claim", "subject and action"]
    assert "subject" in asked
    assert [step.condition for step in fewer if step.part == "passages"] == ["claim", "subject and action"]


def test_the_plain_search_is_asked_with_the_words_of_the_user(home: Path) -> None:
    claim = "It was Dana who moved to Kiel."
    with Brain.open(home, user="dana") as brain:
        asked = [step.query for step in brain.evidence(claim).findings[0].steps]
        plain = [step.query for step in brain.evidence("Dana lives in Kiel.").findings[0].steps]
    assert asked[:2] == [claim, "Dana moved to Kiel"]
    assert plain[0] == "Dana lives in Kiel."


def test_a_passage_without_sentences_is_shown_and_decides_nothing(home: Path) -> None:
    with Brain.open(home, user="max") as brain:
        report = brain.evidence("We have 9 kg of plums.")
    (item,) = report.findings[0].items
    assert (item.label, item.stance.reason, report.verdict) == ("neither", "no sentence", "unknown")
    assert item.statement.span == (0, 799)  # whole words within 800 characters


@pytest.mark.parametrize(("claim", "options"), [("", {}), ("x", {"limit": 0}), ("x", {"as_of": "yesteryear"})])
def test_invalid_requests(home: Path, claim: str, options: dict) -> None:
    with Brain.open(home, user="dana") as brain, pytest.raises(InvalidQueryError):
        brain.evidence(claim, **options)


def test_the_command_prints_at_most_80_columns(home: Path) -> None:
    claim = "Dana lives in Jena and the bicycle of Dana has a flat tyre and Dana speaks Greek."
    result = CliRunner().invoke(app, ["check", claim, "--user", "dana", "--home", str(home)])
    assert result.exit_code == 0
    assert max(map(len, result.output.splitlines())) <= 80
    for text in ("CONTRADICTED", "contradicts", "supports", "inbox:note/kiel.md [0:34]", "ended 2026-02-10", "unknown"):
        assert text in result.output
    assert "not looked at: graph" in result.output


def test_an_unknown_claim_is_said_to_be_unknown_once(home: Path) -> None:
    claims = (
        "Dana owns a yacht.",
        "Dana owns a yacht and Dana keeps bees.",
        "Dana lives in Kiel and Dana owns a yacht.",
    )
    with Brain.open(home, user="dana") as brain:
        one, two, partly = ([line.plain for line in report_lines(brain.evidence(claim))] for claim in claims)
    head = "UNKNOWN  nothing found decides it; that does not make it false"
    for said in (one, two):
        text = "\n".join(said)
        assert said[1] == head and text.count("decides it") == text.count("false") == 1
        assert " judged, as of " in said[2] and "not enough" not in text and "grade" not in text
    assert two.count("   unknown") == 2
    assert partly[1].startswith("PARTLY SUPPORTED") and "   unknown: nothing found decides it" in partly


def test_the_command_prints_json(home: Path) -> None:
    arguments = ["check", "Dana lives in Kiel.", "-u", "dana", "--home", str(home), "--json", "--as-of", "2026-03-01"]
    found = json.loads(CliRunner().invoke(app, arguments).output)
    assert (found["user"], found["verdict"], found["statements"][0]["verdict"]) == ("dana", "supported", "supported")
    support = found["statements"][0]["supports"][0]
    assert support["citation"]["uri"] == "inbox:note/kiel.md"
    assert {"subject", "action", "object", "overlap", "semantic"} <= support["features"].keys()
