"""The scripted server answers the real client library the way OpenAI does, so tests of the chat path can rely on it."""

from collections.abc import Iterator
from typing import Any, Literal

import openai
import pytest
from pydantic import BaseModel

from tests import fake_openai_replies as fake
from tests.fake_openai import FakeOpenAI


class Person(BaseModel):
    name: str
    kind: Literal["person"]
    age: int | None


class People(BaseModel):
    people: list[Person]
    leader: Person


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as running:
        yield running


@pytest.fixture
def client(server: FakeOpenAI) -> openai.OpenAI:
    return openai.OpenAI(api_key="k", base_url=server.base_url, max_retries=0, timeout=60)


def ask(client: openai.OpenAI, **options: Any) -> Any:
    return client.chat.completions.parse(model="m", messages=[{"role": "user", "content": "?"}], **options).choices[0]


def test_a_schema_gets_a_document_that_fits_it(server: FakeOpenAI, client: openai.OpenAI) -> None:
    answer = ask(client, response_format=People).message
    assert answer.parsed == People(people=[], leader=Person(name="", kind="person", age=None))
    assert server.requests[0].body["response_format"]["type"] == "json_schema"


def test_a_test_may_write_the_answers(client: openai.OpenAI, server: FakeOpenAI) -> None:
    server.chat = lambda body: f"you said {body['messages'][0]['content']}"
    assert ask(client).message.content == "you said ?"


def test_refusal_then_broken_json_then_the_ordinary_answer(client: openai.OpenAI, server: FakeOpenAI) -> None:
    server.script(fake.refusal("no"), fake.chat_content('{"people": [', finish_reason="length"))
    refused = ask(client, response_format=People).message
    assert (refused.refusal, refused.parsed) == ("no", None)
    with pytest.raises(openai.LengthFinishReasonError):
        ask(client, response_format=People)
    assert ask(client).message.content == "ok"
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (fake.rate_limited(retry_after="1"), openai.RateLimitError),
        (fake.server_error(503), openai.InternalServerError),
        (fake.hang_up(), openai.APIConnectionError),
        (fake.truncated(), ValueError),
    ],
)
def test_failures_are_what_the_client_expects(
    client: openai.OpenAI, server: FakeOpenAI, reply: fake.Reply, error: type[Exception]
) -> None:
    server.script(reply)
    with pytest.raises(error):
        ask(client)


def test_a_slow_answer_times_out_and_does_not_hold_up_the_end(server: FakeOpenAI, client: openai.OpenAI) -> None:
    server.script(fake.slow(60))
    with pytest.raises(openai.APITimeoutError):
        ask(client.with_options(timeout=0.2))
