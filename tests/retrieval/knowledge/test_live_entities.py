"""Names before the first snapshot: a first name, a part of a name, and what only belongs to somebody."""

from datetime import UTC, datetime

import polars as pl

from brain_retrieval.knowledge.live_entities import entity_called


def names(*rows: tuple[str, str, str]) -> pl.DataFrame:
    """Return rows as `live_names` does of (name, type, source)."""
    return pl.DataFrame(
        [
            {
                "entity_id": f"entity_{name}_{kind}",
                "source_id": source,
                "name": name,
                "type": kind,
                "mention_count": 1,
                "confidence": 0.8,
                "event_at": datetime(2026, 3, 1, tzinfo=UTC),
                "called": name,
                "form": name.casefold(),
            }
            for name, kind, source in rows
        ]
    )


def found(called: str, *rows: tuple[str, str, str]) -> tuple[str, str, list[str]]:
    entity = entity_called(names(*rows), called)
    assert entity is not None
    return entity["name"], entity["type"], entity["aliases"]


def test_a_first_name_is_that_of_the_only_person_who_has_it() -> None:
    rows = (("Marta", "Location", "a"), ("Marta Olsen", "Person", "b"), ("Marta Olsen", "Person", "c"))
    assert found("Marta", *rows) == ("Marta Olsen", "Person", ["Marta"])
    assert found("marta olsen", *rows) == ("Marta Olsen", "Person", [])


def test_a_first_name_of_two_people_is_neither() -> None:
    rows = (("Marta", "Person", "a"), ("Marta Olsen", "Person", "b"), ("Marta Quist", "Person", "c"))
    assert found("Marta", *rows) == ("Marta", "Person", [])
    assert found("Olsen", *rows) == ("Marta Olsen", "Person", [])


def test_two_who_share_a_word_are_not_joined() -> None:
    rows = (("Iva Olsen", "Person", "a"), ("Jon Olsen", "Person", "b"), ("Jon Olsen", "Person", "c"))
    assert found("Olsen", *rows) == ("Jon Olsen", "Person", [])


def test_what_somebody_has_is_no_other_name() -> None:
    rows = (("Marta Olsen", "Person", "a"), ("Marta Olsen's number", "Concept", "b"))
    assert found("Marta", *rows) == ("Marta Olsen", "Person", [])
    assert found("Olsen", *rows) == ("Marta Olsen", "Person", [])


def test_a_name_that_no_source_has_is_unknown() -> None:
    assert entity_called(names(("Marta Olsen", "Person", "a")), "Greta") is None
    assert entity_called(names(("Marta Olsen", "Person", "a")), "…") is None
