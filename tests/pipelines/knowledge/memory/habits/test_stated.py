"""Habits that someone states, as memories."""

from datetime import date
from typing import Any

import pytest

from tests.pipelines.knowledge.memory.habits.written_texts import habits, memories, notes

DAY, LATER = date(2026, 9, 1), date(2026, 9, 20)


def stated(said: str, language: str = "en", **fields: Any):
    texts = notes({DAY: said}, language)
    return [habit for habit in habits(texts, memories({DAY: said}, texts, **fields)) if habit["kind"] == "stated"]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Fencing is on Tuesdays at 6."),
        ("en", "I visit my uncle every second Friday."),
        ("en", "We water the roof twice a week."),
        ("de", "Fechten ist dienstags um 18 Uhr."),
        ("de", "Ich besuche jeden Freitag meinen Onkel."),
        ("es", "La esgrima es los martes a las 18."),
        ("fr", "L'escrime, c'est tous les mardis à 18 h."),
        ("it", "La scherma è ogni martedì alle 18."),
        ("pt", "A esgrima é às terças, 18h."),
    ],
)
def test_a_habit_that_is_stated(language: str, said: str) -> None:
    (habit,) = stated(said, language)
    assert habit["name"] == said and habit["occurrences"][0]["memory_id"] == f"m-{DAY}"


@pytest.mark.parametrize(
    "said",
    [
        "Fencing is on Tuesday at 6.",
        "The lists are printed every Friday.",
        "Each week four people fall ill.",
        "Hi all.",
    ],
)
def test_single_days_and_what_is_so_in_the_world_are_none(said: str) -> None:
    assert stated(said) == []


@pytest.mark.parametrize(
    "fields", [{"keep": 0.2}, {"modality": "question"}, {"polarity": "negated"}, {"speaker": "assistant"}]
)
def test_only_what_someone_asserts_counts(fields: dict[str, Any]) -> None:
    assert stated("Fencing is on Tuesdays at 6.", **fields) == []


def test_what_is_said_twice_is_one_habit_in_the_newest_words() -> None:
    said = {DAY: "Fencing is on Tuesdays at 6.", LATER: "Fencing on Tuesdays at 6 as ever."}
    texts = notes(said)
    (habit,) = [one for one in habits(texts, memories(said, texts)) if one["kind"] == "stated"]
    assert (habit["name"], habit["times"]) == (said[LATER], 2)
