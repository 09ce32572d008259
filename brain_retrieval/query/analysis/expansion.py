"""Query expansion: other words for the content words of a question, from `expansion.toml` alone.

A group holds words that stand for one thing; a question with one of them is searched with the others as well.
"""

from functools import cache

from brain_retrieval.language.content_words import content_words, word_form
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import plain

SUBJECT = "expansion"
MOST_WORDS = 12


def expansion_of(text: str, language: str | None) -> tuple[str, ...]:
    """Return words for those of `text`, without any that it has.

    >>> expansion_of("What is Bob's salary?", "en")
    ('wage', 'pay', 'income', 'earn')
    """
    if language is None or not SHARED.has(SUBJECT, language):
        return ()
    own = content_words(text, language)
    others = (word for form in own for word in _groups(language).get(form, ()))
    return tuple(word for word in dict.fromkeys(others) if word_form(plain(word)) not in own)[:MOST_WORDS]


@cache
def _groups(language: str) -> dict[str, tuple[str, ...]]:
    lexicon = SHARED.read(SUBJECT, language)
    groups: dict[str, tuple[str, ...]] = {}
    for key in lexicon.keys:
        listed = lexicon.listed(key)
        for word in listed:
            groups[word_form(plain(word))] = (*groups.get(word_form(plain(word)), ()), *listed)
    return groups
