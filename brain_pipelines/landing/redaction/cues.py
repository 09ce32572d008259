"""Words that say what the number after them is ("tel", "n° de sécu", "invoice"), in all languages at once.

A text is searched for numbers, which are rare, and only the words before each number are looked up.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from brain_pipelines.landing.redaction.lexicons import LEXICONS

SUBJECT = "redaction"
OTHER = "OTHER"
REACH = 48  # characters before a number in which a word counts
MOST_WORDS = 4  # of one cue
FAR = 5  # words between a cue and its number
_WORD = re.compile(r"[^\W\d_]+|\d+")


class Cue(NamedTuple):
    """What the nearest known word says, and the words between it and the number."""

    kind: str
    between: tuple[str, ...]

    @property
    def is_beside(self) -> bool:
        """Return whether nothing but words such as "number", "of the", "is" stands before the number."""
        return all(word in word_set("between") or word in word_set("joints") for word in self.between)


@cache
def cues() -> dict[str, str]:
    """Return what each cue says, over all languages; its words are joined by single blanks."""
    found: dict[str, str] = {}
    for language in LEXICONS.languages(SUBJECT):
        for words, kind in LEXICONS.read(SUBJECT, language).table("cues").items():
            found.setdefault(words, kind)
    return found


def words_of(key: str) -> tuple[str, ...]:
    """Return the words of `key` in all languages, English first."""
    return LEXICONS.every_language(SUBJECT).listed(key)


@cache
def word_set(key: str) -> frozenset[str]:
    """Return the words of `key` in all languages, for look-ups."""
    return frozenset(words_of(key))


def cue_before(text: str, position: int) -> Cue | None:
    """Return the nearest cue before `position` in the same line; another number in between ends the search."""
    before = text[max(0, position - REACH) : position].rpartition("\n")[2].lower()
    words = _WORD.findall(before)
    known = cues()
    for distance in range(min(FAR, len(words) - 1) + 1):
        last = len(words) - distance
        for first in range(max(0, last - MOST_WORDS), last):
            kind = known.get(" ".join(words[first:last]))
            if kind:
                return Cue(kind, tuple(words[last:]))
        if words[last - 1].isdigit():
            return None
    return None


def lowered(text: str) -> str:
    """Return the text in lower case, with blanks for "_" and "-", of the same length as the text."""
    low = text.lower()
    if len(low) != len(text):  # "İ" becomes two characters
        low = "".join(char.lower()[:1] for char in text)
    return low.replace("_", " ").replace("-", " ")


def ends_of(low: str, words: tuple[str, ...], *, inside: int) -> Iterator[tuple[int, str]]:
    """Yield the end of each occurrence of `words` in a text that `lowered` returned, and the word.

    A word of `inside` or more characters may end a longer one ("PGPASSWORD"). Searching for plain strings costs a
    fraction of what an expression with as many alternatives does.
    """
    for word in words:
        position = low.find(word)
        while position >= 0:
            end = position + len(word)
            starts = position == 0 or len(word) >= inside or not low[position - 1].isalnum()
            if starts and not low[end : end + 1].isalnum():
                yield end, word
            position = low.find(word, end)
