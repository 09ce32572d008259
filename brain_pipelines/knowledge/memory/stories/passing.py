"""Which memories only mention an anchor: it stands in a list of names, and nothing is said of it."""

import re
from collections.abc import Mapping
from typing import Any

from brain_pipelines.knowledge.memory.naming import Names

_CAPITAL, _SMALL = "[A-ZÀ-ÖØ-Þ]", "[a-zß-öø-ÿ&]"
_NAME = rf"{_CAPITAL}[\w.'’-]{{0,30}}(?: {_CAPITAL}[\w.'’-]{{0,30}}){{0,3}}(?: \([^()]{{0,60}}\))?"
# Three names with commas, or more: "Ann, Bob Reed, Carla (guest) and Dan".
_LISTING = re.compile(rf"{_NAME}(?:, {_NAME}){{2,40}}(?:,? {_SMALL}{{1,3}} {_NAME})?")
COMMAS = 2
PERSON = "Person"
SPEAKING = ("speaker", "listener")


def lists_names(text: str) -> bool:
    """Return whether a text has a list of names."""
    return text.count(", ") >= COMMAS and _LISTING.search(text) is not None


def is_listed(text: str, names: Names) -> bool:
    """Return whether a text names an anchor within a list of names only."""
    return lists_names(text) and names.only_within(text, [match.span() for match in _LISTING.finditer(text)])


def names_people(row: Mapping[str, Any]) -> bool:
    """Return whether the text of a memory has the name of a person."""
    people = (one for one in row["entities"] or () if one["type"] == PERSON)
    return any(one["role"] not in SPEAKING and one["name"] in row["text"] for one in people)
