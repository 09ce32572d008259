"""Word lists of evidence as data, a folder for each language, in the format of brain_retrieval.language."""

from functools import cache
from pathlib import Path
from re import Pattern

from brain_retrieval.language.lexicon import ENGLISH, Lexicon, Lexicons, code_of
from brain_retrieval.language.plain import word_pattern

LEXICONS = Lexicons(Path(__file__).parent)
CLAIMS, KINDS, OPPOSITES, SINGLE = "claims", "kinds", "opposites", "single"


def known(language: str | None) -> str:
    """Return the code of a language that has claim word lists, else English."""
    code = code_of(language)
    return code if LEXICONS.has(CLAIMS, code) else ENGLISH


@cache
def claim_words(language: str) -> Lexicon:
    """Return the words of claims in a language of `known`."""
    return LEXICONS.read(CLAIMS, language)


@cache
def listed(key: str, language: str) -> frozenset[str]:
    """Return the words of a key of `claims.toml`."""
    return claim_words(language).words(key)


@cache
def pattern(key: str, language: str) -> Pattern[str]:
    """Return a pattern for the entries of a key of `claims.toml` as whole words of lowered text."""
    return word_pattern(claim_words(language).listed(key))


@cache
def families(key: str) -> frozenset[str]:
    """Return the families of a key of `single.toml`."""
    return LEXICONS.read(SINGLE).words(key)
