"""Names in a text by capital letters alone: runs of capitalised words. No model, no list of names.

German nouns and the first words of sentences are found too; who uses these names weighs them by how rare they are.
Scripts without capital letters (Arabic, Chinese, …) have no names here.
"""

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from brain_retrieval.language.folding import fold
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.stop_words import question_words

MOST = 64  # names of one text
BASIC_PLANE = 0x10000  # has the capital letters of all living scripts


@cache
def capital_letters() -> str:
    """Return the capital letters of all living scripts."""
    return "".join(letter for letter in map(chr, range(BASIC_PLANE)) if letter.isupper() or letter.istitle())


@cache
def name_pattern() -> re.Pattern[str]:
    """Return the pattern of a name. It begins with a set of letters: `re` finds those faster than a condition."""
    inside = SHARED.read("names").pattern("inside")
    capital = capital_letters()
    word = rf"(?:[{capital}][\w'’&.-]*\w|\d+[A-Z]\w*)"
    first = rf"[{capital}\d](?<![\w'’].)(?:(?<!\d)[\w'’&.-]*\w|(?<=\d)\d*[A-Z]\w*)"  # such a word, no part of another
    return re.compile(rf"{first}(?: (?:(?:{inside}|&) ){{0,2}}{word})*")


def names_in(text: str) -> tuple[str, ...]:
    """Return the distinct names of `text`, folded, in their order; at most 64.

    >>> names_in("When did Ada Lovelace meet the Duke of Wellington?")
    ('ada lovelace', 'duke of wellington')
    """
    return tuple(_names(text))


def written_names(text: str) -> tuple[str, ...]:
    """Return the names of `text` as they are first written, in their order; at most 64."""
    return tuple(_names(text).values())


@lru_cache(maxsize=4_000)
def _names(text: str) -> Mapping[str, str]:
    """Return the names of `text`: folded -> as first written."""
    stop = question_words()
    found: dict[str, str] = {}
    for match in name_pattern().finditer(text):
        name = match.group().rstrip(".'’-")
        first, _, rest = name.partition(" ")
        name = rest if rest and fold(first) in stop else name
        folded = fold(name)
        if len(name) > 1 and folded not in stop:
            found.setdefault(folded, name)
            if len(found) == MOST:
                break
    return found
