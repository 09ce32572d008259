"""Words of names, and the words of all languages for "until" and "since", as memories are compared by them."""

import re
from collections.abc import Iterable
from functools import cache, lru_cache

from brain_retrieval.language.content_words import content_words, word_form
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import plain, word_expression, word_pattern


@cache
def until() -> str:
    """Return an expression of the words of all languages for "until"."""
    return rf"(?<!\w)(?:{word_expression(SHARED.every_language('question_times').listed('until'), plain)})"


@cache
def since() -> re.Pattern[str]:
    """Return a pattern for the words of all languages for "since"."""
    return word_pattern(SHARED.every_language("question_times").listed("since"))


@cache
def of_days() -> frozenset[str]:
    """Return the words of all languages that days begin with: "Monday", "May", "first"."""
    dates, values = SHARED.every_language("dates"), SHARED.every_language("values")
    listed = (*dates.listed("months"), *dates.listed("weekdays"), *values.listed("ranks"))
    return frozenset(word_form(plain(word)) for word in listed)


@lru_cache(maxsize=1 << 14)
def of_name(name: str) -> frozenset[str]:
    return frozenset(content_words(name))


def words_of_names(names: Iterable[str]) -> frozenset[str]:
    return frozenset().union(*map(of_name, names))
