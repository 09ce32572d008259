"""Which large words are common nouns, in a language that writes every noun as large as a name."""

from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.large_words import calendar_words, no_names
from brain_pipelines.stages.extraction.memories.writing import words_around
from brain_retrieval.language.lexicon import Lexicon, code_of

_SUBJECT = "nouns"
LEAST = 4  # letters of a noun that also ends longer ones: "Elternabend"
MORE = 2  # letters before it


def is_noun(word: str, language: str | None) -> bool:
    """Return whether a word is a listed noun, or ends with one: "Abend", "Elternabend"; without a list none is.

    >>> is_noun("Elternabend", "de"), is_noun("Greetsiel", "de")
    (True, False)
    """
    return LEXICONS.has(_SUBJECT, language) and _is_noun(word.lower().strip("-"), code_of(language))


@cache
def _is_noun(low: str, code: str) -> bool:
    lexicon = LEXICONS.read(_SUBJECT, code)
    known = lexicon.words("nouns")
    if low in known or low in no_names() or low in calendar_words():
        return True
    if low.endswith(_endings(code)):
        return True
    towns = tuple(words_around("town_endings", code) | lexicon.words("name_endings"))
    if low.endswith(towns):
        return False
    bare = {low, *(low.removesuffix(case) for case in lexicon.listed("cases"))}
    return any(form[cut:] in known for form in bare for cut in (0, *range(MORE, len(form) - LEAST + 1)))


def is_surname_too(word: str, language: str | None) -> bool:
    """Return whether a listed noun is a usual surname: "Koch"."""
    return LEXICONS.has(_SUBJECT, language) and word.lower() in _lexicon(language).words("surnames")


def is_kind(word: str, language: str | None) -> bool:
    """Return whether a word before a hyphen is no name: "Online-Apotheke", "Kinder-Klinik"."""
    return is_noun(word, language) or word.lower() in _lexicon(language).words("kinds")


def _lexicon(language: str | None) -> Lexicon:
    return LEXICONS.read(_SUBJECT, code_of(language))


@cache
def _endings(code: str) -> tuple[str, ...]:
    return LEXICONS.read(_SUBJECT, code).listed("noun_endings")
