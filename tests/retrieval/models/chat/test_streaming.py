"""Streamed answers over HTTP: slow but steady endpoints, stalls, broken streams, endpoints that do not stream."""

import json
import time
from collections.abc import Iterator

import pytest
from pydantic import BaseModel

from brain_retrieval.errors import ModelCallError, RequestTooLongError
from brain_retrieval.models.chat.openai_chat import OpenAIChat
from brain_retrieval.models.chat.protocol import Usage
from brain_retrieval.settings.language import LlmSettings
from tests import fake_openai_replies as fake
from tests.fake_openai import FakeOpenAI
from tests.fake_openai_answers import TOKEN_CHARS


class Words(BaseModel):
    text: str


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(chat=lambda body: '{"text": "short"}') as running:
        yield running


def ask(server: FakeOpenAI, *, seen: list[Usage] | None = None, most: int | None = None, **changes: object) -> str:
    settings = {"model": "m1", "base_url": server.base_url, "max_attempts": 1, **changes}
    chat = OpenAIChat(LlmSettings(**settings), sleep=lambda seconds: None)
    on_usage = None if seen is None else seen.append
    return chat.complete(Words, system="Say it.", user="?", name="say", on_usage=on_usage, most_output=most).text


def test_an_answer_is_streamed_with_its_usage(server: FakeOpenAI) -> None:
    seen: list[Usage] = []
    assert ask(server, seen=seen) == "short"
    (request,) = server.requests
    assert request.body["stream"] is True and request.body["stream_options"] == {"include_usage": True}
    assert [(u.input_tokens, u.output_tokens) for u in seen] == [(10, 5)]


def test_a_slow_endpoint_finishes(server: FakeOpenAI) -> None:
    """A token each second: the whole takes longer than the longest wait for one token."""
    text = "x" * (6 * TOKEN_CHARS)
    server.chat = lambda body: json.dumps({"text": text})
    server.script(fake.paced(1.0))
    began = time.monotonic()
    limits = {"first_token_seconds": 5.0, "idle_seconds": 5.0, "min_tokens_per_second": 10.0}
    assert ask(server, **limits) == text
    assert time.monotonic() - began > 5.0


def test_the_default_limits_let_twenty_tokens_a_second_finish() -> None:
    limits = LlmSettings()
    assert limits.max_output_tokens / 20 < limits.max_output_tokens / limits.min_tokens_per_second
    assert limits.idle_seconds > 1 / 20


@pytest.mark.parametrize(
    ("reply", "limits", "said"),
    [
        (fake.stalled(0), {"first_token_seconds": 0.2}, "no token for 0.2 s"),
        (fake.stalled(1), {"first_token_seconds": 0.2}, "no token for 0.2 s"),  # a role is no token
        (fake.stalled(3), {"idle_seconds": 0.2}, "no further token for 0.2 s"),
        (fake.paced(0.1), {"first_token_seconds": 0.3, "min_tokens_per_second": 1e6}, "no end after 0.3"),
        (fake.slow(1.0), {"first_token_seconds": 0.2}, "no token for 0.2 s"),
        (fake.broken_off(3), {}, "broke off"),
    ],
    ids=["nothing", "only a role", "stops", "too slow", "no header", "closed"],
)
def test_a_stream_that_fails_is_an_error(server: FakeOpenAI, reply, limits, said: str) -> None:
    server.script(reply)
    with pytest.raises(ModelCallError, match=said):
        ask(server, **limits)


@pytest.mark.parametrize(
    ("reply", "limits"),
    [
        (fake.stalled(1), {"first_token_seconds": 3.0}),
        (fake.stalled(3), {"idle_seconds": 3.0}),
        (fake.broken_off(3), {}),
    ],
    ids=["only a role", "stops", "closed"],
)
def test_a_stream_that_fails_is_tried_again(server: FakeOpenAI, reply, limits) -> None:
    """The limit holds for the second answer as well, so it is one that a busy machine keeps."""
    server.script(reply)
    assert ask(server, max_attempts=2, **limits) == "short"


def test_an_endpoint_that_does_not_stream_is_read(server: FakeOpenAI) -> None:
    server.script(fake.not_streamed())
    seen: list[Usage] = []
    assert ask(server, seen=seen) == "short" and seen[0].output_tokens == 5


@pytest.mark.parametrize(
    ("message", "gone"),
    [
        ("Unknown parameter: 'stream_options'", {"stream_options"}),
        ("stream is not supported", {"stream", "stream_options"}),
        ("Unrecognized request argument: reasoning_effort", {"reasoning_effort"}),
    ],
)
def test_options_that_an_endpoint_refuses_are_left_out(server: FakeOpenAI, message: str, gone: set[str]) -> None:
    server.script(fake.api_error(400, message))
    seen: list[Usage] = []
    assert ask(server, seen=seen, reasoning_effort="low") == "short"
    first, second = (request.body for request in server.requests)
    assert set(first) - set(second) == gone and seen[0].output_tokens > 0


@pytest.mark.parametrize(
    ("status", "message", "code"),
    [
        (400, "This model's maximum context length is 4096 tokens, you requested 5000", None),
        (400, "too big", "context_length_exceeded"),
        (400, "max_tokens is too large: 9000. This model supports at most 4096 completion tokens", None),
        (400, "the request exceeds the available context size", None),
        (413, "Payload Too Large", None),
        (422, "Prompt is too long", None),
    ],
)
def test_a_request_that_is_too_long_is_named_so(server: FakeOpenAI, status: int, message: str, code) -> None:
    server.script(fake.api_error(status, message, code=code))
    with pytest.raises(RequestTooLongError, match=f"say with m1: HTTP {status}"):
        ask(server)
    assert len(server.requests) == 1


def test_an_error_within_the_stream_is_asked_again(server: FakeOpenAI) -> None:
    server.script(fake.failed_within(2, "the server had an error"))
    assert ask(server, max_attempts=2) == "short" and len(server.requests) == 2
    server.script(fake.failed_within(2, "invalid key", 401))
    with pytest.raises(ModelCallError, match="invalid key"):
        ask(server, max_attempts=2)
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    "reply",
    [
        fake.failed_within(2, "the request exceeds the available context size", 400),
        fake.api_error(500, "input length exceeds the context length"),
        fake.api_error(429, "Request too large for m1 on tokens per min (TPM): Limit 6000, Requested 8000"),
    ],
    ids=["in the stream", "as an error of the server", "above the limit of a minute"],
)
def test_a_request_may_be_too_long_in_other_words(server: FakeOpenAI, reply: fake.Reply) -> None:
    server.script(reply)
    with pytest.raises(RequestTooLongError):
        ask(server, max_attempts=3)
    assert len(server.requests) == 1


def test_a_whole_answer_needs_no_reason_for_its_end(server: FakeOpenAI) -> None:
    def without_reason(answer: dict) -> None:
        answer["choices"][0]["finish_reason"] = None

    server.script(fake.Reply(edit=without_reason))
    assert ask(server) == "short" and len(server.requests) == 1


def test_a_limit_that_reasoning_uses_up_is_named(server: FakeOpenAI) -> None:
    server.script(*[fake.chat_content("", finish_reason="length")] * 2)
    with pytest.raises(ModelCallError, match=r"llm\.max_output_tokens"):
        ask(server)
    assert "llm." not in server.requests[1].body["messages"][-1]["content"]


def test_another_bad_request_is_an_error_with_its_reason(server: FakeOpenAI) -> None:
    server.script(*[fake.api_error(400, "you must pay first")] * 5)
    with pytest.raises(ModelCallError, match="you must pay first") as caught:
        ask(server)
    assert not isinstance(caught.value, RequestTooLongError)


def test_an_endpoint_that_never_begins_is_asked_twice_and_then_with_less_patience(server: FakeOpenAI) -> None:
    limits = {"first_token_seconds": 0.6, "idle_seconds": 0.1, "max_attempts": 4}
    chat = OpenAIChat(LlmSettings(model="m1", base_url=server.base_url, **limits), sleep=lambda seconds: None)
    server.script(*[fake.slow(30.0)] * 7)
    for asked, said in ((2, "0.6 s"), (4, "0.6 s"), (6, "0.6 s"), (7, "0.1 s")):
        with pytest.raises(ModelCallError, match=f"no token for {said}"):
            chat.complete(Words, system="Say it.", user="?", name="say")
        assert len(server.requests) == asked


def test_the_limit_of_one_answer_goes_with_its_request(server: FakeOpenAI) -> None:
    ask(server, most=123)
    assert server.requests[0].body["max_tokens"] == 123


@pytest.mark.parametrize("whole", [False, True])
def test_an_answer_without_end_is_cut_off_and_not_sent_back_whole(server: FakeOpenAI, whole: bool) -> None:
    reply = fake.chat_content("so on and " * 20_000)
    server.script(fake.Reply(edit=reply.edit, whole=whole))
    assert ask(server, most=100) == "short"
    first, repaired = server.requests
    assert "cut off at 100 tokens" in repaired.body["messages"][-1]["content"]
    assert len(json.dumps(repaired.body)) < len(json.dumps(first.body)) + 1000


def test_a_long_invalid_answer_is_sent_back_in_part(server: FakeOpenAI) -> None:
    server.script(fake.chat_content("no braces " * 6000))
    assert ask(server) == "short"
    assert 10_000 < len(server.requests[1].body["messages"][2]["content"]) < 17_000


def test_characters_that_cannot_be_stored_are_replaced(server: FakeOpenAI) -> None:
    server.script(fake.chat_content('{"text": "Ann\\ud83d\\u0000 \\ud83d\\ude00\\n"}'))
    text = ask(server)
    assert text == "Ann\ufffd\ufffd 😀\n" and text.encode()
