"""Names of people in languages that decline them: "z Kasią", "dla Adama Nowaka" → "Kasia", "Adam Nowak".

Only a form of a listed given name is changed, so a word that is none stays as it is written.
"""

from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.gazetteers import every_given_name, short_forms
from brain_retrieval.language.lexicon import code_of

_SUBJECT = "declension"
LEAST = 2  # letters of a given name that stay as they are


def nominative(word: str, language: str | None) -> str | None:
    """Return the listed given name that a word is a case of, None if it is none or stands for itself."""
    if not LEXICONS.has(_SUBJECT, language) or word in every_given_name():
        return None
    return _nominative(word, code_of(language))


@cache
def _nominative(word: str, language: str) -> str | None:
    for ending, others in _endings("given", language):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= LEAST:
            for other in others:
                if stem + other in every_given_name() or stem + other in short_forms(language):
                    return stem + other
    return None


def as_called(name: str, language: str | None) -> str:
    """Return a person's name in the nominative; one whose first word is no case of a listed name stays.

    >>> as_called("Adamem Małyszem", "pl"), as_called("Anny Kowalskiej", "pl"), as_called("Kasią", "en")
    ('Adam Małysz', 'Anna Kowalska', 'Kasią')
    """
    first, *rest = name.split(" ")
    given = nominative(first, language)
    if given is None:
        return name
    case = first.removeprefix(given)  # "em" of "Adamem", where the name has no ending of its own
    return " ".join([given, *(_surname(word, case if case != first else "", code_of(language)) for word in rest)])


def _surname(word: str, case: str, language: str) -> str:
    """Return a surname in the nominative, by its own ending, else without the case that the given name has, too."""
    for ending, others in _endings("surnames", language):
        if word.endswith(ending):
            return word.removesuffix(ending) + others[0]
    return word.removesuffix(case) if case else word


@cache
def _endings(table: str, language: str) -> list[tuple[str, list[str]]]:
    """Return the endings of cases, longest first, with those of the nominative that each may stand for."""
    found = LEXICONS.read(_SUBJECT, language).table(table)
    longest = sorted(found, key=lambda end: (-len(end), end))
    return [(end, found[end].split(" ")) for end in longest]
