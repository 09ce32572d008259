"""Titles and months in questions are no names, even where a known name has them in it."""

import pytest

from brain_retrieval.query.analysis.known_names import Known, NameIndex
from brain_retrieval.query.analysis.rules import analyse

KNOWN = NameIndex(
    [
        ("Mme Irma Castel", Known("e1", "Mme Irma Castel", "Person")),
        ("Arlo 3 December", Known("e2", "Arlo 3 December", "Person")),
        ("Vessel", Known("e3", "Vessel", "Organization")),
        ("June Carr", Known("e4", "June Carr", "Person")),
    ]
)


def read(text: str, language: str) -> list[tuple[str, str]]:
    found = analyse(text, max_characters=1000, language=language, names=KNOWN)
    return [(one.name, one.entity_id) for one in found.entities]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("what was in the emails from Mme Vessel?", "en", [("Vessel", "e3")]),
        ("dans quel mail Mme Vessel parle du prix ?", "fr", [("Vessel", "e3")]),
        ("what did Mme Irma Castel say?", "en", [("Mme Irma Castel", "e1")]),
        ("was schrieb Fr. Castel?", "de", [("Castel", "e1")]),
        ("what have I got on 3 December", "en", []),
        ("when does June arrive?", "en", [("June", "e4")]),
        ("what did June say on 3 June?", "en", [("June", "e4")]),
    ],
)
def test_what_is_looked_up(text: str, language: str, expected: list[tuple[str, str]]) -> None:
    assert read(text, language) == expected


@pytest.mark.parametrize(
    ("text", "language", "intent"),
    [
        ("Qui était ma cheffe avant le départ d'Irma ?", "fr", "temporal"),
        ("Qui était présent à la fête ?", "fr", "aggregation"),
        ("¿qué medicina toma la abuela?", "es", "factual"),
    ],
)
def test_who_it_was_asks_for_one(text: str, language: str, intent: str) -> None:
    found = analyse(text, max_characters=1000, language=language)
    assert found.intent == intent
    assert found.wants == ("thing" if language == "es" else "person")


def test_compare_at_the_beginning_is_no_name() -> None:
    found = analyse("Compare Irma Castel et Vessel", max_characters=1000, language="fr")
    assert [name.text for name in found.names] == ["Irma Castel", "Vessel"]
