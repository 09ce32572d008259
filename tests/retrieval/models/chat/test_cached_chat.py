"""The chat model of a user: what is remembered, what is counted, and where a budget stops it."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel

from brain_retrieval.errors import BudgetExceededError, NoAnswerError
from brain_retrieval.home import Space
from brain_retrieval.models.chat.cached_chat import CachedChat, open_chat
from brain_retrieval.models.chat.chat_costs import CostLedger, CostRow, Prices, month_of
from brain_retrieval.models.chat.protocol import estimate_tokens, image_part, text_part
from brain_retrieval.settings import CostSettings, LlmSettings, Settings
from tests import fake_openai_replies as fake
from tests.fake_openai import FakeOpenAI

PRICES = {"input_price": 1.0, "output_price": 4.0}


class Mood(BaseModel):
    mood: Literal["good", "bad"]


class Place(BaseModel):
    place: str


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(chat=lambda body: json.dumps({"mood": "good", "place": "Lisbon"})) as running:
        yield running


@pytest.fixture
def space(tmp_path: Path) -> Space:
    return Space(tmp_path, "alice").create()


def chat(server: FakeOpenAI, space: Space, costs: CostSettings | None = None, **changes) -> CachedChat:
    llm = {"model": "m1", "base_url": server.base_url, "api_key": "k", "max_attempts": 1, "max_output_tokens": 100}
    llm |= PRICES
    settings = Settings(llm=LlmSettings.model_validate({**llm, **changes}), costs=costs or CostSettings())
    opened = open_chat(space, settings, "enrichments", "note")
    assert opened is not None
    return opened


def ask(model: CachedChat, text: str = "How are you?", schema: type[BaseModel] = Mood, name: str = "mood") -> BaseModel:
    return model.complete(schema, system="Say it.", user=text, name=name)


def spent(space: Space):
    with CostLedger(space) as ledger:
        return ledger.spent(month_of(datetime.now(UTC)))


def test_no_model_is_no_chat(space: Space) -> None:
    assert open_chat(space, Settings(llm=LlmSettings()), "enrichments", "note") is None


def test_identical_request_is_answered_from_the_cache(server: FakeOpenAI, space: Space) -> None:
    assert ask(chat(server, space)) == ask(chat(server, space)) == Mood(mood="good")
    assert len(server.requests) == 1
    total = spent(space)
    assert (total.requests, total.input_tokens, total.output_tokens, total.cached) == (1, 10, 5, 1)
    assert total.money == pytest.approx((10 * 1.0 + 5 * 4.0) / 1e6)


def test_another_question_is_another_request(server: FakeOpenAI, space: Space) -> None:
    model = chat(server, space)
    ask(model)
    ask(model, "And now?")
    ask(model, schema=Place)
    ask(model, name="other")
    ask(chat(server, space, model="m2"))
    model.complete(Mood, system="Say it all.", user="How are you?", name="mood")
    assert len(server.requests) == 6


def test_cache_is_per_user_and_can_be_disabled(server: FakeOpenAI, space: Space) -> None:
    ask(chat(server, space))
    ask(chat(server, Space(space.home, "bob").create()))
    ask(chat(server, space, CostSettings(cache=False)))
    assert len(server.requests) == 3


def test_the_endpoint_and_its_key_are_no_part_of_the_question(server: FakeOpenAI, space: Space) -> None:
    ask(chat(server, space))
    ask(chat(server, space, base_url=server.base_url + "/", api_key="other"))
    assert len(server.requests) == 1


def test_a_cleared_cache_leaves_nothing(server: FakeOpenAI, space: Space) -> None:
    model = chat(server, space)
    ask(model, schema=Place)
    assert model.cache is not None
    model.cache.clear()
    model.close()
    kept = [path.read_bytes() for path in space.root.glob("llm_cache.sqlite*")]
    assert kept and not any(b"Lisbon" in content for content in kept)
    ask(model, schema=Place)
    assert len(server.requests) == 2


def test_a_failure_is_not_remembered_but_counted(server: FakeOpenAI, space: Space) -> None:
    server.script(fake.chat_content("no"), fake.chat_content("no"))
    with pytest.raises(NoAnswerError):
        ask(chat(server, space))
    assert spent(space).requests == 2
    assert ask(chat(server, space)) == Mood(mood="good")


def test_a_server_that_does_not_count_is_estimated(server: FakeOpenAI, space: Space) -> None:
    server.script(fake.Reply(edit=lambda answer: answer.pop("usage")))
    ask(chat(server, space))
    total = spent(space)
    assert total.input_tokens > 10 and total.output_tokens == estimate_tokens('{"mood": "good", "place": "Lisbon"}')


@pytest.mark.parametrize(
    "costs",
    [
        CostSettings(monthly_tokens=0),
        CostSettings(monthly_budget=0),
        CostSettings(monthly_tokens=120),
        CostSettings(monthly_budget=0.0004),
    ],
    ids=["no tokens", "no money", "not enough tokens", "not enough money"],
)
def test_a_request_that_may_cost_too_much_is_not_sent(server: FakeOpenAI, space: Space, costs: CostSettings) -> None:
    with pytest.raises(BudgetExceededError, match="budget"):
        ask(chat(server, space, costs))
    assert not server.requests and spent(space).requests == 0


def test_a_budget_ends_in_the_middle_and_the_cache_still_answers(server: FakeOpenAI, space: Space) -> None:
    costs = CostSettings(monthly_tokens=230)  # a request may take some 200: the estimate, and 100 for its answer
    model = chat(server, space, costs)
    done = 0
    with pytest.raises(BudgetExceededError):
        for number in range(100):
            ask(model, f"Question {number}")
            done += 1
    assert 1 <= done < 10 and len(server.requests) == done
    assert ask(model, "Question 0") == Mood(mood="good")
    assert spent(space).tokens <= 230


def test_a_repair_is_not_sent_beyond_the_budget(server: FakeOpenAI, space: Space) -> None:
    def dear(answer) -> None:
        answer["choices"][0]["message"]["content"] = "no"
        answer["usage"] = {"prompt_tokens": 9000, "completion_tokens": 500, "total_tokens": 9500}

    server.script(fake.Reply(edit=dear))
    with pytest.raises(BudgetExceededError):
        ask(chat(server, space, CostSettings(monthly_tokens=9600)))
    assert len(server.requests) == 1


def test_a_budget_is_for_a_month(space: Space) -> None:
    costs = CostSettings(monthly_tokens=100)
    with CostLedger(space) as ledger:
        ledger.add([row(datetime(2026, 3, 31, 23, 59, tzinfo=UTC), 90)])
        with pytest.raises(BudgetExceededError):
            ledger.check(costs, Prices(), input_tokens=10, output_tokens=10, at=datetime(2026, 3, 31, tzinfo=UTC))
        ledger.check(costs, Prices(), input_tokens=10, output_tokens=10, at=datetime(2026, 4, 1, tzinfo=UTC))


def row(at: datetime, tokens: int, **changes) -> CostRow:
    named = {"model": "m1", "task": "mood", "source": "note", "stage": "enrichments", "cached": 0}
    counts = {"input_tokens": tokens, "output_tokens": 0, "seconds": 0.5, "money": 0.25}
    return CostRow.of("key", at=at, **{**named, **counts, **changes})


def test_a_row_written_twice_is_one(space: Space) -> None:
    at = datetime(2026, 3, 2, 9, tzinfo=UTC)
    with CostLedger(space) as ledger:
        for _ in range(2):
            ledger.add([row(at, 10)])
        assert ledger.spent("2026-03").requests == 1


def test_totals_by_what_was_asked(space: Space) -> None:
    with CostLedger(space) as ledger:
        ledger.add(
            [
                row(datetime(2026, 3, 2, 9, tzinfo=UTC), 10),
                row(datetime(2026, 3, 2, 10, tzinfo=UTC), 20, source="email"),
                row(datetime(2026, 3, 2, 11, tzinfo=UTC), 40, source="email", cached=1, money=0.0),
            ]
        )
        found = ledger.totals("2026-03", "source")
    assert {k: (v.requests, v.tokens, v.money, v.cached) for k, v in found.items()} == {
        "email": (1, 20, 0.25, 1),
        "note": (1, 10, 0.25, 0),
    }


def test_prices_are_per_million() -> None:
    assert Prices(0.4, 1.6).of(1_000_000, 500_000) == pytest.approx(1.2)


@pytest.mark.parametrize(
    ("content", "least", "most"),
    [
        ("", 0, 0),
        ("The quick brown fox jumps over the lazy dog.", 9, 20),
        ("我们明天去里斯本", 8, 16),
        ([text_part("abc"), image_part(b"x")], 1000, 5000),
    ],
)
def test_estimates_are_rather_too_high(content, least: int, most: int) -> None:
    assert least <= estimate_tokens(content) <= most
