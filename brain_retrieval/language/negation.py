"""Negation words by language, shared by clause parsing, checks of model output, and memory entries."""

import re
from functools import cache

from brain_retrieval.language.lexicon import NOTHING, SHARED, Lexicon, code_of

_NEGATING = ("adverbs", "pronouns", "determiners", "contractions")


@cache
def negation_words(key: str, language: str | None = None) -> frozenset[str]:
    """Return the negating words of one part of speech, a key of `negation.toml`; none of a language without a list."""
    lexicon = _lexicon(language)
    return lexicon.words(key) if lexicon else frozenset()


def languages_that_deny() -> tuple[str, ...]:
    """Return the languages that have a list of negating words."""
    return SHARED.languages("negation")


@cache
def negation(language: str | None = None, *, absence: bool = False) -> re.Pattern[str]:
    """Return a pattern that matches each negating word; `absence` adds "without". Apostrophes must be plain."""
    lexicon = _lexicon(language)
    keys = (*_NEGATING, "absence") if absence else _NEGATING
    endings = lexicon.pattern("endings") if lexicon else NOTHING  # "n't" belongs to the word before it
    words = lexicon.pattern(*keys) if lexicon else NOTHING
    return re.compile(rf"(?:\b(?:{words})|(?:{endings}))(?!\w)", re.IGNORECASE)


@cache
def not_denials(language: str | None = None) -> re.Pattern[str]:
    """Return a pattern for expressions that look like negations but are not: "not only", "no doubt"."""
    lexicon = _lexicon(language)
    return re.compile(rf"\b(?:{lexicon.pattern('no_denial')})\b" if lexicon else NOTHING, re.IGNORECASE)


def _lexicon(language: str | None) -> Lexicon | None:
    code = code_of(language)
    return SHARED.read("negation", code) if SHARED.has("negation", code) else None
