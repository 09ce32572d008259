"""The years of dates that do not state theirs but stand beside one that does, or by an event of one year."""

import itertools
import re
from collections.abc import Collection
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.time.date_ranges import Period
from brain_pipelines.stages.extraction.memories.stated.date_words import Phrase
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import plain, word_expression

_BESIDE = 20  # characters between a date and one that states its year
_RIGHT_BESIDE = 8  # between a date and "last year"
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NAME_OF_YEAR = re.compile(r"(?P<name>[^\W\d_]\w{1,30}) (?P<year>(?:19|20)\d\d)(?![\w.,:/-]*\d)")
_YEAR_OF_NAME = re.compile(r"(?<![\d.,:/-])(?P<year>20\d\d)(?P<names>(?: [A-Z][\w-]{1,30}){1,4}(?: [a-z]\w{2,20})?)")
_AHEAD = 2  # years for which an event is announced


class Dated(NamedTuple):
    """A date expression with its class of marker and its days."""

    phrase: Phrase
    period: Period


def with_years(found: list[Dated], said: date, past: Collection[int]) -> list[Dated]:
    """Give a day or month the year that the date beside it states: "in October 2019, at the start of Q4".

    Of "between May and October 2021" the first lies before the second. `past` has the characters at which dates of what
    has happened begin: "passed on 3 June, the next one is in June 2026".
    """
    found = _without_new_weekdays(found)
    for number, one in enumerate(found):
        if _YEAR.search(one.phrase.text) or not _calendar().fullmatch(plain(one.phrase.text)):
            continue
        for other in found[max(0, number - 1) : number] + found[number + 1 : number + 2]:
            year, most = _year_of(other)
            first, last = sorted((one.phrase, other.phrase), key=lambda phrase: phrase.start)
            if not year or not 0 <= last.start - first.end <= most or first.end > last.start:
                continue
            years = year - one.period.start.year
            moved = Period(*(_years_later(day, years) for day in one.period))
            if first is one.phrase and moved.start > other.period.end:
                moved = Period(*(_years_later(day, years - 1) for day in one.period))
            if one.phrase.start in past and moved.start > said:
                continue
            # "We alternate until the end of the year, from January Aisha joins us": what begins then comes after it.
            if first is other.phrase and first.marker == "until" and moved.start < other.period.end:
                continue
            found[number] = Dated(one.phrase, moved)
            break
    return found


def _year_of(one: Dated) -> tuple[int, int]:
    """Return the year that a date expression states, or is counted to ("last year"), and how near that has to be."""
    if stated := _YEAR.search(one.phrase.text):
        return int(stated.group()), _BESIDE
    start, end = one.period
    is_year = (start.month, start.day, end.month, end.day) == (1, 1, 1, 1) and end.year == start.year + 1
    return (start.year, _RIGHT_BESIDE) if is_year else (0, 0)


def with_years_of_events(found: list[Dated], text: str, said: date) -> list[Dated]:
    """Give days and months without a year that of the only event that a text names: "Linux Day 2014, 25 October".

    Not where another date states its year, and not for years that are more than two ahead of when it was said.
    """
    if not found:
        return found
    events = {int(match["year"]) for match in _NAME_OF_YEAR.finditer(text) if _is_yearly(match["name"])}
    events |= {int(match["year"]) for match in _YEAR_OF_NAME.finditer(text) if _is_held(match["names"])}
    others = {int(stated.group()) for one in found if (stated := _YEAR.search(one.phrase.text))}
    if len(events) != 1 or others - events or (year := events.pop()) > said.year + _AHEAD:
        return found
    return [in_year(one, year) if _calendar().fullmatch(plain(one.phrase.text)) else one for one in found]


def has_year(one: Dated) -> bool:
    """Return whether a date expression states its year."""
    return _YEAR.search(one.phrase.text) is not None


def is_of_calendar(one: Dated) -> bool:
    """Return whether a date is a day, month or quarter that is not counted from when it is said."""
    return _calendar().fullmatch(plain(one.phrase.text)) is not None


def in_year(one: Dated, year: int) -> Dated:
    """Return a date in another year."""
    return Dated(one.phrase, Period(*(_years_later(day, year - one.period.start.year) for day in one.period)))


def _is_yearly(name: str) -> bool:
    return name[0].isupper() and _yearly().search(plain(name)) is not None


def _is_held(names: str) -> bool:
    """Return whether names behind a year are those of an event: "2022 OpenJS World event", "2019 Annual Meeting"."""
    return any(_yearly().search(plain(name)) for name in names.split())


@cache
def _yearly() -> re.Pattern[str]:
    """Return a pattern for a word that names a yearly event by its end: "Day", "PyCon", "Stadtfest"."""
    return re.compile(rf"(?:{word_expression(LEXICONS.every_language('stated_dates').listed('yearly'), plain)})\Z")


def _years_later(day: date, years: int) -> date:
    try:
        return day.replace(year=day.year + years)
    except ValueError:  # 29 February
        return day.replace(year=day.year + years, day=28)


@cache
def _calendar() -> re.Pattern[str]:
    """Return a pattern for a day, month or quarter that is not counted from when it is said: "early May", "Q4"."""
    dates = SHARED.read("dates")
    month = word_expression([plain(name) for name in (*dates.listed("months"), *dates.table("short_months"))])
    day = rf"(?:{month}|q[1-4]|\d{{1,2}}[./]\d{{1,2}})"
    return re.compile(rf"(?!.*\b(?:last|next|this|past|coming|previous)\b).*\b{day}\b.*")


def _without_new_weekdays(found: list[Dated]) -> list[Dated]:
    """Leave out a weekday to which something changes from a day or month on: "from May the class moves to Tuesday"."""

    def is_new(number: int, one: Dated) -> bool:
        begins = (first for first in found[:number] if first.phrase.marker in ("from", "since"))
        return one.phrase.marker == "to" and _is_weekday(one) and any(not _is_weekday(first) for first in begins)

    return [one for number, one in enumerate(found) if not is_new(number, one)]


def completed(found: list[Dated], said: date, past: Collection[int]) -> list[Dated]:
    """Put the start of a range before its end: "from 1 September to 28 February 2025", "Wednesday through Monday".

    `past` has the characters at which dates of what has happened begin.
    """
    for number, (first, last) in enumerate(itertools.pairwise(found)):
        if last.phrase.marker not in ("until", "to"):
            continue
        start, end = first.period.start, last.period.end
        backward = start >= end or end - start > timedelta(days=366)
        beside = last.phrase.start - first.phrase.end <= _RIGHT_BESIDE or first.phrase.marker == "from"
        if _is_weekday(first) and _is_weekday(last) and beside:  # "from Wednesday morning until Saturday night"
            found[number], found[number + 1] = _days_of_week(first, last, said if first.phrase.start in past else None)
        elif first.phrase.marker == "from" and backward and not has_year(first) and not _is_weekday(first):
            year = end.year - (1 if (start.month, start.day) > (end.month, end.day) else 0)
            moved = start.replace(year=year, day=min(start.day, 28))
            found[number] = Dated(first.phrase, Period(moved, moved + timedelta(days=1)))
    return found


def _days_of_week(first: Dated, last: Dated, said: date | None) -> tuple[Dated, Dated]:
    """Return both ends of a range of weekdays in one week, of what had happened by `said` the last one before it."""
    length = (last.period.start - first.period.start) % timedelta(days=7)
    start = first.period.start
    if said and said < start + length:
        start -= timedelta(days=7)
    return (
        Dated(first.phrase, Period(start, start + timedelta(days=1))),
        Dated(last.phrase, Period(start + length, start + length + timedelta(days=1))),
    )


def _is_weekday(one: Dated) -> bool:
    return plain(one.phrase.text) in weekdays_of_calendar()


@cache
def weekdays_of_calendar() -> frozenset[str]:
    """Return the English names of weekdays, in which the expressions of all languages are read."""
    return frozenset(plain(day) for day in SHARED.read("dates").listed("weekdays"))
