"""Answers in sentences over HTTP: only what the shown passages support, and what becomes of a request that fails."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from brain_retrieval.home import Home
from brain_retrieval.query.ask.asked import Cited
from brain_retrieval.query.ask.written import write_answer
from brain_retrieval.settings import LlmSettings, Settings
from tests import fake_openai_replies as fake
from tests.fake_openai import FakeOpenAI
from tests.retrieval.query.packs.made_hits import MAY

QUESTION = "Who repairs the boiler?"
CITED = [
    Cited(1, "The boiler is repaired by a plumber from Evora.", MAY, "a", "inbox:a", (0, 10)),
    Cited(2, "The plumber does not repair roofs.", MAY, "b", "inbox:b", (0, 10)),
    Cited(3, "x" * 13_000, MAY, "c", "inbox:c", (0, 10)),  # too long to be shown
]


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI() as running:
        yield running


def write(server: FakeOpenAI, tmp_path: Path, *said: tuple[str, list[int]], **llm):
    server.chat = lambda _: json.dumps({"sentences": [{"text": text, "passages": numbers} for text, numbers in said]})
    settings = Settings(llm=LlmSettings(model="m1", base_url=server.base_url, api_key="sk-of-mine", **llm))
    return write_answer(Home(tmp_path).space("alice"), settings, QUESTION, CITED)


def test_sentences_that_their_passages_do_not_support_are_counted(server: FakeOpenAI, tmp_path: Path) -> None:
    written, warnings = write(
        server,
        tmp_path,
        ("A plumber from Evora repairs the boiler.", [1, 1, 9]),
        ("A plumber from Evora called Duarte Lopes repairs the boiler.", [1]),
        ("The plumber repairs roofs.", [2]),
        ("x" * 300, [3]),
        ("The boiler costs 800 euros.", [1, 2]),
    )
    assert written is not None and not warnings and written.dropped == 4
    assert [(one.text, one.numbers) for one in written.sentences] == [
        ("A plumber from Evora repairs the boiler.", (1,))
    ]


def test_a_request_that_is_too_long_is_asked_with_fewer_passages(server: FakeOpenAI, tmp_path: Path) -> None:
    server.script(fake.api_error(400, "This model's maximum context length is 2048 tokens."))
    written, warnings = write(server, tmp_path, ("A plumber from Evora repairs the boiler.", [1]))
    assert written is not None and written.sentences and not warnings
    assert ["roofs" in str(request.body) for request in server.requests] == [True, False]


@pytest.mark.parametrize("reply", [fake.server_error(), fake.rate_limited(retry_after="0"), fake.hang_up()])
def test_a_failing_endpoint_is_a_warning_without_the_key(server: FakeOpenAI, tmp_path: Path, reply: fake.Reply) -> None:
    server.script(*[reply] * 9)
    written, warnings = write(server, tmp_path, first_token_seconds=1)
    assert written is None and len(server.requests) == 2
    (warning,) = warnings
    assert "no answer in sentences" in warning and "sk-of-mine" not in warning
