"""Entities are found by id, name, part of a name, and as a last resort by the letters of it."""

import polars as pl
import pytest

from brain_retrieval.knowledge.lookup import find_entities, without_title

NAMES = pl.DataFrame(
    [
        ("e1", "n1", "@alanshaw", "@alanshaw", 3),
        ("e2", "n2", "david dias", "David Dias", 8),
        ("e3", "n3", "ui redesign", "UI redesign", 2),
        ("e4", "n4", "david", "David", 1),
    ],
    schema=["entity_id", "name_id", "name", "display", "source_count"],
    orient="row",
)


@pytest.mark.parametrize(
    ("called", "found"),
    [
        ("e3", ["e3"]),
        ("David", ["e4"]),
        ("dias", ["e2"]),
        ("Alan Shaw", ["e1"]),
        ("alanshaw", ["e1"]),
        ("UI-Redesign", ["e3"]),
        ("Davi", []),
        ("Alan Shawn", []),
        ("  ", []),
    ],
)
def test_an_entity_is_found_by_what_it_is_called(called: str, found: list[str]) -> None:
    assert find_entities(NAMES, called) == found


@pytest.mark.parametrize(
    ("called", "bare"),
    [("Mr Oduya", "Oduya"), ("Frau Dr. Ott", "Ott"), ("Mrs", "Mrs"), ("Oduya", "Oduya"), ("Sig. Ghini", "Ghini")],
)
def test_a_name_without_its_form_of_address(called: str, bare: str) -> None:
    assert without_title(called) == bare
