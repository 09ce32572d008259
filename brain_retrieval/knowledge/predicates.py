"""Canonical predicates: extracted surface form → canonical predicate and its temporal behaviour.

The rows are in `predicate_table.py`.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from brain_retrieval.knowledge import predicate_table as table
from brain_retrieval.knowledge.places import CONTAINING
from brain_retrieval.knowledge.vocabulary import entity_class
from brain_retrieval.language.folding import fold
from brain_retrieval.schemas.names import ENTITY_TYPES

ROLE = "role"
_ROLE = re.compile(r"(?:be|become) (?P<role>.+) (?P<prep>of|at|for)")
FAVOURITE = re.compile(r"have favou?rite .+")


@dataclass(frozen=True)
class Canonical:
    """The meaning of a form. `change`: it states a beginning; `flipped`: subject and object are exchanged."""

    predicate: str
    family: str = "other"
    relation: str = ""
    flipped: bool = False
    change: bool = False
    symmetric: bool = False


@dataclass(frozen=True)
class Behaviour:
    """How facts of a canonical predicate behave in time."""

    family: str
    functional: bool = False
    exclusive: bool = False
    symmetric: bool = False
    classes: frozenset[str] = frozenset()  # of objects that exclude each other; empty for any


@lru_cache(maxsize=65536)
def canonical(form: str, subject_kind: str = "", object_kind: str = "") -> Canonical:
    """Return the canonical predicate of a form between two kinds; a form in no row is returned normalised.

    Kinds are entity types, "Literal", or the kinds that `kind_of_subject` and `kind_of_object` return.

    >>> canonical("move to", "Person", "Location").predicate
    'live in'
    """
    plain = normalised(form)
    if FAVOURITE.fullmatch(plain):
        return Canonical(plain.replace("favourite", "favorite"), "preference")
    for row, flipped, change in _ROWS.get(plain, ()):
        if _fits(row.subjects, subject_kind) and _fits(row.objects, object_kind):
            return Canonical(row.name, row.family, row.relation, flipped, change, row.symmetric)
    return _role(plain, subject_kind, object_kind) or Canonical(plain)


@lru_cache(maxsize=65536)
def behaviour(predicate: str) -> Behaviour:
    """Return the behaviour of a canonical predicate; facts of an unknown one replace nothing."""
    if found := _BEHAVIOURS.get(predicate):
        return found
    if FAVOURITE.fullmatch(predicate):
        return Behaviour("preference", functional=True)
    if sole_role(predicate):
        return Behaviour("work", exclusive=True)
    return Behaviour("other")


@lru_cache(maxsize=65536)
def ends(form: str, predicate: str) -> tuple[str, ...]:
    """Return the canonical predicates that a form or its canonical predicate ends; `ROLE` stands for every office."""
    return _ENDS.get(normalised(form), ()) or _ENDS.get(predicate, ())


def ended_as(predicate: str) -> str:
    """Return the key of a canonical predicate in the table of endings; every office has the key `ROLE`."""
    return ROLE if sole_role(predicate) else predicate


def sole_role(predicate: str) -> bool:
    """Return whether a canonical predicate is an office with one holder at a time: "be ceo of"."""
    match = _ROLE.fullmatch(predicate)
    return match is not None and _is_sole(match["role"])


def is_change(form: str, predicate: str) -> bool:
    """Return whether a form states the beginning of a fact of this predicate."""
    plain = normalised(form)
    return plain.startswith("become ") or any(
        row.name == predicate and change for row, _, change in _ROWS.get(plain, ())
    )


def normalised(form: str) -> str:
    """Return a form in lower case with single spaces."""
    return fold(form.replace("_", " "))


def is_specific(name: str) -> bool:
    """Return whether a name is more than one common noun ("report"), which may mean something else in each text."""
    return " " in name or any(c.isdigit() or c.isupper() for c in name)


def contains_places(name: str) -> bool:
    """Return whether a place contains other places: "lives in Germany" does not contradict "lives in Berlin"."""
    return normalised(name).removeprefix("the ") in CONTAINING


def kind_of_object(name: str, kind: str) -> str:
    """Return "Status" or "Stage" for a word that names one, "Team" for a group that is not an employer."""
    last = normalised(name).rpartition(" ")[2]
    if kind in ("Literal", "Concept"):
        plain = normalised(name)
        return "Status" if plain in table.STATUS_WORDS else "Stage" if plain in table.STAGE_WORDS else kind
    return "Team" if kind == "Organization" and last in table.TEAM_WORDS else kind


def kind_of_subject(name: str, kind: str) -> str:
    """Return "Attribute" for subjects with one value at a time: "Atlas budget", "user's favourite colour"."""
    plain = normalised(name)
    is_attribute = plain.rpartition(" ")[2] in table.ATTRIBUTE_WORDS or "favourite " in plain or "favorite " in plain
    return "Attribute" if is_attribute and " " in plain else kind


def _role(plain: str, subject_kind: str, object_kind: str) -> Canonical | None:
    match = _ROLE.fullmatch(plain)
    if match is None or subject_kind not in ("Person", ""):
        return None
    role, change = table.ROLE_NAMES.get(match["role"], match["role"]), plain.startswith("become ")
    if _is_sole(role):
        return Canonical(f"be {role} of", "work", "MEMBER_OF", change=change)
    if match["prep"] == "at" and object_kind == "Organization" and role.split()[-1] not in table.NOT_EMPLOYED:
        return Canonical("work at", "work", "MEMBER_OF", change=change)
    return Canonical(f"be {role} {match['prep']}", change=change)


def _is_sole(role: str) -> bool:
    return role in table.SOLE_ROLES or role in table.ROLE_NAMES


def _fits(accepted: frozenset[str], kind: str) -> bool:
    return not accepted or kind in accepted


def _classes(row: table.Predicate) -> frozenset[str]:
    return frozenset(entity_class(kind) for kind in row.objects if kind in ENTITY_TYPES)


def _rows() -> dict[str, list[tuple[table.Predicate, bool, bool]]]:
    rows: dict[str, list[tuple[table.Predicate, bool, bool]]] = {}
    for row in table.PREDICATES:
        for forms, flipped, change in (
            (row.forms, False, False),
            (row.flipped, True, False),
            (row.changes, False, True),
        ):
            for form in filter(None, forms.split("|")):
                rows.setdefault(form, []).append((row, flipped, change))
    return rows


def _endings() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for ending in table.ENDINGS:
        for form in ending.forms.split("|"):
            found[form] = (*found.get(form, ()), *ending.ends)
    return found


_ROWS, _ENDS = _rows(), _endings()
_BEHAVIOURS = {
    row.name: Behaviour(row.family, row.functional, row.exclusive, row.symmetric, _classes(row))
    for row in reversed(table.PREDICATES)
}
