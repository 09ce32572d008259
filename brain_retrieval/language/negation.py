"""Words that deny, by language: the one list, for parsed clauses, statements of a model, and memory entries."""

import re
from functools import cache

from brain_retrieval.language.lexicon import NOTHING, SHARED, Lexicon, code_of

_NEGATING = ("adverbs", "pronouns", "determiners", "contractions")


@cache
def negation_words(key: str, language: str | None = None) -> frozenset[str]:
    """Return the negating words of one part of speech, a key of `negation.toml`; none of a language without a list."""
    lexicon = _lexicon(language)
    return lexicon.words(key) if lexicon else frozenset()


@cache
def negation(language: str | None = None, *, absence: bool = False) -> re.Pattern[str]:
    """Return what finds each negating word of a text with plain apostrophes; with `absence` "without" too."""
    lexicon = _lexicon(language)
    keys = (*_NEGATING, "absence") if absence else _NEGATING
    endings = lexicon.pattern("endings") if lexicon else NOTHING  # "n't" belongs to the word before it
    words = lexicon.pattern(*keys) if lexicon else NOTHING
    return re.compile(rf"(?:\b(?:{words})|(?:{endings}))(?!\w)", re.IGNORECASE)


@cache
def not_denials(language: str | None = None) -> re.Pattern[str]:
    """Return what looks like a denial and is none: "not only", "no doubt"."""
    lexicon = _lexicon(language)
    return re.compile(rf"\b(?:{lexicon.pattern('no_denial')})\b" if lexicon else NOTHING, re.IGNORECASE)


def _lexicon(language: str | None) -> Lexicon | None:
    code = code_of(language)
    return SHARED.read("negation", code) if SHARED.has("negation", code) else None
