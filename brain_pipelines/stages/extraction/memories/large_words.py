"""Large words of a text without a parse, and what they name where every noun is written large."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.persons import writes_nouns_large
from brain_pipelines.stages.extraction.memories.writing import ELISIONS, Writing, words_around
from brain_retrieval.language.lexicon import SHARED, code_of
from brain_retrieval.language.stop_words import function_words

LEAST_ACRONYM, MOST_ACRONYM = 3, 6
_HUMPED = re.compile(r"[a-zß-ÿ]{2}[A-Z][a-zß-ÿ]{2}")


@dataclass(frozen=True)
class Word:
    """A large word, and what stands before it: its name's particle, an article, or the beginning of a sentence."""

    text: str
    start: int
    end: int
    begins: bool = False
    determined: bool = False
    titled: bool = False
    before: str = ""  # the word before the run, in small letters
    called: bool = False  # behind who it is to someone: "ma cheffe, Mme Delmas"

    @property
    def low(self) -> str:
        return self.text.lower()


def end_of_organisation(run: Sequence[Word], language: str | None, writing: Writing) -> int:
    """Return where an organisation ends that its first word tells, where nouns are large; 0 if there is none.

    "Grundschule Eichdorf" is one if the text has no word "Eichdorf" with an article.
    """
    if len(run) < 2 or not writes_nouns_large(code_of(language)):
        return 0
    heads = tuple(words_around("organisation_heads", language))
    if not heads or not run[0].low.endswith(heads) or run[1].low.endswith(heads):
        return 0
    named = run[1].low not in writing.small and not writing.determined[run[1].low] and run[1].low not in no_names()
    return 2 if named else 0


def is_entered(word: Word, language: str | None, writing: Writing) -> bool:
    """Return whether one is in or comes to a place of this name, where nouns are large: "nach Neapel"."""
    if word.before not in words_around("place_before", language) or word.low in writing.small:
        return False
    return not writing.determined[word.low] and word.low not in words_around("no_places", language)


def ends_like_town(word: Word, language: str | None) -> bool:
    """Return whether a word ends as names of towns do, and not as a noun: "Waldkirchen"."""
    endings = tuple(words_around("town_endings", language))
    return bool(endings) and word.low.endswith(endings) and word.low not in endings


def is_written_as_brand(word: str) -> bool:
    """Return whether a word is an acronym or has large letters inside, which no noun has: "ADAC", "MediaMarkt"."""
    if word.isupper():
        return word.isalpha() and LEAST_ACRONYM <= len(word) <= MOST_ACRONYM
    return _HUMPED.search(word) is not None


@cache
def no_names() -> frozenset[str]:
    """Return the words of all languages that are large only by their place."""
    lexicon = LEXICONS.every_language("plain_names")
    words = lexicon.words("line_words") | lexicon.words("determiners") | lexicon.words("titles")
    persons = LEXICONS.every_language("persons")
    said = (word for key in persons.keys for entry in persons.listed(key) for word in entry.split())
    spoken = (function_words(language) for language in LEXICONS.languages("plain_names"))
    return words.union(map(str.lower, said), *spoken)


@cache
def calendar_words() -> frozenset[str]:
    """Return the months and weekdays of all languages, which headings write large: "Janeiro"."""
    dates = (
        SHARED.read("dates", language)
        for language in LEXICONS.languages("plain_names")
        if SHARED.has("dates", language)
    )
    return frozenset(word for one in dates for key in ("months", "weekdays") for word in one.listed(key))


def are_titles(word: str, titles: frozenset[str]) -> bool:
    """Return whether a word consists of titles: "dr", "dipl.-ing."."""
    return bool(word) and titles.issuperset(part.rstrip(".") for part in word.split("-"))


def is_of_text(word: Word, writing: Writing) -> bool | None:
    """Return whether a word is a name of who speaks in the text or was there, or the genitive of one; else None."""
    return word.text in writing.people or word.text.removesuffix("s") in writing.people or None


def is_no_surname(word: Word, language: str | None, writing: Writing) -> bool:
    """Return whether one word behind a title is none: a word of the text, an initial, another title ("Frau Dr.")."""
    titles = words_around("titles", language)
    return word.low in writing.small or len(word.text) == 1 or are_titles(word.low, titles)


def stands_alone(word: Word, writing: Writing) -> bool:
    """Return whether a large word is never written small, and stands without an article."""
    return word.low not in writing.small and writing.free[word.low] > 0


def is_pair(run: Sequence[Word], writing: Writing) -> bool:
    """Return whether the first two words also stand together inside a sentence: "Arts Martiaux", not "Voir Genas"."""
    return len(run) > 1 and (run[0].low, run[1].low) in writing.pairs


@cache
def saints() -> frozenset[str]:
    """Return the words before the name of a saint: "San", "Sankt"."""
    return LEXICONS.every_language("plain_names").words("saints")


@cache
def companies() -> frozenset[str]:
    """Return the legal forms of companies: "GmbH", "S.L."."""
    return LEXICONS.every_language("plain_names").words("companies")


def is_elided(text: str, end: int) -> bool:
    """Return whether a word is only what stands before an apostrophe: "L" of "L'Alta Corte"."""
    start = text.rfind(" ", 0, end) + 1
    match = ELISIONS.search(text, max(start, end - 8), end + 2)
    return match is not None and match.end(1) == end and match.group(1).lower() in _elided()


@cache
def _elided() -> frozenset[str]:
    return LEXICONS.every_language("plain_names").words("elided")
