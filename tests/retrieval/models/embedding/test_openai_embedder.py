"""The remote embedder against a server that speaks the wire protocol: answers, failures, retries, secrets."""

import logging
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import numpy as np
import pytest
from pydantic import SecretStr

from brain_retrieval.errors import DimensionMismatchError, InvalidSettingsError, ModelCallError
from brain_retrieval.models.chat.openai_calls import scrub
from brain_retrieval.models.embedding.build import build_embedder
from brain_retrieval.models.embedding.openai_embedder import OpenAIEmbedder
from brain_retrieval.settings import EmbeddingSettings
from tests import fake_openai_replies as fake
from tests.fake_openai import FakeOpenAI
from tests.fake_openai_answers import vector_of

KEY = "sk-very-secret-0123456789"
TEXTS = [f"text number {i}" for i in range(7)]


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(dim=8) as running:
        yield running


@pytest.fixture
def waits() -> list[float]:
    """The seconds the embedder would have slept."""
    return []


def make(server: FakeOpenAI, waits: list[float], **changes: object) -> OpenAIEmbedder:
    settings = {"model": "some-model", "dimensions": 8, "base_url": server.base_url, "api_key": SecretStr(KEY)}
    return OpenAIEmbedder(EmbeddingSettings(provider="openai", **{**settings, **changes}), sleep=waits.append)


def expected(texts: list[str], dim: int = 8) -> np.ndarray:
    rows = np.array([vector_of(text, dim) for text in texts])
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_sends_batches_and_returns_unit_vectors_in_order(server: FakeOpenAI, waits: list[float]) -> None:
    done: list[int] = []
    vectors = make(server, waits, batch_size=3).embed(TEXTS, progress=done.append)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, expected(TEXTS), atol=1e-6)
    assert [request.body["input"] for request in server.requests] == [TEXTS[:3], TEXTS[3:6], TEXTS[6:]]
    assert done == [3, 3, 1]
    first = server.requests[0]
    assert (first.path, first.headers["authorization"]) == ("/v1/embeddings", f"Bearer {KEY}")
    assert "dimensions" not in first.body


def test_no_texts_no_request(server: FakeOpenAI, waits: list[float]) -> None:
    assert make(server, waits).embed([]).shape == (0, 8)
    assert server.requests == []


def test_batches_are_limited_by_tokens_too(server: FakeOpenAI, waits: list[float]) -> None:
    make(server, waits).embed(["x" * 24_000] * 30)
    assert [len(request.body["input"]) for request in server.requests] == [24, 6]


def test_empty_and_overlong_texts_are_made_acceptable(server: FakeOpenAI, waits: list[float]) -> None:
    make(server, waits, max_tokens=10).embed(["", "y" * 1000])
    assert server.requests[0].body["input"] == [" ", "y" * 30]


def test_order_is_by_index(server: FakeOpenAI, waits: list[float]) -> None:
    server.script(fake.reversed_order())
    np.testing.assert_allclose(make(server, waits).embed(TEXTS), expected(TEXTS), atol=1e-6)


@pytest.mark.parametrize(
    ("model", "dimensions", "width", "sent"),
    [
        ("text-embedding-3-small", None, 1536, None),
        ("text-embedding-3-small", 1536, 1536, None),
        ("text-embedding-3-large", 256, 256, 256),
    ],
)
def test_known_models_bring_their_width(
    server: FakeOpenAI, waits: list[float], model: str, dimensions: int | None, width: int, sent: int | None
) -> None:
    server.dim = 1536
    embedder = make(server, waits, model=model, dimensions=dimensions)
    assert embedder.embed(["a"]).shape == (1, width)
    assert server.requests[0].body.get("dimensions") == sent


@pytest.mark.parametrize(
    ("failures", "slept"),
    [
        ([fake.rate_limited(retry_after="7")], [7.0]),
        ([fake.rate_limited()], [0.5]),
        ([fake.rate_limited(retry_after="soon")], [0.5]),
        ([fake.server_error(), fake.server_error(503), fake.server_error(502)], [0.5, 1.0, 2.0]),
        ([fake.hang_up()], [0.5]),
    ],
    ids=["429-retry-after", "429", "429-unreadable", "5xx", "hang-up"],
)
def test_passing_failures_are_retried(
    server: FakeOpenAI, waits: list[float], failures: list[fake.Reply], slept: list[float]
) -> None:
    server.script(*failures)
    np.testing.assert_allclose(make(server, waits).embed(TEXTS), expected(TEXTS), atol=1e-6)
    assert waits == slept
    assert len(server.requests) == len(failures) + 1


def test_retry_after_may_be_a_date(server: FakeOpenAI, waits: list[float]) -> None:
    server.script(
        fake.rate_limited(retry_after=format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True))
    )
    make(server, waits).embed(["a"])
    assert 5 < waits[0] <= 30


def test_a_time_out_is_retried(server: FakeOpenAI, waits: list[float]) -> None:
    server.script(fake.slow(30))
    np.testing.assert_allclose(make(server, waits, timeout_seconds=3).embed(["a"]), expected(["a"]), atol=1e-6)
    assert waits == [0.5]


def test_only_the_failed_batch_is_sent_again(server: FakeOpenAI, waits: list[float]) -> None:
    server.script(fake.Reply(), fake.server_error())
    make(server, waits, batch_size=4).embed(TEXTS)
    assert [len(request.body["input"]) for request in server.requests] == [4, 3, 3]


@pytest.mark.parametrize("attempts", [1, 3])
def test_attempts_are_bounded(server: FakeOpenAI, waits: list[float], attempts: int) -> None:
    server.script(*[fake.server_error()] * 10)
    with pytest.raises(ModelCallError, match=rf"HTTP 500 .*\(call {attempts}\)"):
        make(server, waits, max_attempts=attempts).embed(["a"])
    assert len(server.requests) == attempts


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (fake.api_error(400, "bad input"), ModelCallError),
        (fake.api_error(401, "bad key"), ModelCallError),
        (fake.api_error(404, "no such model"), ModelCallError),
        (fake.rate_limited(code="insufficient_quota"), ModelCallError),
        (fake.rate_limited(retry_after="3600"), ModelCallError),
        (fake.truncated(), ModelCallError),
        (fake.Reply(body=b"<html>a proxy says hello</html>"), ModelCallError),
        (fake.Reply(body={"object": "list", "data": None}), ModelCallError),
        (fake.wrong_count(), ModelCallError),
        (fake.Reply(edit=lambda answer: answer["data"][1].update(index=0)), ModelCallError),
        (fake.Reply(edit=lambda answer: answer["data"][1].update(embedding=[0.0] * 8)), ModelCallError),
        (fake.Reply(edit=lambda answer: answer["data"][1].update(embedding=[float("nan")] * 8)), ModelCallError),
        (fake.Reply(edit=lambda answer: answer["data"][1].update(embedding=["a"] * 8)), ModelCallError),
        (fake.Reply(edit=lambda answer: answer["data"][1].update(embedding=None)), ModelCallError),
        (fake.Reply(edit=lambda answer: answer["data"][1].pop("index")), ModelCallError),
        (fake.Reply(edit=lambda answer: answer["data"][1]["embedding"].pop()), DimensionMismatchError),
        (fake.wrong_width(9), DimensionMismatchError),
    ],
    ids=(
        "400 401 404 quota long-wait cut html null count twice-an-index zeros nan words none no-index one-narrow wide"
    ).split(),
)
def test_lasting_failures_are_not_repeated(
    server: FakeOpenAI, waits: list[float], reply: fake.Reply, error: type[Exception]
) -> None:
    server.script(reply)
    with pytest.raises(error, match="some-model"):
        make(server, waits).embed(TEXTS)
    assert len(server.requests) == 1
    assert waits == []


@pytest.mark.parametrize(
    "reply",
    [
        fake.api_error(401, f"Incorrect API key provided: {KEY}. You can find your API key at …"),
        fake.api_error(401, "Incorrect API key provided: sk-very-*******6789."),
        fake.api_error(400, f"header Authorization: Bearer {KEY}"),
    ],
)
def test_the_key_is_in_no_error_and_no_log(
    server: FakeOpenAI, waits: list[float], reply: fake.Reply, caplog: pytest.LogCaptureFixture
) -> None:
    server.script(reply)
    embedder = make(server, waits)
    with caplog.at_level(logging.DEBUG), pytest.raises(ModelCallError) as caught:
        embedder.embed(["a"])
    shown = "".join(traceback.format_exception(caught.value)) + caplog.text + repr(embedder.__dict__)
    assert "very-" not in shown
    assert KEY not in shown
    assert "<key>" in str(caught.value)


def test_texts_are_in_no_error(server: FakeOpenAI, waits: list[float]) -> None:
    server.script(fake.Reply(body=b'{"data": "my diary'))
    with pytest.raises(ModelCallError) as caught:
        make(server, waits).embed(["my diary"])
    assert "diary" not in str(caught.value)


def test_scrub_hides_passwords_in_addresses() -> None:
    assert scrub("at https://me:pw@host/v1", SecretStr("")) == "at https://<key>host/v1"


def test_a_key_for_openai_goes_to_no_other_host(
    server: FakeOpenAI, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    make(server, waits, api_key=None).embed(["a"])
    assert KEY not in str(server.requests[0].headers)


@pytest.mark.parametrize("changes", [{"api_key": None, "base_url": None}, {"dimensions": None}])
def test_settings_that_lack_something(
    server: FakeOpenAI, waits: list[float], changes: dict[str, None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(InvalidSettingsError, match="BRAIN_EMBEDDING__"):
        make(server, waits, **changes)


def test_build_embedder_chooses_it_by_provider(server: FakeOpenAI) -> None:
    settings = EmbeddingSettings(provider="openai", model="m", dimensions=8, base_url=server.base_url)
    embedder = build_embedder(settings)
    assert (embedder.name, embedder.dim, embedder.max_tokens) == ("m", 8, 8191)
    assert embedder.embed(["a"]).shape == (1, 8)
