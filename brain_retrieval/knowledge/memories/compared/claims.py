"""What a memory claims, without whether it affirms or denies it: a later one of the same words may say the opposite.

A word of allowing is no part of what is claimed, and one of forbidding denies it:

    No shoes in the living room.          ─► {shoe, living, room}, denied
    Shoes in the living room are fine.    ─► {shoe, living, room}, affirmed
    Dogs are banned at work.              ─► {dog, work}, denied
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from brain_retrieval.language.content_words import WORD, word_form
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.light_words import points_back
from brain_retrieval.language.negation import negation_words
from brain_retrieval.language.plain import lowered, plain

_NUMBER = re.compile(r"\d[\d.,:]{0,15}")
LEAST = 2  # words of what is claimed
_DENYING = ("adverbs", "pronouns", "determiners", "contractions")
_OWNERS = frozenset({"user"})  # who speaks, unless the speaker is known
_DAYS = frozenset({"date", "time", "month", "year"})


class Claim(NamedTuple):
    """The words and numbers of what is claimed, none if it cannot be compared, and whether it is denied."""

    words: frozenset[str]
    denied: bool


NO_CLAIM = Claim(frozenset(), denied=False)


def claim_of(row: Mapping[str, Any], words: frozenset[str]) -> Claim:
    """Return what a row of MEMORIES claims by its words; nothing of what has happened or is of a day."""
    if row["modality"] != "asserted" or row["from_stated"] or row["valid_to"] is not None:
        return NO_CLAIM
    if points_back(lowered(row["text"]), row.get("language")):
        return NO_CLAIM  # "she eats meat" is of a person of the sentence before
    text = frozenset(word_form(match.group()) for match in WORD.finditer(plain(row["text"])))
    permitting, forbidding = text & _listed("allowing"), text & _listed("forbidding")
    if row["kind"] == "event" and not permitting and not forbidding:
        return NO_CLAIM
    if any(value["dimension"] in _DAYS for value in row["values"] or ()):
        return NO_CLAIM
    words = words - _OWNERS - _listed("allowing") - _listed("forbidding") - _denying()
    # Rooms 3 and 4 may have other rules.
    numbers = (match.group().rstrip(".,:") for match in _NUMBER.finditer(row["text"]))
    return Claim(words.union(numbers), (row["polarity"] == "negated") != bool(forbidding))


def says_opposite(claim: Claim, other: Claim) -> bool:
    """Return whether one claim denies what the other one affirms, in the same words."""
    return claim.denied != other.denied and len(claim.words) >= LEAST and claim.words == other.words


@cache
def _listed(key: str) -> frozenset[str]:
    return frozenset(word_form(plain(word)) for word in SHARED.every_language("permissions").listed(key))


@cache
def _denying() -> frozenset[str]:
    words = (
        word for language in SHARED.languages("negation") for key in _DENYING for word in negation_words(key, language)
    )
    return frozenset(word_form(plain(word)) for word in words)
