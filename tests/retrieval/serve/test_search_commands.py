"""`brain search`, `brain context` and `brain users`: what they print, where, and how they end."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from brain_retrieval import Brain
from brain_retrieval.query.hits import SearchResult
from brain_retrieval.query.temporal.current_first import unranked
from brain_retrieval.serve.cli import register
from brain_retrieval.serve.hit_print import print_hits, reasons

app = typer.Typer()
register(app)


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"BRAIN_HOME": "", "COLUMNS": "200"})


def test_search_prints_the_public_json(library: Path) -> None:
    done = run("search", "Who leads Phoenix?", "--user", "alice", "--home", library, "--k", "2", "--json")
    assert done.exit_code == 0
    answer = json.loads(done.stdout)
    assert [hit["rank"] for hit in answer["hits"]] == [1, 2]
    hit = answer["hits"][0]
    assert {"source_id", "source", "uri", "span"} <= set(hit["source_ref"])
    assert {"rank", "score", "text", "source_ref", "why_ranked", "temporal_context"} <= set(hit)
    assert answer["warnings"] == []
    assert answer["timings"]["embed_ms"] > 0


def test_search_prints_citations_and_reasons(library: Path, trees_that_always_count: None) -> None:
    done = run("search", "plumber leak", "--user", "alice", "--home", library)
    assert done.exit_code == 0
    assert "inbox:conversation/talk.jsonl [" in done.stdout
    assert re.search(
        r"why: lexical [\d.]+ \(#1\) · vector [\d.]+ \(#1\) · formula [\d.]+.* · learned [+-]", done.stdout
    )


def test_a_question_without_an_answer_names_the_nearest_passage(library: Path) -> None:
    done = run("search", "zzqqx vvbnm", "--user", "alice", "--home", library)
    assert done.exit_code == 0
    assert done.stdout == "no hits\n"
    assert re.search(r"the nearest, probably no answer \([\d.]+%\): .+ · inbox:", done.stderr)


def test_hits_that_are_probably_no_answer_are_said_to_be_none(library: Path, capsys: pytest.CaptureFixture) -> None:
    with Brain.open(library, user="alice") as brain:
        hit = brain.search("plumber leak", k=1)[0]
    print_hits(SearchResult([replace(hit, score=0.004)]))
    print_hits(SearchResult([replace(hit, score=0.4)]))
    assert capsys.readouterr().err == "probably none of these is an answer: 0.4% for the likeliest\n"


def test_what_raised_a_current_passage_is_said(library: Path) -> None:
    with Brain.open(library, user="alice") as brain:
        hit = brain.search("plumber leak", k=1)[0]
    raised = replace(hit.why_ranked, boosts={"current": 0.25}, final=hit.why_ranked.final + 0.25)
    assert reasons(replace(hit, why_ranked=raised))[-1] == "raised +0.250, as it says what holds now"
    alone = replace(hit, why_ranked=replace(unranked("weighted"), boosts={"current": 0.5}, final=0.5))
    assert reasons(alone) == ["no retriever found it", "raised +0.500, as it says what holds now"]


def test_both_clocks_and_filters_reach_the_search(library: Path) -> None:
    common = ("search", "Phoenix", "--user", "alice", "--home", library, "--json", "--source", "note")
    assert "Omar" not in run(*common, "--as-of", "2026-01-31").stdout
    assert "Omar" in run(*common, "--as-of", "2026-02-14").stdout
    assert json.loads(run(*common, "--known-at", "2026-02-28").stdout)["hits"] == []
    days = json.loads(run(*common, "--from", "2026-02-20", "--to", "2026-02-20").stdout)["hits"]
    assert {hit["temporal_context"]["day"] for hit in days} == {"2026-02-20"}


def test_a_recipe_can_be_chosen_and_a_number_of_hits_wins_over_it(library: Path) -> None:
    common = ("search", "was the plumber expensive", "--user", "alice", "--home", library, "--json")
    usual, found = (
        json.loads(run(*common, *more, "--k", "1").stdout)["hits"] for more in ((), ("--recipe", "evidence"))
    )
    assert len(usual) == len(found) == 1
    assert usual[0]["why_ranked"]["final"] != found[0]["why_ranked"]["final"]
    wrong = run(*common, "--recipe", "slow")
    assert wrong.exit_code == 2
    assert "default, fast, thorough, meetings, evidence" in json.loads(wrong.stdout)["message"]


def test_markup_in_stored_text_is_printed_as_it_is(tmp_path: Path) -> None:
    from tests.retrieval.library import fill, row

    fill(tmp_path, "alice", [row("note", "[red]a.md", "2026-01-01", "see [bold]section[/bold] and [/] of the plan")])
    done = run("search", "section plan", "--user", "alice", "--home", tmp_path)
    assert done.exit_code == 0
    assert "see [bold]section[/bold] and [/] of the plan" in done.stdout


def test_context_prints_the_pack(library: Path) -> None:
    arguments = ("context", "Who leads Phoenix?", "--user", "alice", "--home", library, "--max-tokens", "200")
    done = run(*arguments)
    assert done.exit_code == 0
    assert done.stdout.startswith("<retrieved_knowledge ")
    pack = json.loads(run(*arguments, "--json").stdout)
    assert 0 < pack["total_tokens"] <= 200
    assert {"text", "items", "total_tokens", "dropped", "timings", "warnings"} <= set(pack)


def test_context_includes_lines_of_the_kinds_it_is_asked_for(library: Path) -> None:
    arguments = ("context", "Who leads Phoenix?", "--user", "alice", "--home", library, "--json")
    assert run(*arguments, "--include", "memories, entities").exit_code == 0
    refused = run(*arguments, "--include", "memories,secrets")
    assert refused.exit_code == 2
    assert "secrets: --include takes memories, entities" in json.loads(refused.stdout)["message"]


def test_users_are_listed(library: Path, tmp_path: Path) -> None:
    assert run("users", "--home", library).stdout.split() == ["alice", "bob"]
    assert json.loads(run("users", "--home", library, "--json").stdout) == {"users": ["alice", "bob"]}
    assert json.loads(run("users", "--home", tmp_path, "--json").stdout) == {"users": []}


@pytest.mark.parametrize(
    ("arguments", "code", "name"),
    [
        (("search", "x", "--user", "nobody"), 3, "UnknownUserError"),
        (("search", "x", "--user", "../bob"), 2, "InvalidUserError"),
        (("search", "", "--user", "alice"), 2, "InvalidQueryError"),
        (("search", "x", "--user", "alice", "--k", "0"), 2, "InvalidQueryError"),
        (("search", "x", "--user", "alice", "--as-of", "soon"), 2, "InvalidQueryError"),
        (("context", "x", "--user", "alice", "--max-tokens", "0"), 2, "InvalidQueryError"),
    ],
)
def test_errors_have_a_message_and_a_code(library: Path, arguments: tuple[str, ...], code: int, name: str) -> None:
    done = run(*arguments, "--home", library, "--json")
    assert done.exit_code == code
    assert json.loads(done.stdout)["error"] == name
    assert "error:" in done.stderr
    assert "Traceback" not in done.output


def test_no_hits_is_no_failure(library: Path) -> None:
    done = run("search", "🎉", "--user", "alice", "--home", library)
    assert done.exit_code == 0
    assert "no hits" in done.stdout
    assert "warning:" in done.stderr
