"""Days of a month that stand without it: "on the 17th", "am 17.", "le 17 à 8h15", "dia 17".

People write so of days that are near. A day is meant only where a word leads to it and none follows that it would count
("the 3rd floor"), and not of what is due every month ("rent is due on the 3rd").
"""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.time.date_ranges import Period, shifted
from brain_pipelines.stages.extraction.memories.persons import writes_nouns_large
from brain_pipelines.stages.extraction.memories.stated.date_words import Phrase
from brain_pipelines.stages.extraction.memories.stated.tenses import FUTURE, PAST, UNKNOWN
from brain_retrieval.language.lexicon import ENGLISH, SHARED
from brain_retrieval.language.plain import plain, word_expression

INSTEAD = "instead"  # class of marker of a day that another has replaced: "the 17th, not the 12th"
FORM = re.compile(r"day ([1-9]|[12]\d|3[01])")  # how such a day is written in `Phrase.text`
_ORDINALS = frozenset({ENGLISH, "de"})  # languages in which a day is always written as one: "17th", "17."
_LOW = 6  # up to which a number behind "is" is rather a rank: "she is the 5th"
_JUST, _LATELY = timedelta(days=3), timedelta(days=16)
_MONTHS = 2  # looked at before and after: the next 31st is at most two months away


class _Grammar(NamedTuple):
    pattern: re.Pattern[str]
    markers: dict[str, str]
    monthly: re.Pattern[str]


def days_of_month(text: str, language: str, taken: list[Phrase]) -> Iterator[Phrase]:
    """Yield the days of a month that stand alone, from left to right, as "day 17"; none that overlaps `taken`."""
    if not (LEXICONS.has("stated_dates", language) and SHARED.has("dates", language)):
        return
    words, low = _grammar(language), plain(text)
    if words.monthly.search(low):
        return
    for match in words.pattern.finditer(low):
        start, end = match.span("date")
        marker, day = words.markers[" ".join(match["lead"].split())], int(match["day"])
        if any(start < other.end and other.start < end for other in taken) or (marker == "is" and day <= _LOW):
            continue
        if writes_nouns_large(language) and text[end:].lstrip()[:1].isupper():
            continue  # "am 3. Tag": the number of a noun
        yield Phrase(start, end, "" if marker in ("on", "is") else marker, f"day {day}")


def day_meant(phrase: Phrase, said: date, tense: str, before: date | None) -> Period | None:
    """Return the day that a number means, None if it may be one of two.

    Args:
        said: when it was said.
        tense: of what is said about it.
        before: the date that stands before it in the sentence, which it follows: "from 3 May until the 17th".
    """
    match = FORM.fullmatch(phrase.text)
    if match is None:
        return None
    number = int(match[1])
    if before is not None and phrase.marker == INSTEAD:
        return _period(min(_days(number, before), key=lambda day: abs(day - before)))
    if before is not None:
        return _period(next((day for day in _days(number, before) if day >= before), None))
    last = max((day for day in _days(number, said) if day <= said), default=None)
    following = min((day for day in _days(number, said) if day >= said), default=None)
    if phrase.marker == "since":
        return _period(last)
    if phrase.marker in ("until", "to", "for") or tense == FUTURE or last is None:
        return _period(following)
    if tense == PAST:
        return _period(last) if said - last <= _LATELY else None
    if tense == UNKNOWN and timedelta(0) < said - last <= _JUST:
        return None
    return _period(following)


def _days(number: int, around: date) -> list[date]:
    """Return the days with this number in the months around a date, in order."""
    first = around.replace(day=1)
    months = (shifted(first, count, "month") for count in range(-_MONTHS, _MONTHS + 1))
    days = ((month, shifted(month, number - 1, "day")) for month in months)
    return [day for month, day in days if day.month == month.month]


def _period(day: date | None) -> Period | None:
    return None if day is None else Period(day, day + timedelta(days=1))


@cache
def _grammar(language: str) -> _Grammar:
    own, dates = LEXICONS.read("stated_dates", language), SHARED.read("dates", language)
    markers = {plain(lead): marker for lead, marker in own.table("day_leads").items()}
    follows = word_expression(own.listed("day_follows"))
    ordinal = rf"(?:{word_expression(dates.listed('ordinals'))})" + ("" if language in _ORDINALS else "?")
    ends = rf"(?=\s*(?:$|[.,;:!?)\]–—-](?![\d-]))|\s(?:{follows})(?!\w)|\s\(|\s\d{{1,2}}[:h.]\d\d)"
    day = rf"(?P<day>[1-9]|[12]\d|3[01]){ordinal}(?![\w%€$£])"
    pattern = rf"(?<![\w.,/-])(?P<lead>{word_expression(markers)})\s(?P<date>{day}){ends}"
    monthly = rf"(?<!\w)(?:{word_expression(own.listed('monthly'))})(?!\w)"
    return _Grammar(re.compile(pattern), markers, re.compile(monthly))
