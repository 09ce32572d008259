"""Concepts of a text: what it is about beyond its own words, such as a home, a job or a price.

The words are in `lexicons/<language>/concepts.toml`. A concept is written with a colon (":residence"), so that it can
stand among the content words of a memory without being taken for one.
"""

from collections.abc import Iterable
from functools import cache

from brain_retrieval.language.lexicon import ENGLISH, SHARED
from brain_retrieval.language.plain import lowered
from brain_retrieval.language.word_search import WordSearch

SUBJECT = "concepts"
MARK = ":"
TITLED = ":title:"  # before a word of the title of a source, which its sentences need not repeat
DECIDED = f"{TITLED}decision"  # of what stands under a heading of decisions, in any language
NEW = ":new:"  # before a word that a text calls new
PART = ":part:"  # before a word of a compound and its head, parted by a colon: ":part:car:key" of "the car key"


def concepts_of(text: str, language: str | None = None) -> tuple[str, ...]:
    """Return the concepts that `text` has a word of, in `language`, or in any language if that is None.

    >>> concepts_of("Helga moved to Bodø", "en")
    (':residence',)
    """
    found = _searched(language).keys_in(lowered(text))
    return tuple(MARK + key for key in SHARED.read(SUBJECT).keys if key in found)


def compounds_in(anchors: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return the words of compounds with their heads, from the anchors that mark them.

    >>> compounds_in([":part:car:key", "car"])
    {'car': frozenset({'key'})}
    """
    found: dict[str, frozenset[str]] = {}
    for word, head in (mark.removeprefix(PART).split(MARK) for mark in anchors if mark.startswith(PART)):
        found[word] = found.get(word, frozenset()) | {head}
    return found


@cache
def _searched(language: str | None) -> WordSearch:
    if language is None:
        lexicon = SHARED.every_language(SUBJECT)
    else:
        lexicon = SHARED.read(SUBJECT, language if SHARED.has(SUBJECT, language) else ENGLISH)
    return WordSearch({key: lexicon.listed(key) for key in SHARED.read(SUBJECT).keys})
