"""How the words of one text are written: with a small letter, or large inside a sentence without an article.

Without a parser this tells a name from a word that is large by its place ("Voir la mairie"), from a title ("le Bureau")
and, where nouns are large, from a noun ("das Geheimnis").
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_retrieval.language.lexicon import ENGLISH, code_of

TOKEN = re.compile(r"[^\W\d_](?:(?:[\w.-]|&(?=[A-Z])|(?<=c)['’](?=h))*\w)?")  # "A&O", "Floc'h"
ELISIONS = re.compile(r"([^\W\d_]{1,8})['’](?=\w)")
_SUBJECT = "plain_names"
_INSIDE = (" ", ", ", " (")  # before a word that stands inside a sentence


@dataclass(frozen=True)
class Writing:
    """Words of one text in small letters: those `small` somewhere, and how often each is large inside a sentence.

    `determined` counts the places behind an article or adjective, `free` those without an article. `pairs` are two
    large words next to each other inside a sentence. `people` are names of who speaks in the text or was there.
    """

    small: frozenset[str] = frozenset()
    determined: Counter[str] = field(default_factory=Counter)
    free: Counter[str] = field(default_factory=Counter)
    pairs: frozenset[tuple[str, str]] = frozenset()
    people: frozenset[str] = frozenset()


def writing_of(text: str, language: str | None) -> Writing:
    """Return how the words of a text are written."""
    articles = words_around("determiners", language)
    small: set[str] = set()
    determined: Counter[str] = Counter()
    free: Counter[str] = Counter()
    pairs: set[tuple[str, str]] = set()
    before, end, inside = "", 0, False  # whether the word before is large and stands inside a sentence
    for match in TOKEN.finditer(text):
        word = match.group()
        gap, low = text[end : match.start()], word.lower()
        if word[0].islower():
            small.add(low)
        elif before and gap in (" ", "'", "’"):
            own = before.lower() in articles or before[-1:] in "'’"
            if own or before.islower() and before.endswith(_adjectives(language)):
                determined[low] += 1
        if word[0].isupper() and before and gap in _INSIDE and before.lower() not in articles:
            free[low] += 1
        large = word[0].isupper()
        if large and inside and gap == " ":
            pairs.add((before.lower(), low))
        inside = large and bool(before) and gap in (*_INSIDE, "'", "’")
        before, end = word if large else low, match.end()
    return Writing(frozenset(small), determined, free, frozenset(pairs))


@cache
def _adjectives(language: str | None) -> tuple[str, ...]:
    return LEXICONS.read(_SUBJECT, _known(language)).listed("adjective_ends") or ("\0",)


@cache
def words_around(key: str, language: str | None) -> frozenset[str]:
    """Return words of `plain_names.toml` of a language; of all languages if it has none."""
    if LEXICONS.has(_SUBJECT, language):
        return LEXICONS.read(_SUBJECT, _known(language)).words(key)
    return LEXICONS.every_language(_SUBJECT).words(key)


def _known(language: str | None) -> str:
    return code_of(language) if LEXICONS.has(_SUBJECT, language) else ENGLISH
