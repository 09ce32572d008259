"""A value of one person's thing ends none of another one's, and a first name in common makes no common subject."""

from typing import Any

import pytest

from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.whose import namesakes, of_one_owner, of_other_owners
from tests.retrieval.knowledge.memories.rows import row
from tests.retrieval.knowledge.memories.test_changes import ends, named


def facet(text: str, **changes: Any) -> Facet:
    return Facet(row("a", text, "2026-01-02", **changes))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("My pension is 1,900.", "Olga's own pension is 2,400."),
        ("My mother's pension is 1,900.", "My pension is 2,400."),
        ("Meine Rente beträgt 1.900.", "Die Rente von Olga beträgt 2.400."),
        ("Opas Rente beträgt 1.900.", "Meine Rente beträgt 2.400."),
        ("Mi pensión es de 1.900.", "La pensión de Olga es de 2.400."),
        ("Ma pension est de 1 900.", "La pension d'Olga est de 2 400."),
        ("A minha pensão é de 1.900.", "A pensão da Olga é de 2.400."),
        ("La mia pensione è di 1.900.", "La pensione di Olga è di 2.400."),
    ],
)
def test_two_owners_have_two_things(one: str, other: str) -> None:
    assert of_other_owners(facet(one), facet(other))
    assert not of_one_owner(facet(one), facet(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Olga's pension is 1,900.", "Olga's pension went up to 2,000."),
        ("My aunt Olga's pension is 1,900.", "Olga's pension is 2,000."),
        ("My pension is 1,900.", "The pension is 2,000 now."),
        ("That's a pension of 1,900.", "My pension is 2,000."),
    ],
)
def test_one_owner_or_an_unknown_one_may_have_the_same_thing(one: str, other: str) -> None:
    assert not of_other_owners(facet(one), facet(other))


def test_a_value_of_somebody_else_ends_none_of_mine() -> None:
    values = {"values": [("number", "1900")], "entities": []}
    mine = row("a", "My pension is 1,900 now.", "2026-01-02", **values)
    hers = row("b", "Olga's own pension is 2,000.", "2026-01-03", values=[("number", "2000")])
    later = row("c", "My pension is 2,000.", "2026-01-04", values=[("number", "2000")])
    assert ends([mine, hers, later])["a"] == [("c", "value")]


def test_a_pressure_of_two_days_is_the_pressure_of_one_person() -> None:
    first = row("a", "Olga's pressure was 158/92.", "2026-01-02", values=[("number", "158"), ("number", "92")])
    second = row("b", "Olga's pressure is 134/80.", "2026-02-02", values=[("number", "134"), ("number", "80")])
    assert ends([first, second])["a"] == [("b", "value")]


def test_people_with_one_first_name_are_two() -> None:
    first = facet("Igor Vane is ill.", entities=[{**named("Igor Vane", "subject")}])
    second = facet("Igor Moss is well.", entities=[{**named("Igor Moss", "subject")}])
    short = facet("Igor is well.", entities=[{**named("Igor", "subject")}])
    assert namesakes(first, second) == {"igor"}
    assert not namesakes(first, short)
    assert not namesakes(first, facet("Igor Vane met Igor Moss.", entities=[named("Igor Vane"), named("Igor Moss")]))


def test_an_offer_of_a_namesake_ends_no_offer() -> None:
    values = [("GBP", "6400")]
    one = row("a", "Igor Vane asks £6,400.", "2026-01-02", values=values, entities=[named("Igor Vane", "subject")])
    other = row("b", "Igor Moss paid £640.", "2026-01-03", entities=[named("Igor Moss", "subject")])
    other |= {"values": [{"dimension": "GBP", "value": "640"}]}
    assert not ends([one, other])["a"]
