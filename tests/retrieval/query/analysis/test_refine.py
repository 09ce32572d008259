"""Analysis with a chat model: what it corrects, what is checked, and what stays if it fails."""

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from brain_retrieval.home import Home
from brain_retrieval.query.question_reader import QuestionReader
from brain_retrieval.settings import load_settings
from brain_retrieval.stores.catalog import Catalog
from tests.fake_openai import FakeOpenAI
from tests.fake_openai_replies import server_error

NOW = datetime(2026, 3, 18, 10, 0, tzinfo=UTC)
ANSWER: dict[str, Any] = {
    "intent": "relational",
    "entities": [{"name": "the kiosk", "type": "Location", "role": ""}, {"name": "Moby Dick", "type": "", "role": ""}],
    "time": {"kind": "since", "start": "2024-05-01", "end": "", "event": ""},
    "requires_relationships": True,
    "expanded": ["newsstand"],
}
QUESTION = "what about the kiosk people"


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(chat=lambda body: json.dumps(ANSWER)) as running:
        yield running


def reader(home: Path, server: FakeOpenAI, **analysis: Any) -> QuestionReader:
    space = Home(home).space("alice")
    settings = load_settings(home)
    llm = settings.llm.model_copy(update={"base_url": server.base_url, "max_attempts": 1})
    chosen = settings.retrieval.analysis.model_copy(update=analysis)
    retrieval = settings.retrieval.model_copy(update={"analysis": chosen})
    return QuestionReader(space, settings.model_copy(update={"llm": llm, "retrieval": retrieval}), Catalog(space))


def test_no_model_is_asked_by_default(tmp_path: Path, server: FakeOpenAI) -> None:
    assert reader(tmp_path, server).read(QUESTION, now=NOW).warnings == ()
    assert server.requests == []


def test_the_model_corrects_the_rules_and_is_checked(tmp_path: Path, server: FakeOpenAI) -> None:
    question = reader(tmp_path, server, model="small").read(QUESTION, now=NOW, context=["We spoke of shops."])
    assert server.requests[0].body["model"] == "small"
    assert "We spoke of shops." in json.dumps(server.requests[0].body["messages"])
    assert (question.intent, question.strategy, question.expansion) == ("relational", "hybrid_graph", ("newsstand",))
    assert [name.text for name in question.names] == ["the kiosk"]  # the other name is not in the question
    assert question.time is not None
    assert (question.time.start, question.time.end) == (date(2024, 5, 1), None)


def test_expansion_is_off_with_a_model_too(tmp_path: Path, server: FakeOpenAI) -> None:
    assert reader(tmp_path, server, model="small", enable_query_expansion=False).read(QUESTION).expansion == ()


def test_a_failing_model_leaves_the_rules_and_a_warning(tmp_path: Path, server: FakeOpenAI) -> None:
    server.script(server_error())
    question = reader(tmp_path, server, model="small").read("Where does Bob work?", now=NOW)
    assert (question.intent, question.wants) == ("factual", "place")
    assert "rules alone" in question.warnings[0]
