"""Word lists of questions as patterns, by language, and the language of a question.

The lists are `questions.toml` and `question_times.toml` of `language/lexicons`. Patterns match text in the form of
`language/plain.py`: lower case, without accents, character by character as long as the original.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from brain_retrieval.language.lexicon import SHARED, Lexicon, code_of
from brain_retrieval.language.plain import lowered, plain, word_expression
from brain_retrieval.language.stop_words import question_words
from brain_retrieval.language.topics import topics_in
from brain_retrieval.language.word_search import WordSearch

QUESTIONS, TIMES = "questions", "question_times"
_WORD = re.compile(r"[^\W\d_]+")
_SIGNS = ("who", "where", "when", "how_many", "why", "what", "yes_no")
_CONTENT = ("place_nouns", "person_nouns", "number_nouns", "time_nouns", "states", "degrees", "relations", "explores")
_TIME_KEYS = ("units", "days", "seasons", "many_seasons", "parts", "ago_before", "ago_after")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
MOST_WORDS = 60  # looked at for the language
LEAST_SIGNS = 2  # of a language that is not the user's, if that has no rules; fewer are weighed against times
LEAST_TIMES = 2  # words for times, of which a year is one, that tell the language of a text of few words


@cache
def pattern(key: str, language: str, subject: str = QUESTIONS) -> re.Pattern[str]:
    """Return a pattern for the words of `key` as whole words."""
    return re.compile(rf"(?<!\w)(?:{expression(language, subject, key)})(?!\w)")


def expression(language: str, subject: str, *keys: str) -> str:
    """Return a regular expression for any words of `keys`."""
    words = _lexicon(subject, language)
    return word_expression((word for key in keys for word in words.listed(key)), lambda word: form(word, language))


def form(text: str, language: str) -> str:
    """Return `text` as patterns match it: plain, but for words that would be others without their accents."""
    if text.isascii() or not (kept := _accented(language)):
        return plain(text)
    low = lowered(text)
    return _WORD.sub(lambda match: match.group() if match.group() in kept else plain(match.group()), low)


@cache
def _accented(language: str) -> frozenset[str]:
    return frozenset(lowered(word) for word in _lexicon(QUESTIONS, language).listed("accented"))


@cache
def raw_pattern(key: str, language: str, subject: str = QUESTIONS) -> re.Pattern[str]:
    """Return a pattern for `key`, whose entries are regular expressions over plain text."""
    return re.compile(rf"(?<!\w)(?:{_lexicon(subject, language).expression(key)})(?!\w)")


@cache
def table(key: str, language: str, subject: str = QUESTIONS) -> Mapping[str, str]:
    """Return the words of `key`, plain, with their values."""
    return {form(word, language): value for word, value in _lexicon(subject, language).table(key).items()}


@cache
def words(key: str, language: str, subject: str = QUESTIONS) -> frozenset[str]:
    """Return the words of `key`, plain."""
    return frozenset(form(word, language) for word in _lexicon(subject, language).listed(key))


def has(key: str, text: str, language: str) -> bool:
    """Return whether plain `text` has a word of `key`."""
    return bool(_searched(key, language).keys_in(text))


@cache
def _searched(key: str, language: str) -> WordSearch:
    return WordSearch({key: _lexicon(QUESTIONS, language).listed(key)}, lambda word: form(word, language))


def language_of(text: str, preferred: str | None, languages: Sequence[str] = ()) -> str | None:
    """Return the language of a question by its function words: that of the user unless another has more.

    None if it is a language without rules.

    Args:
        text: the question.
        preferred: the language of the user, as it is set.
        languages: those in which the user's sources are written, the commonest first. A question of a word or two
            ("Miete?") has no function words; it is in one of these unless its words are of another.
    """
    known = SHARED.languages(QUESTIONS)
    own = code_of(preferred)
    tokens = _WORD.findall(lowered(text))[:MOST_WORDS]
    counts = {code: sum(token in _signs(code) for token in tokens) for code in known}
    most = max(counts.values())
    best = [code for code in known if counts[code] == most]
    if most < LEAST_SIGNS and (written := [code for code in languages if code in known]):
        return _by_words(text, counts, written, own)
    if own in best:
        return own if most >= LEAST_SIGNS else _by_times(text, best, own)
    if own not in known and most < LEAST_SIGNS:
        return None
    return max(reversed(best), key=lambda code: _likeness(text, code) + (code in languages))


def _by_words(text: str, counts: Mapping[str, int], written: Sequence[str], own: str) -> str:
    """Return the language of a short question by the topics and kinds of things that its words stand for.

    Of several it is that of the user, if the user writes in it, else the commonest of those that the user writes.
    """
    first = [own, *written] if own in written else [*written, own]
    codes = dict.fromkeys((*first, *(code for code in sorted(counts) if counts[code])))
    return max(
        codes,
        key=lambda code: counts[code] + _likeness(text, code) + len(topics_in(text, code)) + (code in written),
    )


def _by_times(text: str, codes: list[str], own: str) -> str:
    """Return the language of `codes` whose words for times a text of few words has, else `own`: "Ende Mai 2024"."""
    counts = {code: _times_in(text, code) for code in codes}
    other = max(codes, key=lambda code: counts[code])
    enough = counts[other] + bool(_YEAR.search(text)) >= LEAST_TIMES
    return other if counts[other] > counts[own] and enough else own


def _times_in(text: str, language: str) -> int:
    return sum(token in _time_words(language) for token in _WORD.findall(form(text, language))[:MOST_WORDS])


@cache
def _time_words(language: str) -> frozenset[str]:
    dates, times = SHARED.read("dates", language), _lexicon(TIMES, language)
    listed = [word for key in ("months", "weekdays", "numbers") for word in dates.listed(key)]
    listed += [word for key in _TIME_KEYS for word in times.listed(key)]
    return frozenset(part for word in listed for part in form(word, language).split() if len(part) > 2)


@cache
def _signs(language: str) -> frozenset[str]:
    listed = [word for key in _SIGNS for word in _lexicon(QUESTIONS, language).listed(key)]
    return frozenset(lowered(word) for word in (*listed, *question_words(language)))


def _likeness(text: str, language: str) -> int:
    """Return how many letters and other words of a language `text` has."""
    letters = sum(lowered(text).count(letter) for letter in _lexicon(QUESTIONS, language).listed("letters"))
    return (
        2 * letters
        + _times_in(text, language)
        + sum(len(pattern(key, language).findall(form(text, language))) for key in _CONTENT)
    )


def _lexicon(subject: str, language: str) -> Lexicon:
    return SHARED.read(subject, language)
