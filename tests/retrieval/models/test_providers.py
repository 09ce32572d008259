"""Limits, outages and budgets of model endpoints, against a server that speaks the wire protocol."""

import wave
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from pydantic import BaseModel

from brain_retrieval.errors import BudgetExceededError, ModelCallError
from brain_retrieval.home import Home, Space
from brain_retrieval.models.chat.chat_cache import Remembered, ResponseCache
from brain_retrieval.models.chat.chat_costs import CostLedger, month_of
from brain_retrieval.models.chat.metering import open_meter
from brain_retrieval.models.chat.openai_chat import OpenAIChat
from brain_retrieval.models.chat.pace import Pace, seconds_of
from brain_retrieval.models.embedding.openai_embedder import OpenAIEmbedder
from brain_retrieval.models.speech.speech_openai import OpenAITranscriber
from brain_retrieval.settings import CostSettings, EmbeddingSettings, LlmSettings, Settings, SpeechSettings
from tests import fake_openai_replies as fake
from tests.fake_openai import FakeOpenAI


class Mood(BaseModel):
    mood: str


@pytest.fixture
def server():
    with FakeOpenAI() as running:
        yield running


@pytest.fixture
def space(tmp_path: Path) -> Space:
    return Home(tmp_path).space("alice").create()


def limited(**left: str) -> fake.Reply:
    """The ordinary answer, with what is left of the endpoint's limits."""
    return fake.Reply(headers={f"x-ratelimit-{name.replace('_', '-')}": value for name, value in left.items()})


def chat_of(server: FakeOpenAI, waits: list[float], **changes) -> OpenAIChat:
    settings = {"model": "m1", "base_url": server.base_url, "api_key": "k", "max_output_tokens": 100}
    return OpenAIChat(LlmSettings(**{**settings, **changes}), sleep=waits.append)


def embedder_of(server: FakeOpenAI, waits: list[float], **changes) -> OpenAIEmbedder:
    settings = {"provider": "openai", "model": "e1", "base_url": server.base_url, "api_key": "k", "dimensions": 8}
    return OpenAIEmbedder(EmbeddingSettings(**{**settings, **changes}), sleep=waits.append)


def settings_of(**costs) -> Settings:
    return Settings(costs=CostSettings(**costs))


def test_tokens_by_the_minute_are_waited_for_before_the_request(server: FakeOpenAI) -> None:
    waits: list[float] = []
    model = chat_of(server, waits)
    server.script(limited(limit_tokens="600", remaining_tokens="0", reset_tokens="1m0s"))
    for _ in range(2):
        model.complete(Mood, system="s", user="u", name="mood")
    [wait] = waits
    assert 5 < wait < 60 and len(server.requests) == 2  # as long as the tokens of this request need, no longer


def test_a_daily_limit_is_not_waited_for_and_says_how_long(server: FakeOpenAI) -> None:
    waits: list[float] = []
    model = embedder_of(server, waits)
    server.script(limited(limit_requests="200", remaining_requests="0", reset_requests="7h0m0s"))
    server.script(fake.rate_limited(retry_after="25200"))
    model.embed(["one"])
    with pytest.raises(ModelCallError, match="asks to wait 25,200 s"):
        model.embed(["two"])
    assert waits == [] and len(server.requests) == 2


def test_milliseconds_of_a_retry_are_kept(server: FakeOpenAI) -> None:
    waits: list[float] = []
    server.script(fake.api_error(429, "slow down", headers={"retry-after-ms": "250"}))
    embedder_of(server, waits).embed(["one"])
    assert waits == [0.25]


@pytest.mark.parametrize(("text", "seconds"), [("6m0.5s", 360.5), ("17ms", 0.017), ("12", 12.0), ("soon", None)])
def test_durations_of_limits(text: str, seconds: float | None) -> None:
    assert seconds_of(text) == seconds


def test_an_allowance_fills_up_evenly_and_counts_what_was_sent() -> None:
    now = [0.0]
    pace = Pace(clock=lambda: now[0])
    pace.note(
        {"x-ratelimit-limit-tokens": "100", "x-ratelimit-remaining-tokens": "40", "x-ratelimit-reset-tokens": "6s"}
    )
    assert pace.take(30) == 0.0
    assert pace.take(30) == pytest.approx(6 * 20 / 90)
    assert pace.take(500) == 0.0  # more than there ever is: the endpoint has to judge
    now[0] = 7.0
    assert pace.take(100) == 0.0


def test_embeddings_are_counted_and_stop_by_tokens_without_a_price(server: FakeOpenAI, space: Space) -> None:
    model = embedder_of(server, [], batch_size=2)
    meter = open_meter(space, settings_of(monthly_tokens=40), "embeddings", "note", None)
    counted = model.metered(meter)
    counted.embed(["a" * 30, "b" * 30])
    with pytest.raises(BudgetExceededError, match=r"not asked: 16 of 40 tokens of the budget of 20\d\d-\d\d"):
        counted.embed(["c" * 90])
    assert len(server.requests) == 1 and len(model.embed(["d"])) == 1
    with CostLedger(space) as ledger:
        spent = ledger.totals(month_of(datetime.now(UTC)), "task")["embedding"]
    assert (spent.requests, spent.input_tokens, spent.money) == (1, 16, 0.0)


def test_a_question_is_counted_but_not_held_back(server: FakeOpenAI, space: Space) -> None:
    model = embedder_of(server, [])
    spent = open_meter(space, settings_of(monthly_tokens=1), "search", "question", 2.0, holds=False)
    model.metered(spent).embed(["where is the heron?"])
    with CostLedger(space) as ledger:
        assert ledger.totals(month_of(datetime.now(UTC)), "stage")["search"].money == pytest.approx(10e-6)
    none = open_meter(space, settings_of(monthly_tokens=0), "search", "question", None, holds=False)
    with pytest.raises(BudgetExceededError):
        model.metered(none).embed(["where?"])


def test_speech_costs_by_the_minute_and_counts_tokens(server: FakeOpenAI, space: Space, tmp_path: Path) -> None:
    sound = tmp_path / "sound.wav"
    with wave.open(str(sound), "wb") as output:
        output.setparams((1, 2, 16000, 0, "NONE", ""))
        tone = np.sin(np.arange(16000 * 6) / 20) * 9000
        output.writeframes(tone.astype("<i2").tobytes())
    chosen = {"provider": "openai", "model": "s1", "base_url": server.base_url, "api_key": "k", "minute_price": 0.6}
    model = OpenAITranscriber(SpeechSettings(**chosen))
    model.metered(open_meter(space, settings_of(monthly_budget=0.1), "text", "voice-memo", 0.6)).transcribe(sound)
    with CostLedger(space) as ledger:
        spent = ledger.totals(month_of(datetime.now(UTC)), "task")["speech"]
    assert (spent.requests, spent.input_tokens) == (1, 60) and spent.money == pytest.approx(0.06)
    with pytest.raises(BudgetExceededError):
        model.metered(open_meter(space, settings_of(monthly_budget=0.1), "text", "voice-memo", 0.6)).transcribe(sound)
    assert len(server.requests) == 1


def test_answers_that_are_not_used_leave_the_cache(space: Space) -> None:
    with ResponseCache(space) as cache:
        cache.put("m1", "mood", [Remembered(f"k{n}", "x" * 750, 1, 1) for n in range(10)])
        later = datetime.now(UTC) + timedelta(days=10)
        cache.touch(["k3", "k7"], now=later)
        assert cache.prune(keep_days=30, most_bytes=10_000, now=later) == 0
        assert cache.prune(keep_days=30, most_bytes=3_000, now=later) == 7  # the longest unused ones
        assert set(cache.get(["k3", "k7"])) == {"k3", "k7"}
        assert cache.prune(keep_days=5, most_bytes=10_000, now=later) == 1
        assert set(cache.get(f"k{n}" for n in range(10))) == {"k3", "k7"}
