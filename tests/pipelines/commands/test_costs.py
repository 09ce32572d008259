"""`brain estimate` against the requests actually sent, and the output of `estimate` and `costs`."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from rich.progress import Progress
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_pipelines.commands.estimate import OUTPUT_PER_TEXT, costs, estimate
from brain_pipelines.engine.run_stage import materialize
from brain_pipelines.ingest.console import Bars
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES_BY_NAME
from brain_retrieval.models.chat.chat_costs import CostLedger, CostRow
from brain_retrieval.models.embedding.tokenizer import build_tokenizer
from tests.fake_openai import FakeOpenAI
from tests.fake_openai_answers import Body
from tests.pipelines.stages.extraction.llm.scripted_model import reads

ANSWER = {"summary": "s", "keywords": ["k"], "tags": ["t"], "bucket": "PROJECTS", "bucket_confidence": 0.9}


class CountingServer(FakeOpenAI):
    """Counts the tokens of requests and answers with the tokenizer that the estimate uses."""

    def __init__(self, counter) -> None:
        super().__init__(chat=self.say)
        self.counter = counter

    def say(self, body: Body) -> str:
        form = body["response_format"]["json_schema"]
        return reads(body) if form["name"] == "memories" else json.dumps(ANSWER)

    def _completion(self, body: Body) -> Body:
        answer = super()._completion(body)
        sent = [m["content"] for m in body["messages"]] + [json.dumps(body["response_format"]["json_schema"]["schema"])]
        said = answer["choices"][0]["message"]["content"]
        answer["usage"]["prompt_tokens"] = sum(map(self.counter.count, sent))
        answer["usage"]["completion_tokens"] = self.counter.count(said)
        return answer


@pytest.fixture
def remote(bench, monkeypatch, models_dir) -> Iterator[FakeOpenAI]:
    counter = build_tokenizer(bench.settings.embedding, models_dir=models_dir)
    with CountingServer(counter) as server:
        variables = {"EXTRACTION__PROVIDER": "llm", "ENRICHMENT__PROVIDER": "llm", "LLM__MODEL": "m1"}
        variables |= {"LLM__BASE_URL": server.base_url, "LLM__API_KEY": "k", "EXTRACTION__BATCH_SIZE": "20"}
        variables |= {"LLM__INPUT_PRICE": "0.4", "LLM__OUTPUT_PRICE": "1.6", "COSTS__MONTHLY_BUDGET": "5"}
        for name, value in variables.items():
            monkeypatch.setenv(f"BRAIN_{name}", value)
        yield server


def land(bench, count: int = 5) -> None:
    for number in range(count):
        text = f"Alice Chen leads Apollo{number}. " + "It was a long day with much to do and little said. " * 10
        bench.land(bench.drop("alice", "note", f"{number}.md", text, day=f"2026-01-0{number + 1}"))


def test_estimate_equals_requests_sent(bench, remote: FakeOpenAI, monkeypatch) -> None:
    land(bench)
    monkeypatch.setenv("BRAIN_EXTRACTION__PROVIDER", "local")
    monkeypatch.setenv("BRAIN_ENRICHMENT__PROVIDER", "extractive")
    bench.run()
    expected = {one.stage: one for one in estimate(bench.home, user="alice")}
    assert not remote.requests and expected["extractions"].texts == 5
    monkeypatch.setenv("BRAIN_EXTRACTION__PROVIDER", "llm")
    monkeypatch.setenv("BRAIN_ENRICHMENT__PROVIDER", "llm")
    bench.run()
    spent = costs(bench.home, user="alice")["stage"]
    for stage, requests in (("extractions", 1), ("enrichments", 5)):
        assert expected[stage].requests == spent[stage]["requests"] == requests
        assert expected[stage].input_tokens == pytest.approx(spent[stage]["input_tokens"], rel=0.01)
        assert spent[stage]["money"] > 0
    after = estimate(bench.home, user="alice")
    assert all((one.cached, one.requests, one.money) == (5, 0, 0.0) for one in after)


def test_texts_that_the_local_tier_has_not_read_are_estimated_by_length(bench, remote: FakeOpenAI) -> None:
    land(bench)
    days = [f"2026-01-0{number + 1}" for number in range(5)]
    for name in ("raw", "text"):
        args = {"settings": bench.settings, "run_id": "test"}
        materialize(STAGES_BY_NAME[name], SOURCES_BY_NAME["note"], bench.space(), days, **args)
    progress = Progress()
    bars = Bars(progress)
    (rough,) = estimate(bench.home, user="alice", stages=["extractions"], bars=bars)
    assert rough.requests == 5 and rough.output_tokens > 0
    assert [(task.completed, task.total) for task in progress.tasks] == [(5, 5)]  # days


def test_estimate_uses_measured_output_tokens(bench, remote: FakeOpenAI, monkeypatch) -> None:
    monkeypatch.setenv("BRAIN_EXTRACTION__PROVIDER", "local")
    monkeypatch.setenv("BRAIN_ENRICHMENT__PROVIDER", "extractive")
    land(bench, 2)
    bench.run()
    (before,) = estimate(bench.home, user="alice", stages=["enrichments"])
    named = {"model": "m1", "task": "enrichment", "source": "note", "stage": "enrichments", "cached": 0}
    counts = {"input_tokens": 100, "output_tokens": 40, "seconds": 0.1, "money": 0.1}
    at = datetime(2026, 3, 2, tzinfo=UTC)
    with CostLedger(bench.space()) as ledger:
        ledger.add([CostRow.of(str(n), at=at, **named, **counts) for n in range(30)])
    (after,) = estimate(bench.home, user="alice", stages=["enrichments"])
    assert (before.output_tokens, after.output_tokens) == (2 * OUTPUT_PER_TEXT, 80)


def test_commands_print_tables_and_json(bench, remote: FakeOpenAI) -> None:
    land(bench, 2)
    bench.run()
    run = CliRunner().invoke
    shown = run(app, ["costs", "--user", "alice"])
    assert shown.exit_code == 0 and "enrichment" in shown.output and "left this month" in shown.output
    found = json.loads(run(app, ["costs", "--user", "alice", "--json"]).output)
    assert found["total"]["requests"] == 3 and set(found["task"]) == {"memories", "enrichment"}
    assert found["budget"]["money"]["left"] == pytest.approx(5 - found["total"]["money"])
    assert found["budget"]["tokens"]["left"] is None
    empty = json.loads(run(app, ["costs", "--user", "alice", "--month", "2020-01", "--json"]).output)
    assert empty["total"]["requests"] == 0 and empty["source"] == {}
    estimated = json.loads(run(app, ["estimate", "--user", "alice", "--stage", "extractions", "--json"]).output)
    assert [one["cached"] for one in estimated["estimates"]] == [2] and estimated["total"]["money"] == 0
    shown = run(app, ["estimate", "--user", "alice", "--from", "2026-01-02"]).output
    assert "note" in shown and "money" in shown


def test_an_estimate_without_a_price_is_in_tokens(bench, remote: FakeOpenAI, monkeypatch) -> None:
    for name in ("INPUT_PRICE", "OUTPUT_PRICE"):
        monkeypatch.delenv(f"BRAIN_LLM__{name}")
    monkeypatch.setenv("BRAIN_ENRICHMENT__PROVIDER", "extractive")
    monkeypatch.setenv("BRAIN_EXTRACTION__PROVIDER", "local")
    monkeypatch.delenv("BRAIN_COSTS__MONTHLY_BUDGET")
    land(bench, 2)
    bench.run()
    run = CliRunner().invoke
    shown = run(app, ["estimate", "--user", "alice"]).output
    assert "tokens in" in shown and "out; set llm.input_price" in " ".join(shown.split())
    assert "a 10k" not in shown and "0.0000" not in shown
    total = json.loads(run(app, ["estimate", "--user", "alice", "--json"]).output)["total"]
    assert total["money"] is None and total["output_tokens"] > 0
    monkeypatch.setenv("BRAIN_LLM__ENRICHMENT__OUTPUT_PRICE", "2")
    shown = run(app, ["estimate", "--user", "alice"]).output
    assert "a 10k" in shown


def test_the_cost_of_a_model_without_a_price_is_not_shown_as_nothing(bench) -> None:
    at = datetime.now(UTC)
    named = {"source": "note", "seconds": 1.0, "cached": 0, "at": at}
    rows = [
        CostRow.of(model, model=model, task="a", stage="b", input_tokens=70, output_tokens=30, money=money, **named)
        for model, money in (("m1", 0.0), ("m2", 0.5))
    ]
    with CostLedger(bench.space().create()) as ledger:
        ledger.add(rows)
    lines = CliRunner().invoke(app, ["costs", "--user", "alice"]).output.splitlines()
    (unpriced,) = (line.split() for line in lines if "model m1" in line)
    (priced,) = (line.split() for line in lines if "model m2" in line)
    assert unpriced == ["model", "m1", "1", "0", "70", "30"] and priced[-1] == "0.5000"
    assert "No price, or one of 0, was set when these models were asked: m1." in " ".join(lines)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["costs", "--user", "nobody"], 3),
        (["costs", "--user", "alice", "--month", "2026"], 2),
        (["estimate", "--user", "nobody"], 3),
        (["estimate", "--user", "alice", "--source", "nothing"], 2),
        (["estimate", "--user", "alice", "--from", "soon"], 2),
    ],
)
def test_invalid_arguments_set_exit_code(bench, arguments: list[str], code: int) -> None:
    bench.land(bench.drop("alice", "note", "a.md", "Hello there."))
    assert CliRunner().invoke(app, arguments).exit_code == code
