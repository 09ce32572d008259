"""Filters that name people and sources: first names, other spellings, and what is not there."""

from datetime import UTC

import pytest

from brain_retrieval.query.analysis.known_names import Known, NameIndex
from brain_retrieval.query.analysis.named_filters import missing_sources, with_people
from brain_retrieval.query.request import build_scope

SPEAKERS = ("Rosalind Ekholm", "ida", "Marek Dvorsky")
KNOWN = NameIndex(
    [("Rosie", Known("e1", "Rosalind Ekholm", "Person")), ("Gustav Holt", Known("e2", "Gustav Holt", "Person"))]
    + [(name, Known("", name, "", speaker=name)) for name in SPEAKERS]
)


def told(*people: str) -> tuple[list[str], list[str]]:
    warnings: list[str] = []
    scope = with_people(build_scope(zone=UTC, people=people), KNOWN, SPEAKERS, warnings)
    return [one for one in scope.within.speakers or () if one in SPEAKERS], warnings


@pytest.mark.parametrize(
    ("called", "meant"),
    [
        ("Rosalind Ekholm", ["Rosalind Ekholm"]),
        ("ROSALIND EKHOLM", ["Rosalind Ekholm"]),
        ("Rosalind", ["Rosalind Ekholm"]),
        ("ekholm", ["Rosalind Ekholm"]),
        ("Ida", ["ida"]),
        ("Dvorský", ["Marek Dvorsky"]),
    ],
)
def test_who_is_meant(called: str, meant: list[str]) -> None:
    assert told(called) == (meant, [])


def test_a_similar_spelling_is_taken_and_said() -> None:
    assert told("Rosalnid") == (["Rosalind Ekholm"], ["no one is called 'Rosalnid'; taken to be Rosalind Ekholm"])


def test_who_does_not_speak_is_said() -> None:
    nobody = "no one called {!r} speaks in what is stored, or wrote it"
    assert told("Gustav") == ([], [nobody.format("Gustav")])
    assert told("Ida", "Nobody") == (["ida"], [nobody.format("Nobody")])


def test_source_types_that_are_not_there_are_said_with_those_that_are() -> None:
    warnings: list[str] = []
    missing_sources(["note", "mails"], {"note", "email"}, warnings)
    assert warnings == ["nothing of source 'mails' is stored; there are email, note"]
    missing_sources(["note"], {"note"}, warnings)
    missing_sources(["note"], set(), warnings)  # nothing is known of what is stored
    assert len(warnings) == 1
