"""`brain ask`: memories first, then passages with citations; an answer in sentences only where they support it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from brain_pipelines.commands.app import app
from brain_retrieval.brain import Brain
from brain_retrieval.home import Home
from brain_retrieval.models.chat.chat_cache import ResponseCache
from brain_retrieval.query.why.node import LineageNode
from tests.fake_openai import FakeOpenAI
from tests.pipelines.conftest import Bench

NOTES = (
    ("move.md", "2026-01-05", "Bob Lee lives in Berlin. Bob Lee works at Acme Corp."),
    ("lisbon.md", "2026-02-01", "Bob Lee lives in Lisbon."),
)
QUESTION = "Where does Bob Lee live?"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two notes about one person, the later one with a new place."""
    bench = Bench(Home(tmp_path_factory.mktemp("ask") / "home"))
    for name, day, text in NOTES:
        bench.land(bench.drop("alice", "note", name, text, day=day))
    bench.run()
    return bench.home.path


def ask(home: Path, question: str, *options: str) -> Result:
    done = CliRunner().invoke(app, ["ask", question, "--user", "alice", "--home", str(home), *options])
    assert done.exit_code == 0, done.output
    return done


def asked(home: Path, question: str, *options: str) -> dict:
    return json.loads(ask(home, question, *options, "--json").stdout)


def test_what_holds_comes_before_what_has_ended_and_the_passages(home: Path) -> None:
    shown = ask(home, QUESTION).stdout
    places = [
        shown.index(text) for text in ("What holds", "Lisbon", "Earlier", "Berlin", "ended 2026-02-01", "Passages")
    ]
    assert places == sorted(places)
    assert "[1] 2026-02-01 · inbox:note/lisbon.md [0:" in shown and "[2] since 2026-01-05 · inbox:note/move.md" in shown
    assert max(map(len, shown.splitlines())) <= 88


def test_json_has_memories_passages_and_their_numbers(home: Path) -> None:
    found = asked(home, QUESTION)
    assert [card["status"] for card in found["memories"]] == ["current", "ended"]
    numbers = [one["citation"] for one in (*found["memories"], *found["passages"])]
    assert found["found"] and numbers == list(range(1, len(numbers) + 1)) and found["answer"] is None


def test_both_clocks_limit_what_is_known(home: Path) -> None:
    then = asked(home, QUESTION, "--as-of", "2026-01-10")
    assert ["Berlin" in card["text"] for card in then["memories"]] == [True]
    assert then["memories"][0]["status"] == "current" and then["storyline"] is None
    assert not asked(home, QUESTION, "--known-at", "2026-02-01")["found"]  # received a month later


def test_nothing_found_is_said_with_the_nearest_miss(home: Path) -> None:
    shown = ask(home, "zzqqx vvbnm").stdout
    assert "Nothing found" in shown and "The nearest, probably no answer" in shown and "What holds" not in shown


def test_a_model_answers_in_sentences_that_its_citations_support(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = [
        {"text": "Bob Lee lives in Lisbon now.", "passages": [1]},
        {"text": "He paid 400 euros for the move.", "passages": [1]},  # no passage says so
        {"text": "Bob Lee lives in Lisbon.", "passages": [77]},  # cites nothing
    ]
    with FakeOpenAI(chat=lambda _body: json.dumps({"sentences": said})) as server:
        for name, value in {"MODEL": "m1", "BASE_URL": server.base_url, "API_KEY": "k", "MAX_ATTEMPTS": "1"}.items():
            monkeypatch.setenv(f"BRAIN_LLM__{name}", value)
        assert asked(home, QUESTION, "--no-write")["answer"] is None and not server.requests
        done = ask(home, QUESTION)
        assert "Bob Lee lives in Lisbon now. [1]" in done.stdout and "400" not in done.stdout
        assert "2 sentences of m1 left out" in done.stderr
        (sent,) = [request.body for request in server.requests]
        assert "inbox:" not in str(sent) and "Bob Lee lives in Berlin" in str(sent)
        assert_cached_answers_are_listed(home)
    monkeypatch.setenv("BRAIN_LLM__MODEL", "m2")  # the server is gone
    found = asked(home, QUESTION)
    assert found["answer"] is None and found["memories"] and "no answer in sentences" in found["warnings"][-1]


def assert_cached_answers_are_listed(home: Path) -> None:
    """`why` names the answer above what its request quoted, and walks from the answer down to the bytes."""
    with Brain.open(home, user="alice") as brain:
        for asked in ("inbox:note/lisbon.md", "inbox:note/lisbon.md [0:8]", "inbox:note/move.md"):
            (group,) = [one for one in brain.why(asked).above if one.name == "cached answers of a chat model"]
            (node,) = group.items
            assert node.text.startswith("Bob Lee lives in Lisbon now.") and node.facts["asked for"] == "ask"
        answer = brain.why(node.id).root
        arrivals = {one.id for one in walked(answer) if one.kind == "arrival"}
        assert answer.kind == "answer" and arrivals == {"inbox:note/lisbon.md", "inbox:note/move.md"}
        with ResponseCache(brain.space) as cache:
            cache.prune(keep_days=0, most_bytes=0)
            assert cache.quoted_by(answer.id) == []
        assert not [one for one in brain.why("inbox:note/move.md").above if one.name == group.name]


def walked(node: LineageNode) -> Iterator[LineageNode]:
    yield node
    for one in node.below:
        yield from walked(one)
