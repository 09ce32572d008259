"""Versions as values: the newer one replaces the older only where both say which one is used."""

from typing import Any

import pytest

from brain_retrieval.knowledge.memories.view import view
from brain_retrieval.language.values import find_values
from tests.retrieval.knowledge.memories.rows import day, row


def stated(memory_id: str, text: str, said: str, cue: str = "none") -> dict[str, Any]:
    values = [(value.dimension, value.value) for value in find_values(text, "en")]
    return row(memory_id, text, said, values=values, cue=cue)


def ended(first: dict[str, Any], then: dict[str, Any]) -> bool:
    seen = view([first, then], None, at=day("2026-06-01"))
    return bool(next(one for one in seen if one.row["memory_id"] == "a").ended_by)


@pytest.mark.parametrize(
    ("first", "then", "cue"),
    [
        ("Postgres version 3 is slow.", "Postgres version 3.1 fixes the planner.", "none"),
        ("The app runs on version 3.", "The app now runs on version 3.1.", "weak"),  # stated less exactly
        ("The app is on version 2.0.", "We tagged v2.0-rc1 of the app.", "none"),
        ("The server runs Python 3.1.", "Python 3.11 was released with a faster start.", "strong"),
        ("The server runs Python 3.9.", "The server now runs Postgres 14.2.", "weak"),
        ("Version 2.0 of the library supports Windows.", "Version 3.0 of the library drops the old API.", "none"),
        ("Chapter 3.1 of the handbook is about safety.", "Chapter 3.2 of the handbook is about tools.", "none"),
    ],
)
def test_another_version_ends_no_statement_about_one(first: str, then: str, cue: str) -> None:
    assert not ended(stated("a", first, "2026-01-01"), stated("b", then, "2026-02-01", cue))


@pytest.mark.parametrize(
    ("first", "then", "cue"),
    [
        ("The server runs Python 3.1.", "The server now runs Python 3.11.", "weak"),
        ("The cluster is on Kafka 3.4.", "The cluster was upgraded to Kafka 3.6.", "strong"),
        ("The current version of the library is 2.0.", "The current version of the library is 2.1.", "none"),
    ],
)
def test_the_version_in_use_replaces_the_one_before(first: str, then: str, cue: str) -> None:
    assert ended(stated("a", first, "2026-01-01"), stated("b", then, "2026-02-01", cue))


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("Django 5.0 needs Python 3.10.", "en", [("version", "5.0"), ("version", "3.10")]),
        ("Nous utilisons Python 3.11.", "fr", [("version", "3.11")]),
        ("We tagged v2.0-rc1.", "en", [("version", "2.0-rc1")]),
        ("Chapter 3.1 is about safety.", "en", []),
        ("Umsatz 1.200 Euro, Miete 840.50", "de", [("EUR", "1200"), ("number", "840.5")]),
        ("Coffee for EUR 3.50", "en", [("EUR", "3.5")]),
    ],
)
def test_versions_are_kept_to_the_letter(text: str, language: str, found: list[tuple[str, str]]) -> None:
    assert [(value.dimension, value.value) for value in find_values(text, language)] == found


def test_a_whole_number_behind_a_program_in_use_is_its_version() -> None:
    def found(text: str) -> list[tuple[str, str]]:
        return [(value.dimension, value.value) for value in find_values(text, "en")]

    assert ("version", "12") in found("The box in the shed runs Debian 12.")
    assert ("version", "16") in found("I upgraded the old tablet to Lineage 16.")
    assert ("number", "4.8") in found("My LDL is 4.8 again.")
    assert ("number", "4.8") in found("LDL 4.8, all else fine.")
    assert ("version", "14") not in found("She moved to Tanner Road 14.")
