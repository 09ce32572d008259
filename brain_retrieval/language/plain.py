"""Text in lower case without accents, of the same length as the original, and patterns for word lists over it.

Content words, months and units are compared without accents, so that "últimos", "Ultimos" and "ÚLTIMOS" are one word;
words of grammar with them. Every match keeps its place in the original text. A list may hold beginnings of words, and
expressions with a gap of a few words: `wohn*` is any word of "wohn…", `kein* .. mehr` is "keinen Kaffee mehr".
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from brain_retrieval.language.folding import without_accents
from brain_retrieval.language.lexicon import NOTHING

_MARKS = str.maketrans("’‘ʼ´`＇\u00a0\u202f", "''''''  ")
REST = 16  # letters that may follow the beginning of a word
_REST = rf"\w{{0,{REST}}}"
_BLANK = r"\s{1,2}"
_GAP = r"(?:\s\S{1,20}){0,7}\s"  # a few words between two words


@lru_cache(maxsize=1 << 14)
def plain(text: str) -> str:
    """Return `text` in lower case without accents and with plain apostrophes, character by character.

    >>> plain("Él se mudó a Köln")
    'el se mudo a koln'
    """
    if text.isascii():
        return text.translate(_MARKS).lower()
    return "".join(_letter(char) for char in text.translate(_MARKS))


def lowered(text: str) -> str:
    """Return `text` in lower case with its accents, which tell "wurde" from "würde" and "e" from "é"."""
    marked = text.translate(_MARKS)
    low = marked.lower()
    if len(low) == len(marked) and "Σ" not in marked:  # whose form depends on what follows it
        return low
    return "".join(char.lower()[:1] for char in marked)


def word_pattern(entries: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern for any of `entries` as whole words in lowered text, the longest first."""
    return re.compile(rf"(?<!\w)(?:{word_expression(entries, lowered)})(?!\w)")


def word_expression(entries: Iterable[str], form_of: Callable[[str], str] = plain) -> str:
    """Return the alternatives of `entries`, in their plain or lowered form, without the bounds of words."""
    forms = sorted({form_of(entry) for entry in entries}, key=lambda form: (-len(form), form))
    return "|".join(expression_of(form) for form in forms) or NOTHING


def expression_of(form: str) -> str:
    """Return the regular expression of one entry in its plain or lowered form."""
    return re.escape(form).replace(r"\ \.\.\ ", _GAP).replace(r"\*", _REST).replace(r"\ ", _BLANK)


def _letter(char: str) -> str:
    if char.isascii():
        return char.lower()
    low = char.lower()
    bare = without_accents(low) if len(low) == 1 else char
    return bare if len(bare) == 1 else char.lower()[:1]
