"""The extraction stage with a chat model through the engine: re-runs, the cache, a budget, a dead endpoint."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from brain_pipelines.engine.run_stage import materialize
from brain_pipelines.engine.standing import standings, together
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES_BY_NAME
from brain_retrieval.models.chat.chat_costs import CostLedger, month_of
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from tests import fake_openai_replies as fake
from tests.fake_openai import FakeOpenAI
from tests.pipelines.stages.extraction.llm.scripted_model import answer, asked_in, name, reads

PEOPLE = ("Alice Chen", "Bob Smith", "Carol Diaz", "Dan Brown", "Erin Stone")


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(chat=reads) as running:
        yield running


@pytest.fixture
def remote(bench, server, monkeypatch) -> FakeOpenAI:
    variables = {"EXTRACTION__PROVIDER": "llm", "LLM__MODEL": "m1", "LLM__BASE_URL": server.base_url}
    for key, value in {**variables, "LLM__API_KEY": "sk-secret-key-1", "LLM__MAX_ATTEMPTS": "1"}.items():
        monkeypatch.setenv(f"BRAIN_{key}", value)
    return server


def land(bench, count: int = 3) -> None:
    for number, person in enumerate(PEOPLE[:count]):
        bench.land(bench.drop("alice", "note", f"{number}.md", f"{person} leads Apollo."))


STAGE = STAGES_BY_NAME["extractions"]


def run(bench, *, force: bool = False):
    """Run text and extractions of every day."""
    space = bench.space()
    with open_landing(space, bench.settings) as landing:
        days = landing.days("note")
    reports = {}
    for stage in (STAGES_BY_NAME["raw"], STAGES_BY_NAME["text"], STAGE):
        args = {"settings": bench.settings, "run_id": "test", "force": force and stage is STAGE}
        reports[stage.name] = materialize(stage, SOURCES_BY_NAME["note"], space, days, **args)
    return reports["extractions"]


def rows(bench, table: str = "memories") -> list[dict]:
    space = bench.space()
    with Catalog(space) as catalog:
        return Lake(space, catalog).read(table, source="note").to_pylist()


def methods(bench) -> set[str]:
    return {row["method"] for row in rows(bench)}


def issues(bench) -> list:
    with Catalog(bench.space()) as catalog:
        return catalog.quarantine(stage="extractions")


def spent(bench):
    with CostLedger(bench.space()) as ledger:
        return ledger.totals(month_of(datetime.now(UTC)), "stage").get("extractions")


def test_each_day_knows_the_tokens_and_the_money_of_its_rows(bench, remote: FakeOpenAI, monkeypatch) -> None:
    monkeypatch.setenv("BRAIN_LLM__INPUT_PRICE", "1.0")
    for number, person in enumerate(PEOPLE[:3]):
        day = ("2026-01-05", "2026-01-06", "2026-01-06")[number]
        bench.land(bench.drop("alice", "note", f"{number}.md", f"{person} leads Apollo.", day=day))
    for computed in (True, False):
        assert bool(run(bench).computed) is computed  # a day that is skipped keeps its figures
        days = standings(bench.space(), SOURCES_BY_NAME["note"], STAGE, ["2026-01-05", "2026-01-06"])
        both = together(list(days.values()))
        assert (both.tokens, both.money) == (spent(bench).tokens, pytest.approx(spent(bench).money))
        assert 0 < days["2026-01-05"].tokens < days["2026-01-06"].tokens and both.money > 0


def test_a_day_is_one_request_and_a_rerun_none(bench, remote: FakeOpenAI) -> None:
    land(bench)
    assert run(bench).computed
    assert {(r["text"], r["method"]) for r in rows(bench)} == {(f"{p} leads Apollo.", "llm") for p in PEOPLE[:3]}
    assert all(row["keep"] >= 0.8 for row in rows(bench))
    assert {f["method"] for f in rows(bench, "facts")} == {"local"}
    assert len(remote.requests) == 1 and not issues(bench)
    assert not run(bench).computed and len(remote.requests) == 1


def test_force_answers_from_the_cache_with_the_same_rows(bench, remote: FakeOpenAI) -> None:
    land(bench)
    run(bench)
    tables = ("memories", "mentions", "entities", "facts")
    before = [rows(bench, table) for table in tables]
    assert run(bench, force=True).computed and len(remote.requests) == 1
    assert [rows(bench, table) for table in tables] == before
    assert (spent(bench).requests, spent(bench).cached) == (1, 3)


def test_a_new_text_is_asked_about_alone(bench, remote: FakeOpenAI) -> None:
    land(bench)
    run(bench)
    land(bench, 4)
    run(bench)
    assert [len(asked_in(request.body)) for request in remote.requests] == [3, 1]
    assert len(rows(bench)) == 4


def test_a_budget_that_ends_leaves_the_rest_to_the_local_tier(bench, remote: FakeOpenAI, monkeypatch) -> None:
    monkeypatch.setenv("BRAIN_EXTRACTION__BATCH_SIZE", "1")
    # A request may take some 5,000: 3,000 that are sent, 2,000 for the answer. The server says it took 9,005.
    monkeypatch.setenv("BRAIN_COSTS__MONTHLY_TOKENS", "20000")
    land(bench, 5)
    remote.script(*[fake.Reply(edit=lambda answer: answer["usage"].update(prompt_tokens=9000))] * 5)
    assert run(bench).computed
    asked = len(remote.requests)
    assert 1 <= asked < 5
    assert methods(bench) == {"llm", "local"}
    assert len(issues(bench)) == 5 - asked and all("budget" in i.reason for i in issues(bench))
    assert spent(bench).tokens <= 20000


def test_a_dead_endpoint_leaves_all_to_the_local_tier_until_forced(bench, remote: FakeOpenAI) -> None:
    land(bench)
    remote.script(fake.server_error())
    run(bench)
    assert methods(bench) == {"local"} and len(issues(bench)) == 3
    assert "sk-secret" not in str(issues(bench))
    run(bench, force=True)
    assert methods(bench) == {"llm"} and not issues(bench)


def test_another_model_or_effort_reads_again_another_key_does_not(bench, remote: FakeOpenAI, monkeypatch) -> None:
    land(bench)
    run(bench)
    monkeypatch.setenv("BRAIN_LLM__API_KEY", "sk-other")
    monkeypatch.setenv("BRAIN_EXTRACTION__BATCH_SIZE", "2")
    monkeypatch.setenv("BRAIN_LLM__ENRICHMENT__MODEL", "m3")
    assert not run(bench).computed
    monkeypatch.setenv("BRAIN_LLM__EXTRACTION__MODEL", "m2")
    assert run(bench).computed and [r.body["model"] for r in remote.requests] == ["m1", "m2", "m2"]
    monkeypatch.setenv("BRAIN_LLM__EXTRACTION__REASONING_EFFORT", "low")
    assert run(bench).computed and remote.requests[-1].body["reasoning_effort"] == "low"


def test_the_prices_of_the_task_are_counted(bench, remote: FakeOpenAI, monkeypatch) -> None:
    monkeypatch.setenv("BRAIN_LLM__INPUT_PRICE", "1")
    monkeypatch.setenv("BRAIN_LLM__EXTRACTION__OUTPUT_PRICE", "2")
    land(bench)
    run(bench)
    assert spent(bench).money == pytest.approx((10 * 1 + 5 * 2) / 1e6)


def test_the_local_provider_sends_nothing(bench, remote: FakeOpenAI, monkeypatch) -> None:
    monkeypatch.setenv("BRAIN_EXTRACTION__PROVIDER", "local")
    land(bench)
    run(bench)
    assert methods(bench) == {"local"} and not remote.requests


def test_a_request_crosses_days(bench, remote: FakeOpenAI) -> None:
    for number, person in enumerate(PEOPLE):
        bench.land(bench.drop("alice", "note", f"{number}.md", f"{person} leads Apollo.", day=f"2026-01-0{number + 1}"))
    run(bench)
    assert len(remote.requests) == 1 and len({row["day"] for row in rows(bench)}) == 5


def test_names_of_the_model_are_entities_if_asked_for_with_descriptions(bench, remote, monkeypatch) -> None:
    monkeypatch.setenv("BRAIN_EXTRACTION__DESCRIBE_NAMES", "true")
    described = name("Apollo", "Tool", a=[], d="a lander")
    remote.chat = lambda body: answer([], last=len(asked_in(body)), names=[described])
    land(bench, 1)
    run(bench)
    (found,) = (entity for entity in rows(bench, "entities") if entity["name"] == "Apollo")
    assert (found["type"], found["description"], found["method"]) == ("Tool", "a lander", "llm")
