"""What forms of predicates stand for."""

import pytest

from brain_retrieval.knowledge.predicates import (
    behaviour,
    canonical,
    contains_places,
    ends,
    is_change,
    is_specific,
    kind_of_object,
    kind_of_subject,
    sole_role,
)


@pytest.mark.parametrize(
    ("form", "subject", "obj", "expected", "flipped"),
    [
        ("live in", "Person", "Location", "live in", False),
        ("Moves_to", "Person", "Location", "moves to", False),  # no lemma: passes as it is
        ("move to", "Person", "Location", "live in", False),
        ("move to", "Organization", "Location", "be located in", False),
        ("be moved to", "Event", "Literal", "be scheduled for", False),
        ("be based in", "Person", "Location", "live in", False),
        ("work for", "Person", "Organization", "work at", False),
        ("work at", "Person", "Project", "work in", False),
        ("hire", "Organization", "Person", "work at", True),
        ("join", "Person", "Organization", "work at", False),
        ("join", "Person", "Team", "be member of", False),
        ("manage", "Person", "Person", "report to", True),
        ("manage", "Person", "Project", "manage", False),
        ("be CEO of", "Person", "Organization", "be ceo of", False),
        ("become CEO of", "Person", "Organization", "be ceo of", False),
        ("be chief executive of", "Person", "Organization", "be ceo of", False),
        ("be UI designer at", "Person", "Organization", "work at", False),
        ("be student at", "Person", "Organization", "study at", False),
        ("be founder of", "Person", "Organization", "be founder of", False),
        ("belong to", "Project", "Person", "own", True),
        ("be", "Project", "Status", "have status", False),
        ("be", "Attribute", "Literal", "have value", False),
        ("be", "Person", "Person", "be", False),
        ("have favourite editor", "Person", "Tool", "have favorite editor", False),
        ("frobnicate", "Person", "Tool", "frobnicate", False),
    ],
)
def test_forms(form: str, subject: str, obj: str, expected: str, flipped: bool) -> None:
    found = canonical(form, subject, obj)
    assert (found.predicate, found.flipped) == (expected, flipped)


@pytest.mark.parametrize(("form", "object_kind"), [("be", "Status"), ("launch on", "Literal")])
def test_people_have_neither_status_nor_schedule(form: str, object_kind: str) -> None:
    assert canonical(form, "Person", object_kind).predicate == form
    assert canonical(form, "Project", object_kind).predicate != form


def test_only_known_predicates_allow_one_value_at_a_time() -> None:
    assert behaviour("live in").functional
    assert behaviour("have favorite editor").functional
    assert behaviour("be ceo of").exclusive
    assert not behaviour("be ceo of").functional
    assert behaviour("be married to").symmetric
    for free in ("use", "like", "prefer", "be member of", "frobnicate", "be founder of", "have policy"):
        assert not behaviour(free).functional
        assert not behaviour(free).exclusive


def test_endings_changes_and_offices() -> None:
    assert {"work at", "role", "study at"} <= set(ends("leave", "leave"))
    assert "live in" not in ends("leave", "leave")  # for a journey too
    assert ends("hate", "dislike") == ("like", "prefer")
    assert ends("mention", "mention") == ()
    assert is_change("move to", "live in")
    assert is_change("become CEO of", "be ceo of")
    assert not is_change("live in", "live in")
    assert sole_role("be ceo of")
    assert not sole_role("be member of")


def test_kinds_derived_from_names() -> None:
    assert kind_of_object("blocked", "Literal") == "Status"
    assert kind_of_object("beta", "Concept") == "Stage"
    assert kind_of_object("Orion team", "Organization") == "Team"
    assert kind_of_object("Acme", "Organization") == "Organization"
    assert kind_of_object("nearby church", "Organization") == "Team"  # who joins it is not employed there
    assert kind_of_subject("Atlas budget", "Concept") == "Attribute"
    assert kind_of_subject("user's favourite colour", "Concept") == "Attribute"
    assert kind_of_subject("budget", "Concept") == "Concept"  # of what?
    assert is_specific("Atlas")
    assert not is_specific("report")
    assert contains_places("the Netherlands")
    assert not contains_places("Berlin")
