"""What a model's line says of quantities and times against its sentence, beyond the digits: units, words, order.

`checks.py` compares digits and names. Without any of them "two" can become "three", "euros" become "dollars", "more
than 900" become 900, two amounts change places, and in languages that write months in small letters one become another.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_retrieval.language.lexicon import ENGLISH, SHARED
from brain_retrieval.language.plain import plain
from brain_retrieval.language.stop_words import function_words
from brain_retrieval.language.values import find_values, is_measure

# "last Friday" and "second thoughts" are of this dimension, too: it may be left out, not be another one.
RANK = "rank"
SPANS_OF_TIME = frozenset({"day", "week", "month", "year"})

Amount = tuple[str, str]  # dimension and value, see `find_values`


def quantity_fault(said: str, line: str, known: str, language: str | None, *, dated: bool) -> str:
    """Return which quantity or time a line loses or adds, "" for none.

    Args:
        said: the sentence.
        line: what the model makes of it, without what stands in brackets.
        known: the sentence and its context, from which the line may take what it adds.
        language: of the sentence.
        dated: the line has a date in brackets, which may stand for "two days ago".
    """
    stated, held, given = (amounts(text, language) for text in (said, line, known))
    needed = [one for one in stated if one[0] != RANK and not (dated and one[0] in SPANS_OF_TIME)]
    lost = Counter(value for _, value in needed) - Counter(value for _, value in held)
    if lost or not _measured(needed, language) <= _measured(held, language):
        return "an amount is lost"
    if {value for _, value in held} - {value for _, value in given}:
        return "an amount is added"
    if _measured(held, language) - _measured(given, language):
        return "an amount is added"
    if any(not _in_order(_of(dimension, stated), _of(dimension, held)) for dimension, _ in stated):
        return "amounts have changed places"
    times, kept = _times(said, language), _times(line, language)
    if times - kept or kept - _times(known, language):
        return "a day or a month has changed"
    return ""


def may_state(day: str, text: str, language: str | None) -> bool:
    """Return whether a text may state an ISO year, month or day: its month or year, or else by a relative time."""
    low = plain(text)
    words = set(re.findall(r"[^\W\d_]+", low)) - function_words(_known(language))
    year, *rest = (int(part) for part in day.split("-"))
    months = {_months(language)[word] for word in words & set(_months(language))}
    months |= {int(month) for month in re.findall(r"\b\d{4}-(\d\d)\b", low)}
    if months:
        return not rest or rest[0] in months
    numbers = {int(number) for number in re.findall(r"(?<!\d)\d{1,4}(?!\d)", low)}
    return not numbers.isdisjoint({year, *rest}) or not words.isdisjoint(_relative_words(language))


def names_a_time(text: str, language: str | None) -> bool:
    """Return whether a text has a word of a time: a month, a weekday, "yesterday"."""
    return not set(re.findall(r"[^\W\d_]+", plain(text))).isdisjoint(_time_words(language) | _relative_words(language))


def amounts(text: str, language: str | None) -> list[Amount]:
    """Return the amounts of a text from left to right."""
    return [(value.dimension, value.value) for value in find_values(text, language)]


def _measured(found: Sequence[Amount], language: str | None) -> set[Amount]:
    """Return the amounts with a unit; what else a number counts may be named in other words."""
    return {(dimension, value) for dimension, value in found if is_measure(dimension, language)}


def _of(dimension: str, found: Sequence[Amount]) -> list[str]:
    return [value for other, value in found if other == dimension]


def _in_order(wanted: Sequence[str], held: Sequence[str]) -> bool:
    """Return whether the values that both have stand in one order; each may be said again."""
    common = set(wanted) & set(held)
    first, second = (list(dict.fromkeys(v for v in values if v in common)) for values in (wanted, held))
    return first == second


def _times(text: str, language: str | None) -> set[str]:
    known = _time_words(language)
    return {word for word in re.findall(r"[^\W\d_]+", plain(text)) if word in known}


@cache
def _relative_words(language: str | None) -> frozenset[str]:
    """Return the words of times that are counted from the day of saying: "yesterday", "last", "Monday"."""
    own = _known(language)
    words = [*LEXICONS.read("memorable", own).words("times"), *SHARED.read("dates", own).listed("weekdays")]
    return frozenset(map(plain, words))


@cache
def _months(language: str | None) -> dict[str, int]:
    dates = SHARED.read("dates", _known(language))
    months = {plain(word): number for number, word in enumerate(dates.listed("months"), 1)}
    return months | {plain(word): number for word, number in dates.table("short_months").items()}


def _known(language: str | None) -> str:
    return language if language and LEXICONS.has("stated_dates", language) else ENGLISH


@cache
def _time_words(language: str | None) -> frozenset[str]:
    """Return the months, weekdays and parts of a day of a language, in plain form."""
    own = _known(language)
    dates = SHARED.read("dates", own)
    words = [*dates.listed("months"), *dates.listed("weekdays"), *dates.table("short_months")]
    words += LEXICONS.read("stated_dates", own).listed("parts_of_day")
    return frozenset(map(plain, words)) - function_words(own)  # "may"
