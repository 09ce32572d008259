"""Things of one kind that a number or a letter distinguishes: house 3, room 14, team B, worker-c.

A statement about one of them says nothing of another one:

    House 1 is at 12.       House 3 goes to 21.         two houses: both hold
    She has room 14.        She moved to room 22.       the number is what has changed
"""

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.language.content_words import WORD, word_form
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import plain
from brain_retrieval.language.stop_words import function_words

# A word with a number of up to three digits, which a letter may follow, or with a letter: "7b", "B", "worker-c".
_NUMBERED = re.compile(
    r"(?<![\w-])(?P<word>[^\W\d_]{3,30})"
    r"(?:[ -](?:[Nn]o\. ?|[Nn][º°] ?)?(?P<number>\d{1,3}[A-Za-z]?)|-(?P<joined>[A-Za-z])| (?P<letter>[A-DF-HJ-NP-Z]))"
    r"(?![\w%€$£°:/-]|[.,]\d)"
)
_LAST_LETTER = re.compile(r" [b-df-hj-np-tv-xz]\Z")  # of a question, which is rarely written with capitals
_BEFORE = re.compile(r"[^.,;:!?()]{0,24}\Z")  # in the same part of a sentence
_BEHIND = re.compile(r"(?: ?\([^()]{0,40}\))?[^.,;:!?]{1,200}")
_ADDED = re.compile(r"\([^()]*\)|\[[^\]]{0,40}\]")
_DIGIT = re.compile(r"\d")

Numbers = Mapping[str, frozenset[str]]  # word of a kind of thing -> numbers and letters of those that are named


def of_other_numbers(a: Facet, b: Facet) -> bool:
    """Return whether each of two memories is about another one of things that a number distinguishes."""
    common = a.words & b.words
    if common.isdisjoint(named := _subjects(a.row["text"])):
        return False
    others = _subjects(b.row["text"])
    return any(named[word].isdisjoint(others[word]) for word in common & named.keys() & others.keys())


def numbers_asked(about: str) -> Numbers:
    """Return which things of a kind a question asks for by their numbers: `{"house": {"3"}}` of "house 3"."""
    return _numbers(_LAST_LETTER.sub(lambda match: match.group().upper(), about.strip()))


def of_another_number(asked: Numbers, facet: Facet) -> bool:
    """Return whether a memory names things of a kind that is asked for, and not the one with the number asked for."""
    own = _numbers(facet.row["text"]) if asked else {}
    return any(own[word].isdisjoint(asked[word]) for word in asked.keys() & own.keys())


@lru_cache(maxsize=1 << 14)
def _numbers(text: str) -> Numbers:
    found: dict[str, set[str]] = {}
    for match in _NUMBERED.finditer(text):
        if (word := word_form(plain(match["word"]))) in _kinds():
            found.setdefault(word, set()).add(_number(match))
    return {word: frozenset(numbers) for word, numbers in found.items()}


@lru_cache(maxsize=1 << 14)
def _subjects(text: str) -> Numbers:
    """Return the numbered things at the beginning of a part of a text that says something of them.

    That is a verb right behind, or another number: not "now room 22" and "the cup is played in hall B".
    """
    found: dict[str, set[str]] = {}
    for match in _NUMBERED.finditer(text):
        word = word_form(plain(match["word"]))
        before, behind = _BEFORE.search(text, 0, match.start()), _BEHIND.match(text, match.end())
        if word not in _kinds() or before is None or behind is None or not _is_led(before.group()):
            continue
        rest = _ADDED.sub("", behind.group())
        after = WORD.match(rest.strip())
        stated = after is not None and plain(after.group()) not in _function_words()
        if stated or _DIGIT.search(rest):
            found.setdefault(word, set()).add(_number(match))
    return {word: frozenset(numbers) for word, numbers in found.items()}


def _is_led(before: str) -> bool:
    """Return whether only words of grammar stand before a thing in its part of a sentence: "so house 3 goes to 21"."""
    return all(plain(word) in _function_words() for word in WORD.findall(before))


def _number(match: re.Match[str]) -> str:
    return (match["number"] or match["joined"] or match["letter"]).lower().lstrip("0")


@cache
def _kinds() -> frozenset[str]:
    """Return the words of all languages for things that numbers distinguish."""
    return frozenset(word_form(plain(word)) for word in SHARED.every_language("possessors").listed("numbered"))


@cache
def _function_words() -> frozenset[str]:
    found = (function_words(language) for language in SHARED.languages("stop_words"))
    return frozenset(plain(word) for words in found for word in words)
