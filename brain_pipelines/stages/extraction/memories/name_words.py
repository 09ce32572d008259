"""Single words of texts that are not parsed: which are given names, and which large ones are no names at all."""

from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.gazetteers import (
    every_given_name,
    given_names_of,
    rarer_given_names,
    short_forms,
)
from brain_pipelines.stages.extraction.local.names.people import CALLS, is_laughter
from brain_pipelines.stages.extraction.memories.declension import nominative
from brain_retrieval.language.lexicon import ENGLISH, code_of
from brain_retrieval.language.stop_words import function_words

_NOT_NAMES = LEXICONS.read("people").words("not_names")


def is_no_name(word: str) -> bool:
    """Return whether a large word is laughter or an interjection in any language: "Jajaja", "Okay"."""
    low = word.lower()
    return low in _NOT_NAMES or is_laughter(low) or (low in CALLS and word not in every_given_name())


def given_name(word: str, language: str | None) -> bool | None:
    """Return whether a word that is a listed given name, also declined, is nothing else; None if it is no name."""
    parts = word.split("-")
    if len(parts) > 1 and all(part.istitle() for part in parts):  # "Anna-Lena", neither "Anna-friendly" nor "Anna-CI"
        return every_given_name().get(word, every_given_name().get(parts[0]))
    form, code = nominative(word, language) or word, code_of(language)
    known = None if code == ENGLISH else given_names_of(code).get(form)
    known = every_given_name().get(form) if known is None else known
    if known is None and word in short_forms(language):
        return True
    known = rarer_given_names().get(word) if known is None else known
    return False if known and begins_speech(form, language) else known


def begins_speech(word: str, language: str | None) -> bool:
    """Return whether a given name of other languages is a word that begins sentences: "Mira" in Spanish."""
    code = code_of(language)
    return word.lower() in _words_of(code) and word not in given_names_of(code)


@cache
def _words_of(code: str) -> frozenset[str]:
    """Return words of a language other than English that are given names elsewhere, too: "Ella", "Mira" in Spanish."""
    if code == ENGLISH or not LEXICONS.has("plain_names", code):
        return frozenset()
    return function_words(code) | LEXICONS.read("plain_names", code).words("first_words")
