"""What a memory claims, without whether it affirms or denies it: a later one of the same words may say the opposite.

A word of allowing or requiring is no part of what is claimed, nor is "always"; one of forbidding, or of leaving it
open, denies it:

    No shoes in the living room.          ─► {shoe, living, room}, denied
    Shoes in the living room are fine.    ─► {shoe, living, room}, affirmed
    Dogs are banned at work.              ─► {dog, work}, denied
    Always send invoices as PDF.          ─► {send, invoice, pdf}, affirmed
    Helmets are optional in the hall.     ─► {helmet, hall}, denied, as no duty
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from brain_retrieval.language.content_words import WORD, word_form
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.light_words import points_back
from brain_retrieval.language.negation import negation_words
from brain_retrieval.language.of_words import language_by_words
from brain_retrieval.language.plain import lowered, plain

_NUMBER = re.compile(r"\d[\d.,:]{0,15}")
LEAST = 2  # words of what is claimed
LEAST_ALIKE, ENDING = 3, 3  # letters in which two forms of a verb begin alike, and of an ending
_DENYING = ("adverbs", "pronouns", "determiners", "contractions")
_RULES = ("allowing", "forbidding", "required", "optional")  # keys of permissions.toml by which a rule is one
_ELIDED = re.compile(r"(?P<before>\w{1,30})'\w{1,3}\b")
_OWNERS = frozenset({"user"})  # who speaks, unless the speaker is known
_DAYS = frozenset({"date", "time", "month", "year"})
WRITTEN = frozenset({"owner", "agent"})  # methods of what was stored as a memory, one statement at a time
RULE_KINDS = frozenset({"instruction", "preference", "decision"})


class Claim(NamedTuple):
    """The words and numbers of what is claimed, none if it cannot be compared, and whether it is denied.

    `allows` and `frees`: it says that something may be, or that it need not be, which do not deny each other.
    """

    words: frozenset[str]
    denied: bool
    allows: bool = False
    frees: bool = False


NO_CLAIM = Claim(frozenset(), denied=False)


def claim_of(row: Mapping[str, Any], words: frozenset[str]) -> Claim:
    """Return what a row of MEMORIES claims by its words; nothing of what has happened or is of a day."""
    if not is_stated(row) or row["from_stated"] or row["valid_to"] is not None:
        return NO_CLAIM
    if points_back(lowered(row["text"]), row.get("language") or language_by_words(row["text"])):
        return NO_CLAIM  # "she eats meat" is of a person of the sentence before
    text = frozenset(word_form(match.group()) for match in WORD.finditer(plain(row["text"])))
    said = {key: text & _listed(key) for key in _RULES}
    if row["kind"] == "event" and not any(said.values()):
        return NO_CLAIM
    if any(value["dimension"] in _DAYS for value in row["values"] or ()):
        return NO_CLAIM
    words = words - _OWNERS - _listed(*_RULES, "general") - _denying() - _before_ending(row["text"])
    # Rooms 3 and 4 may have other rules.
    numbers = (match.group().rstrip(".,:") for match in _NUMBER.finditer(row["text"]))
    denied = (row["polarity"] == "negated") != bool(said["forbidding"] or said["optional"])
    duty = bool(said["required"] or said["optional"])
    allows = bool(said["allowing"]) and not denied
    return Claim(words.union(numbers), denied, allows=allows, frees=duty and denied)


def is_rule(row: Mapping[str, Any]) -> bool:
    """Return whether a row is an instruction, a wish or a decision that was stored as such."""
    return row.get("method") in WRITTEN and row["kind"] in RULE_KINDS


def is_stated(row: Mapping[str, Any]) -> bool:
    """Return whether a row is asserted; a rule that was stored and says what may be is: "guests may park here"."""
    if row["modality"] == "asserted":
        return True
    if row["modality"] != "possible" or not is_rule(row) or row["kind"] == "preference":
        return False
    return any(word_form(match.group()) in _listed("allowing") for match in WORD.finditer(plain(row["text"])))


def says_opposite(claim: Claim, other: Claim) -> bool:
    """Return whether one claim denies what the other one affirms, in the same words."""
    if (claim.allows and other.frees) or (claim.frees and other.allows):
        return False
    return claim.denied != other.denied and len(claim.words) >= LEAST and claim.words == other.words


def denies_rule(a: Claim, b: Claim) -> bool:
    """Return whether one of two rules denies the other one with one word in another form: "chiedi", "non chiedere"."""
    if a.denied == b.denied or len(a.words) != len(b.words) or len(a.words) < LEAST:
        return False
    if (a.allows and b.frees) or (a.frees and b.allows):
        return False
    old, new = sorted(a.words - b.words), sorted(b.words - a.words)
    if len(old) != 1:
        return False
    stem = new[0][: max(LEAST_ALIKE, len(new[0]) - ENDING)]
    return len(stem) >= LEAST_ALIKE and old[0].startswith(stem)


def _before_ending(text: str) -> frozenset[str]:
    """Return the words that a denial is the end of: "don" of "don't"."""
    found = (match for match in _ELIDED.finditer(plain(text)) if match.group().lower().endswith(_endings()))
    return frozenset(word_form(match["before"]) for match in found)


@cache
def _endings() -> tuple[str, ...]:
    return tuple(sorted(SHARED.every_language("negation").words("endings")))


@cache
def _listed(*keys: str) -> frozenset[str]:
    words = SHARED.every_language("permissions")
    return frozenset(word_form(plain(word)) for key in keys for word in words.listed(key))


@cache
def _denying() -> frozenset[str]:
    words = (
        word for language in SHARED.languages("negation") for key in _DENYING for word in negation_words(key, language)
    )
    return frozenset(word_form(plain(word)) for word in words)
