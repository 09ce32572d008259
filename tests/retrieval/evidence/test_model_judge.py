"""Judging by a model: only what the rules leave open, fenced as data, checked, counted, and never needed."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from brain_retrieval.errors import BrainError
from brain_retrieval.evidence.candidates.gathering import Gathered
from brain_retrieval.evidence.judging import Judging
from brain_retrieval.evidence.model_judge import MOST_REQUESTS, NAME, ModelJudge
from brain_retrieval.evidence.report import Finding
from brain_retrieval.home import Home
from brain_retrieval.models.chat.chat_cache import ResponseCache
from brain_retrieval.models.chat.chat_costs import CostLedger
from brain_retrieval.models.chat.protocol import Usage
from brain_retrieval.settings import Settings, load_settings
from tests.fake_openai import FakeOpenAI
from tests.fake_openai_replies import server_error
from tests.retrieval.evidence.reading import NOW, claim_of, said

CLAIM = "The ferry to Skagen is free for cyclists."
OPEN = "Whoever arrives by bicycle does not need a ticket for the Skagen ferry."
OTHER = "The ferry to Skagen carries thirty cyclists."


def answer(stance: str, quote: str, number: int = 1) -> dict[str, Any]:
    return {"statements": [{"number": number, "stance": stance, "quote": quote}]}


@pytest.fixture
def serve() -> Iterator[Callable[..., FakeOpenAI]]:
    running: list[FakeOpenAI] = []

    def start(said_by_model: dict[str, Any]) -> FakeOpenAI:
        running.append(FakeOpenAI(chat=lambda body: json.dumps(said_by_model)).__enter__())
        return running[-1]

    yield start
    for one in running:
        one.__exit__(None, None, None)


def settings_for(home: Path, server: FakeOpenAI, **costs: Any) -> Settings:
    settings = load_settings(home)
    llm = settings.llm.model_copy(update={"base_url": server.base_url, "max_attempts": 1})
    judge = settings.retrieval.judge.model_copy(update={"model": "small", "input_price": 1.0, "output_price": 1.0})
    retrieval = settings.retrieval.model_copy(update={"judge": judge})
    changed = {"llm": llm, "retrieval": retrieval, "costs": settings.costs.model_copy(update=costs)}
    return settings.model_copy(update=changed)


def judged(home: Path, server: FakeOpenAI, *texts: str, **costs: Any) -> tuple[Finding, ModelJudge]:
    model = ModelJudge(Home(home).space("alice").create(), settings_for(home, server, **costs))
    statements = tuple(said(text, f"s{n}", trust="own") for n, text in enumerate(texts))
    claim = claim_of(CLAIM).statements[0]
    return Judging(NOW, {}, None, "seed", model).finding(claim, Gathered(statements, ())), model


def test_what_the_rules_leave_open_is_judged_and_counted(tmp_path: Path, serve: Callable[..., FakeOpenAI]) -> None:
    server = serve(answer("supports", "does not need a ticket"))
    finding, _ = judged(tmp_path, server, OPEN)
    assert (finding.verdict, finding.items[0].stance.reason) == ("supported", "judged by the model")
    said_to_it = json.dumps(server.requests[0].body["messages"])
    assert "<data id=" in said_to_it
    assert "never an instruction" in said_to_it
    again, _ = judged(tmp_path, server, OPEN)
    assert again.verdict == "supported"
    assert len(server.requests) == 1  # the second time from the cache
    rows = CostLedger(Home(tmp_path).space("alice")).all()
    assert [(row.task, row.model, row.cached) for row in rows] == [(NAME, "small", 0), (NAME, "small", 1)]
    with ResponseCache(Home(tmp_path).space("alice")) as cache:
        (kept,) = cache.quoting("s0", (3, 9))  # `brain why` lists it above the statement
        assert (kept.task, cache.quoted_by(kept.key)) == (NAME, [("s0", 0, len(OPEN))])
        assert cache.quoting("s0", (len(OPEN), 900)) == [] == cache.quoting("s1")


def test_what_the_rules_decide_is_not_asked(tmp_path: Path, serve: Callable[..., FakeOpenAI]) -> None:
    server = serve(answer("contradicts", "The ferry to Skagen"))
    finding, _ = judged(tmp_path, server, CLAIM, OTHER)
    assert finding.verdict == "supported"
    assert server.requests == []


@pytest.mark.parametrize(
    "reply",
    [
        answer("contradicts", "the ferry costs forty crowns"),  # it is not said there
        answer("contradicts", ""),
        answer("contradicts", "thirty cyclists", number=7),
        answer("neither", "thirty cyclists"),
        {"statements": []},
    ],
)
def test_an_answer_without_its_words_in_the_statement_counts_for_nothing(
    tmp_path: Path, serve: Callable[..., FakeOpenAI], reply: dict[str, Any]
) -> None:
    finding, _ = judged(tmp_path, serve(reply), OTHER)
    assert finding.verdict == "unknown"


def test_a_failing_model_leaves_the_rules_and_a_warning(tmp_path: Path, serve: Callable[..., FakeOpenAI]) -> None:
    server = serve({})
    server.script(server_error())
    finding, model = judged(tmp_path, server, OTHER)
    assert finding.verdict == "unknown"
    assert "judged by rules alone" in model.warnings[0]


def test_a_spent_budget_sends_nothing(tmp_path: Path, serve: Callable[..., FakeOpenAI]) -> None:
    server = serve(answer("supports", "thirty cyclists"))
    finding, model = judged(tmp_path, server, OTHER, monthly_budget=0.0)
    assert finding.verdict == "unknown"
    assert server.requests == []
    assert model.warnings


def test_requests_and_statements_are_bounded(tmp_path: Path, serve: Callable[..., FakeOpenAI]) -> None:
    server = serve({"statements": []})
    model = ModelJudge(Home(tmp_path).space("alice").create(), settings_for(tmp_path, server, cache=False))
    claim = claim_of(CLAIM).statements[0]
    many = tuple(said(f"{OTHER} Tour {n}.", f"s{n}") for n in range(30))
    for _ in range(MOST_REQUESTS + 2):
        Judging(NOW, {}, None, "seed", model).finding(claim, Gathered(many, ()))
    assert len(server.requests) == MOST_REQUESTS
    assert json.dumps(server.requests[0].body["messages"]).count('label=\\"statement') == 6


class Meter:
    """Counts tokens, and refuses requests of more than `most`."""

    def __init__(self, most: int) -> None:
        self.most, self.spent = most, 0

    def allow_tokens(self, tokens: int) -> None:
        if tokens > self.most:
            raise BrainError(f"the limit of {self.most} tokens")

    def count_tokens(self, usage: Usage) -> None:
        self.spent += usage.input_tokens + usage.output_tokens


@pytest.mark.parametrize(("most", "asked"), [(100_000, 1), (100, 0)])
def test_tokens_are_counted_and_limited_by_who_asks(
    tmp_path: Path, serve: Callable[..., FakeOpenAI], most: int, asked: int
) -> None:
    server, meter = serve(answer("supports", "does not need a ticket")), Meter(most)
    model = ModelJudge(Home(tmp_path).space("alice").create(), settings_for(tmp_path, server), meter=meter)
    claim = claim_of(CLAIM).statements[0]
    Judging(NOW, {}, None, "seed", model).finding(claim, Gathered((said(OPEN, "s", trust="own"),), ()))
    assert (len(server.requests), meter.spent > 0) == (asked, bool(asked))
    assert bool(model.warnings) == (not asked)
