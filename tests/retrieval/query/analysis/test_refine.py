"""Analysis with a chat model: what it corrects, what is checked, and what stays if it fails."""

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from brain_retrieval.home import Home
from brain_retrieval.query.analysis import analyse
from brain_retrieval.query.analysis.refine import AnalysisAnswer, NamedEntity, TimeConstraint, _refined
from brain_retrieval.query.question_reader import QuestionReader
from brain_retrieval.settings import load_settings
from brain_retrieval.stores.catalog import Catalog
from tests.fake_openai import FakeOpenAI
from tests.fake_openai_replies import server_error, slow

NOW = datetime(2026, 3, 18, 10, 0, tzinfo=UTC)
ANSWER: dict[str, Any] = {
    "intent": "relational",
    "entities": [{"name": "the kiosk", "type": "Location", "role": ""}, {"name": "Moby Dick", "type": "", "role": ""}],
    "time": {"kind": "since", "start": "2024-05-01", "end": "", "words": "since May", "event": ""},
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
    question = reader(tmp_path, server, model="small").read(
        QUESTION, now=NOW, context=["We spoke of shops, since May."]
    )
    assert server.requests[0].body["model"] == "small"
    assert "We spoke of shops, since May." in json.dumps(server.requests[0].body["messages"])
    assert (question.intent, question.strategy, question.expansion) == ("relational", "hybrid_graph", ("newsstand",))
    assert [name.text for name in question.names] == ["the kiosk"]  # the other name is not in the question
    assert question.time is not None
    assert (question.time.start, question.time.end) == (date(2024, 5, 1), None)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"kind": "none", "start": "2024-05-01"}, (date(2026, 3, 17), date(2026, 3, 17), "relative", "")),
        ({"kind": "before", "start": "soon"}, (date(2026, 3, 17), date(2026, 3, 17), "relative", "")),
        (
            {"kind": "absolute", "start": "2024-05-02", "end": "2024-05-01"},
            (date(2026, 3, 17), date(2026, 3, 17), "relative", ""),
        ),
        (
            {"kind": "absolute", "start": "2024-05-01T08:00", "end": "2024-05-01", "words": "Yesterday"},
            (date(2024, 5, 1), date(2024, 5, 1), "absolute", ""),
        ),
        ({"kind": "since", "start": "2024-05-01", "words": "yesterday"}, (date(2024, 5, 1), None, "since", "")),
        ({"kind": "before", "end": "2024-05-01", "words": "yesterday"}, (None, date(2024, 5, 1), "before", "")),
        (
            {"kind": "since", "start": "2024-05-01", "words": "since May"},
            (date(2026, 3, 17), date(2026, 3, 17), "relative", ""),
        ),
        (
            {"kind": "during", "start": "2024-05-01T08:00, Sunday.", "words": "yesterday"},
            (date(2026, 3, 17), date(2026, 3, 17), "relative", ""),
        ),
        ({"kind": "after", "event": "The kiosk"}, (None, None, "after", "The kiosk")),
        (
            {"kind": "after", "event": "the wedding", "end": "2024-05-01", "words": "yesterday"},
            (None, date(2024, 5, 1), "after", ""),
        ),
    ],
)
def test_only_days_and_events_of_the_question_replace_its_time(said: dict[str, str], expected: tuple[Any, ...]) -> None:
    question = analyse("what did the kiosk sell yesterday", max_characters=99, now=NOW)
    time = _refined(
        question, AnalysisAnswer(intent="factual", time=TimeConstraint.model_validate(said)), None, expand=True
    ).time
    assert time is not None
    assert (time.start, time.end, time.kind, time.event) == expected


def test_names_of_the_model_stand_in_the_question_beside_those_of_the_rules() -> None:
    question = analyse("the kiosk of Ann Lee and the bakery", max_characters=99, now=NOW)
    said = [NamedEntity(name=name) for name in (" ", "the bakery", "the kiosk", "Lee", "of ", "Moby Dick")]
    refined = _refined(question, AnalysisAnswer(intent="factual", entities=said), None, expand=True)
    assert [(name.text, name.start, name.end) for name in refined.names] == [
        ("the kiosk", 0, 9),
        ("of ", 10, 13),
        ("Ann Lee", 13, 20),
        ("the bakery", 25, 35),
    ]
    assert refined.strategy == "vector_only"
    needed = AnalysisAnswer(intent="factual", requires_relationships=True)
    assert _refined(question, needed, None, expand=True).strategy == "hybrid_graph"
    exploring = AnalysisAnswer(intent="exploratory", requires_relationships=True)
    assert _refined(question, exploring, None, expand=True).strategy == "hybrid_vector"


def test_a_time_that_nothing_says_is_not_asked_for(tmp_path: Path, server: FakeOpenAI) -> None:
    assert reader(tmp_path, server, model="small").read(QUESTION, now=NOW).time is None


def test_an_endpoint_that_hangs_is_waited_for_once(tmp_path: Path, server: FakeOpenAI) -> None:
    server.script(slow(3.0), slow(3.0))
    asking = reader(tmp_path, server, model="small")
    asking._settings = asking._settings.model_copy(
        update={"llm": asking._settings.llm.model_copy(update={"max_attempts": 4, "idle_seconds": 0.3})}
    )
    assert "rules alone" in asking.read(QUESTION, now=NOW).warnings[0] and len(server.requests) == 1


def test_expansion_is_off_with_a_model_too(tmp_path: Path, server: FakeOpenAI) -> None:
    assert reader(tmp_path, server, model="small", enable_query_expansion=False).read(QUESTION).expansion == ()


def test_a_failing_model_leaves_the_rules_and_a_warning(tmp_path: Path, server: FakeOpenAI) -> None:
    server.script(server_error())
    question = reader(tmp_path, server, model="small").read("Where does Bob work?", now=NOW)
    assert (question.intent, question.wants) == ("factual", "place")
    assert "rules alone" in question.warnings[0]
