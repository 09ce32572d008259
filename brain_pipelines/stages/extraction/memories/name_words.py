"""Single words of texts that are not parsed: which are given names, and which large ones are no names at all."""

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
    return rarer_given_names().get(word) if known is None else known
