"""Whether one entry states another value than an earlier one: rules, wishes and decisions that were written down.

Each was written as one sentence, so they are compared word by word. What differs was exchanged:

    Deployments happen on [Tuesdays].     Deployments happen on [Thursdays].     another value
    Use [ruff] for linting.               Use [flake8] for linting.              another choice for one purpose
    Ask me [before] merging.              Ask me [after] merging.                a contrast
    Prefer tea over coffee.               Prefer coffee over tea.                the reverse order
    Use [ruff] for [linting].             Use [black] for [formatting].          two purposes: both hold
    The [Lyon] office closes at [six].    The [Porto] office closes at [nine].   two offices: both hold
    Mention [the date] in reports.        Mention [the author] in reports.       both hold

Prohibitions add up, and so do permissions: of two of them none ends the other one, unless they state two amounts.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cache
from typing import NamedTuple

from brain_retrieval.knowledge.memories.compared.claims import denies_rule, is_rule
from brain_retrieval.knowledge.memories.compared.weekdays import weekdays_of
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import plain
from brain_retrieval.language.stop_words import function_words

MOST_EXCHANGED = 4  # words on each side of an exchange
LEAST_FRAME = 2  # content words around an exchange, or in front of it
LEAST_SHARE = 0.5  # of the words of the longer one that two sentences of one form have in common
NEAR = 3  # words from a verb of choosing to what is chosen
_ADDED = re.compile(r"\[[^\[\]]{0,80}\]")  # days that were worked out
_TOKEN = re.compile(r"\d(?:[\d.,:]{0,15}\d)?|[^\W_]{1,40}")
_GERMAN = "de"


class Exchange(NamedTuple):
    """One place in which two sentences differ, with what stands around it in both; the words as they are written."""

    before: Sequence[str]
    old: Sequence[str]
    new: Sequence[str]
    after: Sequence[str]


def replaces_entry(a: Facet, b: Facet) -> bool:
    """Return whether `b` denies `a` or states another value, both being rules, wishes or decisions that were stored."""
    if not (is_rule(a.row) and is_rule(b.row)) or a.row["speaker"] != b.row["speaker"]:
        return False
    if a.negated != b.negated or a.claim.denied != b.claim.denied:
        return denies_rule(a.claim, b.claim)
    old, new = _tokens(a), _tokens(b)
    if _reverses(old, new):
        return True
    found = _exchanges(old, new)
    if len(found) != 1:
        return False
    one = found[0]
    if not 0 < min(len(one.old), len(one.new)) <= max(len(one.old), len(one.new)) <= MOST_EXCHANGED:
        return False
    if _is_number(one.old) and _is_number(one.new):
        return _counts_something(one)
    if not _listed("adding").isdisjoint(_plain((*one.before, *one.new, *one.after))):
        return False
    if _in_contrast(one):
        return bool(_content((*one.before, *one.after)))
    adds_up = a.negated or a.claim.denied or (a.claim.allows and b.claim.allows)
    return not adds_up and _is_other_value(one, a.language)


def of_other_matters(a: Facet, b: Facet) -> bool:
    """Return whether two entries of one form tell something of two things: of two shops, when each of them closes."""
    if not (is_rule(a.row) and is_rule(b.row)) or b.cue not in ("none", a.cue):
        return False
    old, new = _tokens(a), _tokens(b)
    found = _exchanges(old, new)
    if len(found) == 1 and _is_number(found[0].old) and _is_number(found[0].new):
        return not _counts_something(found[0])  # rooms 3 and 4
    if len(found) < LEAST_FRAME or sorted(_plain(old)) == sorted(_plain(new)):
        return False
    common = len(old) - sum(len(one.old) for one in found)
    first = found[0]
    if common < LEAST_SHARE * max(len(old), len(new)) or not (_content(first.old) and _content(first.new)):
        return False
    stated = _is_number(first.old) or bool(weekdays_of(" ".join(first.old)))
    return not stated and not _in_contrast(first) and len(_content(first.before)) < LEAST_FRAME


def _reverses(old: Sequence[str], new: Sequence[str]) -> bool:
    """Return whether both compare the same in another order: "tea over coffee", "coffee over tea"."""
    one, other = _plain(old), _plain(new)
    if one == other or sorted(one) != sorted(other):
        return False
    return not _comparing().isdisjoint(one)


def _exchanges(old: Sequence[str], new: Sequence[str]) -> list[Exchange]:
    matcher = SequenceMatcher(None, _plain(old), _plain(new), autojunk=False)
    places = (place for place in matcher.get_opcodes() if place[0] != "equal")
    return [Exchange(old[:start], old[start:end], new[begin:stop], old[end:]) for _, start, end, begin, stop in places]


def _is_other_value(one: Exchange, language: str) -> bool:
    """Return whether what was exchanged is a value, of which there is one, and not what the sentence is about."""
    before, after = _plain(one.before), _plain(one.after)
    front = [word for word in before if word not in _listed("articles") or word in _listed("complements")]
    auxiliary = not _listed("auxiliaries").isdisjoint(before)
    closes = auxiliary or not _content(one.after)
    days = [weekdays_of(" ".join(words)) for words in (one.old, one.new)]
    if all(days):
        return closes and days[0].isdisjoint(days[1]) and bool(_content(one.before))
    if _begins_with_preposition(one.old) or _begins_with_preposition(one.new):
        return False
    if " ".join(before) in _listed("naming"):
        return not after and _has_capital(one.old) and _has_capital(one.new)
    if not front:
        return bool(after) and after[0] in _listed("sole") and len(_content(one.after)) >= LEAST_FRAME
    if not _listed("choosing").isdisjoint(front):
        return _chooses(one, front, after)
    around = len(_content((*one.before, *one.after)))
    if not closes or not around:
        return False
    alike = _has_capital(one.old) == _has_capital(one.new)
    if front[-1] in _listed("complements"):
        return around >= LEAST_FRAME or alike
    if front[-1] not in _listed("places"):
        return False
    named = alike and _has_capital(one.old) and language != _GERMAN
    return auxiliary or named or not _listed("placing").isdisjoint(before)


def _chooses(one: Exchange, front: Sequence[str], after: Sequence[str]) -> bool:
    """Return whether another one is chosen for the same purpose: "use … for linting", "use … mode in the editor"."""
    purposes = _listed("purposes")
    if front[-1] in purposes or _listed("choosing").isdisjoint(front[-NEAR:]) or _is_preposition(front[-1]):
        return False
    others = {word for word in _plain((*one.before, *one.after)) if word not in _listed("choosing")}
    of_thing = bool(after) and not _is_preposition(after[0]) and bool(_content(after[:1]))
    return bool(_content(sorted(others))) and (of_thing or not purposes.isdisjoint((*front, *after)))


def _counts_something(one: Exchange) -> bool:
    """Return whether a number is an amount or a time, and not the name of one of several: "room 3", "port 8080"."""
    if not _content((*one.before, *one.after)):
        return False
    last = [word for word in _plain(one.before) if word not in _listed("articles")][-1:]
    return bool(last and not _content(last)) or len(_content(one.before)) >= LEAST_FRAME >= len(_content(one.after))


def _in_contrast(one: Exchange) -> bool:
    """Return whether two words were exchanged of which only one can hold: "before", "after"."""
    words = [[word for word in _plain(side) if word not in _listed("articles")] for side in (one.old, one.new)]
    if any(len(side) != 1 for side in words) or words[0] == words[1]:
        return False
    return any(words[0][0] in group and words[1][0] in group for group in _contrasts())


def _begins_with_preposition(words: Sequence[str]) -> bool:
    return len(words) > 1 and _is_preposition(_plain(words)[0])


def _is_preposition(word: str) -> bool:
    return word in _listed("complements") or word in _listed("places") or word in _listed("purposes")


def _is_number(words: Sequence[str]) -> bool:
    return bool(words) and all(word[0].isdigit() or word in _numbers() for word in _plain(words))


def _has_capital(words: Sequence[str]) -> bool:
    return words[-1][:1].isupper()


def _content(words: Sequence[str]) -> list[str]:
    """Return the words that are no numbers and no words of grammar in any language."""
    return [word for word in _plain(words) if word not in _grammar() and not word[0].isdigit()]


@cache
def _grammar() -> frozenset[str]:
    return frozenset(plain(word) for each in SHARED.languages("stop_words") for word in function_words(each))


def _tokens(facet: Facet) -> list[str]:
    """Return the words and numbers of an entry, as they are written."""
    if "tokens" not in facet.kept:
        said = facet.row["text"].removeprefix(f"{facet.row['speaker']}: ")
        facet.kept["tokens"] = _TOKEN.findall(_ADDED.sub("", said))
    return facet.kept["tokens"]


def _plain(words: Sequence[str]) -> list[str]:
    return [plain(word) for word in words]


@cache
def _listed(key: str) -> frozenset[str]:
    return frozenset(map(plain, SHARED.every_language("entries").listed(key)))


@cache
def _contrasts() -> tuple[frozenset[str], ...]:
    groups = SHARED.every_language("entries").listed("contrasts")
    return tuple(frozenset(plain(group).split()) for group in groups)


@cache
def _comparing() -> frozenset[str]:
    return frozenset(map(plain, SHARED.every_language("comparison").listed("comparison")))


@cache
def _numbers() -> frozenset[str]:
    return frozenset(map(plain, SHARED.every_language("dates").listed("numbers")))
