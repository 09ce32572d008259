"""Who a question calls by a relation only: the name that the memories give."""

from typing import Any

import polars as pl
import pytest

from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.language.concepts import TITLED
from brain_retrieval.language.content_words import content_words
from brain_retrieval.query.analysis import analyse
from brain_retrieval.query.rewording.relatives import with_names
from tests.retrieval.knowledge.memories.rows import row


def memory(number: int, text: str, *people: str, title: str = "", **changes: Any) -> dict[str, Any]:
    named = [{"name": name, "type": "Person", "role": "named"} for name in people or ("Quill",)]
    anchors = [*content_words(text), *([TITLED + word for word in content_words(title)])]
    return row(f"m{number}", text, "2026-01-05", entities=named, anchors=anchors, **changes)


@pytest.fixture(scope="module")
def index() -> MemoryIndex:
    return MemoryIndex.of(
        pl.DataFrame(
            [
                memory(1, "My brother Ivo has bought a kayak.", "Ivo"),
                memory(2, "Petra's sister Lieke plays the oboe.", "Petra", "Lieke"),
                memory(3, "Mein kleiner Onkel hat ein Boot [Wim]", title="Wim"),
                memory(4, "Hedda, my landlady, is away.", "Hedda"),
                memory(5, "My aunt Rosa called.", "Rosa"),
                memory(6, "Our aunt Tilda sends a parcel.", "Tilda"),
                memory(7, "Unser Nachbar heißt Jorin.", "Jorin"),
            ],
            schema_overrides={"speaker": pl.String, "slot_subject": pl.String, "ends_hint": pl.List(pl.String)},
            infer_schema_length=None,
        )
    )


@pytest.mark.parametrize(
    ("question", "language", "expected"),
    [
        ("Where does my brother live?", "en", "Where does my brother Ivo live?"),
        ("Wo wohnt mein Bruder?", "de", "Wo wohnt mein Bruder Ivo?"),  # in whatever language it was noted
        ("When does Petra's sister play?", "en", "When does Petra's sister Lieke play?"),
        ("Where is my uncle?", "en", "Where is my uncle Wim?"),  # a note with his name as its title
        ("Who is my landlady?", "en", "Who is my landlady Hedda?"),
        ("Was macht mein Nachbar?", "de", "Was macht mein Nachbar Jorin?"),
    ],
)
def test_the_name_of_a_relative_is_added(question: str, language: str, expected: str, index: MemoryIndex) -> None:
    assert with_names(analyse(question, max_characters=500, language=language), index) == expected


@pytest.mark.parametrize(
    "question",
    [
        "Where does my sister live?",  # Lieke is Petra's
        "Where does my aunt live?",  # there are two
        "Where does my brother Ivo live?",
        "Where does the brother live?",
        "Where does Ada's brother live?",
    ],
)
def test_a_question_stays_where_nobody_or_several_can_be_meant(question: str, index: MemoryIndex) -> None:
    assert with_names(analyse(question, max_characters=500, language="en"), index) == question
