"""The language of a sentence by its function words, where nothing else tells it: memories are kept without theirs."""

import re
from functools import cache, lru_cache

from brain_retrieval.language.lexicon import ENGLISH, SHARED
from brain_retrieval.language.plain import lowered
from brain_retrieval.language.stop_words import STOP_WORDS, question_words

_WORD = re.compile(r"[^\W\d_]+")
_MOST_WORDS = 60  # looked at


@lru_cache(maxsize=1 << 14)
def language_by_words(text: str) -> str:
    """Return the code of the language that has the most function words of a text; English if no other has more.

    >>> language_by_words("Die Miete ist seit März höher"), language_by_words("Rent is 840")
    ('de', 'en')
    """
    words = _WORD.findall(lowered(text))[:_MOST_WORDS]
    codes = _codes()
    counts = {code: sum(word in question_words(code) for word in words) for code in codes}
    return max(codes, key=lambda code: (counts[code], code == ENGLISH))


@cache
def _codes() -> tuple[str, ...]:
    return tuple(sorted(SHARED.languages(STOP_WORDS)))
