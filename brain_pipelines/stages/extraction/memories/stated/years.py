"""The years of dates that do not state theirs but stand beside one that does, or by an event of one year."""

import itertools
import re
from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.time.date_ranges import Period
from brain_pipelines.stages.extraction.memories.stated.date_words import Phrase
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import plain, word_expression

_BESIDE = 20  # characters between a date and one that states its year
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NAME_OF_YEAR = re.compile(r"(?P<name>[^\W\d_]\w{1,30}) (?P<year>(?:19|20)\d\d)(?![\w.,:/-]*\d)")
_AHEAD = 2  # years for which an event is announced


class Dated(NamedTuple):
    """A date expression with its class of marker and its days."""

    phrase: Phrase
    period: Period


def with_years(found: list[Dated]) -> list[Dated]:
    """Give a day or month the year that the date beside it states: "in October 2019, at the start of Q4".

    Of "between May and October 2021" the first lies before the second.
    """
    for number, one in enumerate(found):
        if _YEAR.search(one.phrase.text) or not _calendar().fullmatch(plain(one.phrase.text)):
            continue
        for other in found[max(0, number - 1) : number] + found[number + 1 : number + 2]:
            stated = _YEAR.search(other.phrase.text)
            first, last = sorted((one.phrase, other.phrase), key=lambda phrase: phrase.start)
            if stated is None or not 0 <= last.start - first.end <= _BESIDE or first.end > last.start:
                continue
            years = int(stated.group()) - one.period.start.year
            moved = Period(*(_years_later(day, years) for day in one.period))
            if first is one.phrase and moved.start > other.period.end:
                moved = Period(*(_years_later(day, years - 1) for day in one.period))
            found[number] = Dated(one.phrase, moved)
            break
    return found


def with_years_of_events(found: list[Dated], text: str, said: date) -> list[Dated]:
    """Give days and months without a year that of the only event that a text names: "Linux Day 2014, 25 October".

    Not where another date states its year, and not for years that are more than two ahead of when it was said.
    """
    if not found or any(_YEAR.search(one.phrase.text) for one in found):
        return found
    events = {int(match["year"]) for match in _NAME_OF_YEAR.finditer(text) if _is_yearly(match["name"])}
    if len(events) != 1 or (year := events.pop()) > said.year + _AHEAD:
        return found
    return [_in_year(one, year) if _calendar().fullmatch(plain(one.phrase.text)) else one for one in found]


def _in_year(one: Dated, year: int) -> Dated:
    return Dated(one.phrase, Period(*(_years_later(day, year - one.period.start.year) for day in one.period)))


def _is_yearly(name: str) -> bool:
    return name[0].isupper() and _yearly().search(plain(name)) is not None


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


def completed(found: list[Dated]) -> list[Dated]:
    """Give the start of a range the year of its end: "from 1 September to 28 February 2025"."""
    for number, (first, last) in enumerate(itertools.pairwise(found)):
        if first.phrase.marker == "from" and last.phrase.marker in ("until", "to"):
            start, end = first.period.start, last.period.end
            if start >= end or end - start > timedelta(days=366):
                year = end.year - (1 if (start.month, start.day) > (end.month, end.day) else 0)
                moved = start.replace(year=year, day=min(start.day, 28))
                found[number] = Dated(first.phrase, Period(moved, moved + timedelta(days=1)))
    return found
