"""Types of names by what they are listed with: of an enumeration with people in it, the others are people too.

"Aanwezig: Arjan Eising, Krijn Hoetmer, Tom Greuter" names three people, though only "Tom" is in a list of given names.
This holds in every language.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from brain_pipelines.stages.extraction.local.names.mention import EVIDENT, GUESSED
from brain_pipelines.stages.extraction.memories.sentence import Name

LEAST = 3  # names of an enumeration
SHARE = 1 / 4  # of them, that must be people
MOST_WORDS = 4  # of a person's name
_ASIDE = r"(?:\s?\([^()\n]{1,60}\))?"  # a role behind a name: "Ann Lee (chair)"
_MARKS = re.compile(rf"{_ASIDE}\s?[,;/|•]\s*")
_JOINED = re.compile(rf"{_ASIDE},?\s(?:(?P<word>[^\W\d_]{{1,4}})|[&+])\s")


@dataclass(frozen=True)
class PlainName(Name):
    """A name with the confidence of its mention."""

    confidence: float


def with_enumerated(text: str, names: Sequence[PlainName], conjunctions: frozenset[str]) -> tuple[PlainName, ...]:
    """Return the names of a text, in order, with those of people in enumerations typed as people.

    Args:
        text: the block.
        names: in order, without overlaps.
        conjunctions: words between the last two names, in small letters.
    """
    found: list[PlainName] = []
    for group in _enumerations(text, names, conjunctions):
        people = sum(name.type == "Person" for name in group)
        are_people = len(group) >= LEAST and people >= max(1, SHARE * len(group)) and _are_alike(group)
        found += [_as_person(name) if are_people else name for name in group]
    return tuple(found)


def _enumerations(text: str, names: Sequence[PlainName], conjunctions: frozenset[str]) -> Iterator[list[PlainName]]:
    """Yield the names in order, in groups of those with nothing but a mark or a conjunction between them."""
    group: list[PlainName] = []
    for name in names:
        if group and not _continues(text[group[-1].end : name.start], conjunctions):
            yield group
            group = []
        group.append(name)
    if group:
        yield group


def _continues(between: str, conjunctions: frozenset[str]) -> bool:
    if _MARKS.fullmatch(between):
        return True
    joined = _JOINED.fullmatch(between)
    return joined is not None and (joined["word"] is None or joined["word"].lower() in conjunctions)


def _are_alike(group: Sequence[PlainName]) -> bool:
    """Return whether nothing in an enumeration is surely no person: "Anna, Lisbon, Hugo" are no three people."""
    return not any(name.type not in ("Person", "Concept") and name.confidence >= EVIDENT for name in group)


def _as_person(name: PlainName) -> PlainName:
    is_open = name.type == "Concept" and name.confidence <= GUESSED
    if not is_open or len(name.text.split()) > MOST_WORDS or any(map(str.isdigit, name.text)) or name.text.isupper():
        return name
    return replace(name, type="Person", confidence=EVIDENT)
