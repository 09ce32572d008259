"""Content words of a text in a light common form, for matching without a model in any of the known languages.

A word is brought to a form without accents and without its plural or case ending. The ending is cut with care, since
names are words too: "Jan" and "Jana", "Mario" and "Maria" stay apart. The forms are only compared, never shown.
"""

import re
from functools import cache, lru_cache

from brain_retrieval.language.lexicon import SHARED, code_of
from brain_retrieval.language.plain import lowered, plain
from brain_retrieval.language.stop_words import function_words

WORD = re.compile(r"[^\W_]{1,40}")
_ENDINGS = (("ies", "y", 3), ("ing", "", 4), ("ed", "", 4), ("es", "", 4), ("en", "", 4), ("e", "", 4), ("s", "", 3))
_ENDINGS += (("n", "", 5), ("o", "", 5), ("i", "", 5))
LEAST = 2  # letters of a content word
KEPT = 120  # characters of a text whose words are kept for the next time


def content_words(text: str, language: str | None = None) -> tuple[str, ...]:
    """Return the distinct content words of `text` in their order, in the form of `word_form`.

    >>> content_words("The boxes of Jana's shop", "en")
    ('box', 'jana', 'shop')
    """
    code = code_of(language) if language else ""
    return _kept_words(text, code) if len(text) <= KEPT else _content_words(text, code)


def _content_words(text: str, code: str) -> tuple[str, ...]:
    stop = _stop_words(code)
    words = (match.group() for match in WORD.finditer(lowered(text)))
    kept = (word for word in words if len(word) >= LEAST and word not in stop and not word.isdecimal())
    return tuple(dict.fromkeys(word_form(plain(word)) for word in kept))


_kept_words = lru_cache(maxsize=1 << 13)(_content_words)  # one question reads the same names and titles many times


@lru_cache(maxsize=1 << 16)
def word_form(word: str) -> str:
    """Return a plain word without its inflection, as far as that is safe without knowing the language.

    >>> [word_form(word) for word in ("wohnungen", "cities", "rents", "jana")]
    ['wohnung', 'city', 'rent', 'jana']
    """
    for ending, instead, least in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= least:
            stem = word[: -len(ending)] + instead
            return stem[:-1] if ending == "s" and stem.endswith("e") and len(stem) > least + 1 else stem
    return word


@cache
def _stop_words(code: str) -> frozenset[str]:
    codes = [code] if SHARED.has("stop_words", code) else list(SHARED.languages("stop_words"))
    return frozenset(lowered(word) for each in codes for word in function_words(each))
