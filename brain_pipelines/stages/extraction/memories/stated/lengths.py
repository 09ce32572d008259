"""How long a change lasts that ends by itself: "the bus goes round by the mill for two weeks", "vier Wochen lang".

Only of a change, a denial, or what begins on a stated day: "the milk keeps for two weeks" is so at any time, and "we
were in Rome for two weeks" has been. What has lasted so long by now ("seit zwei Wochen", "has been ill for a month")
states no end.
"""

import re
from collections.abc import Collection
from datetime import date
from functools import cache

from dateutil.relativedelta import relativedelta

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.sentence import Sentence
from brain_pipelines.stages.extraction.memories.stated.date_words import Phrase
from brain_pipelines.stages.extraction.memories.stated.tenses import PAST, tense_of
from brain_retrieval.language.lexicon import ENGLISH, NOTHING, SHARED
from brain_retrieval.language.plain import plain, word_expression

_UNITS = {
    "day": relativedelta(days=1),
    "week": relativedelta(weeks=1),
    "month": relativedelta(months=1),
    "year": relativedelta(years=1),
}
_PAST_FORM, _PARTICIPLE, _HAVE = "VBD", "VBN", "have"


def end_of_length(sentence: Sentence, begins: date | None, *, changes: bool) -> date | None:
    """Return the first day on which what a sentence says holds no longer, None if it states no length of a change.

    Args:
        sentence: the sentence.
        begins: the day from which it holds, if it states one; else the day on which it was said.
        changes: whether it states a change or a denial.
    """
    language = sentence.language or ENGLISH
    if begins is None and not changes:
        return None
    found = _length(language).search(plain(sentence.text))
    if found is None or _recurring(language).search(plain(sentence.text)) or _lasts_by_now(sentence):
        return None
    phrase = Phrase(found.start(), found.end(), "", found.group())
    past = sum(word.tag == _PAST_FORM for word in sentence.words)
    if begins is None and not found["next"] and tense_of(sentence, phrase) == PAST and past != 1:
        return None  # "we were away for two weeks and sold the car"
    count = _count(language, found["count"] or found["count2"])
    unit = _units(language)[found["unit"] or found["unit2"]]
    try:
        return (begins or sentence.said_on) + count * _UNITS[unit]
    except (ValueError, OverflowError):
        return None


def _lasts_by_now(sentence: Sentence) -> bool:
    """Return whether an English sentence has a verb in the perfect: "has been ill for two weeks"."""
    words = sentence.words
    perfect: Collection[int] = {word.head for word in words if word.lemma == _HAVE and word.pos == "AUX"}
    return any(words[place].tag == _PARTICIPLE for place in perfect if 0 <= place < len(words))


def _count(language: str, written: str) -> int:
    return int(written) if written.isdigit() else _numbers(language)[written]


@cache
def _numbers(language: str) -> dict[str, int]:
    numbers = {plain(word): int(value) for word, value in SHARED.read("dates", language).table("numbers").items()}
    return {**dict.fromkeys(map(plain, LEXICONS.read("stated_dates", language).listed("one")), 1), **numbers}


@cache
def _units(language: str) -> dict[str, str]:
    return {plain(word): unit for word, unit in LEXICONS.read("stated_dates", language).table("units").items()}


@cache
def _length(language: str) -> re.Pattern[str]:
    """Return a pattern of plain text for a length of time behind "for", or before "lang"."""
    if not LEXICONS.has("stated_dates", language):
        return re.compile(NOTHING)
    own = LEXICONS.read("stated_dates", language)
    keys = ("lasting_before", "lasting_next", "lasting_after")
    before, coming, after = (word_expression(own.listed(key)) for key in keys)
    count = rf"\d{{1,2}}|{word_expression(_numbers(language))}"
    unit = word_expression(_units(language))
    behind = rf"(?:{before}|(?P<next>{coming}))\s(?P<count>{count})\s(?P<unit>{unit})"
    leading = rf"(?P<count2>{count})\s(?P<unit2>{unit})\s(?:{after})"
    return re.compile(rf"(?<!\w)(?:{behind}|{leading})(?!\w)")


@cache
def _recurring(language: str) -> re.Pattern[str]:
    """Return a pattern for words by which what lasts so long does so again and again: "every summer"."""
    if not LEXICONS.has("stated_dates", language):
        return re.compile(NOTHING)
    own = LEXICONS.read("stated_dates", language)
    words = [*own.listed("recurring"), *own.listed("habitual"), *own.listed("each_time")]
    return re.compile(rf"(?<!\w)(?:{word_expression(words)})(?!\w)")
