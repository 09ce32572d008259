"""Times that are a part of a month or year, or named by their number or by a day in them.

"The first week of June", "end of May 2024", "early 2025", "KW 46", "the weekend of 18 October". They are read before
dates, because "end of May 2024" has a date in it that means more days.
"""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache

from brain_retrieval.language.lexicon import alternatives
from brain_retrieval.query.analysis.calendar_days import DAY, Days, nearest, unit_around
from brain_retrieval.query.analysis.dates import DateMention
from brain_retrieval.query.analysis.grammar import TIMES, expression, table
from brain_retrieval.query.analysis.time_forms import Found, Now, days_of, months

_GAP = r"[\s'-]{1,2}"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_LOOK_BACK = 40  # characters before a day in which its week is named


def find_parts(low: str, language: str, now: Now) -> list[Found]:
    """Return the parts of months and years, and the numbered weeks, in plain text."""
    found: list[Found] = []
    for read in (_weeks_of_months, _parts, _numbered_weeks):
        found += [one for one in read(low, language, now) if not any(_overlap(one, other) for other in found)]
    return sorted(found, key=lambda one: one.start)


def widened(low: str, found: Found, language: str) -> Found:
    """Return a day as the week or weekend that it names: "the weekend of 18 October", "in der Woche vom 9. Juni"."""
    if found.days.first != found.days.last or not (
        before := _named_by_day(language).search(low[: found.start][-_LOOK_BACK:])
    ):
        return found
    day = found.days.first
    around = unit_around(day, "weekend" if before["weekend"] else "week")
    start = found.start - len(before.group())
    return Found(start, found.end, Days(min(day, around.first), max(day, around.last)), found.kind)


def _overlap(one: Found, other: Found) -> bool:
    return one.start < other.end and other.start < one.end


def _weeks_of_months(low: str, language: str, now: Now) -> Iterator[Found]:
    for match in _week_of_month(language).finditer(low):
        number = int(table("ordinals", language, TIMES)[match["which"]])
        if (days := _month(match["month"], match["year"], language, now)) is None:
            continue
        first = days.first + (number - 1) * 7 * DAY if number > 0 else days.last - 6 * DAY
        week = Days(first, min(days.last, first + 6 * DAY))
        yield Found(*match.span(), week, "absolute", _without_year(match, language))


def _parts(low: str, language: str, now: Now) -> Iterator[Found]:
    for match in _part(language).finditer(low):
        part = table("parts", language, TIMES)[re.sub(r"\s+", " ", match["part"])]
        if match["month"]:
            days = _month(match["month"], match["year"], language, now)
            cut = (10, 20)
        else:
            year = int(match["whole"])
            days = Days(date(year, 1, 1), date(year, 12, 31))
            cut = ((date(year, 5, 1) - days.first).days, (date(year, 9, 1) - days.first).days)
        if days is not None:
            yield Found(*match.span(), _third(days, part, cut), "absolute", _without_year(match, language))


def _third(days: Days, part: str, cut: tuple[int, int]) -> Days:
    first, second = (days.first + timedelta(days=count) for count in cut)
    if part == "early":
        return Days(days.first, first - DAY)
    return Days(first, second - DAY) if part == "mid" else Days(second, days.last)


def _without_year(match: re.Match[str], language: str) -> int | None:
    """Return the month of an expression that names no year, which a range may supply."""
    return months(language)[match["month"]] if match["month"] and not match["year"] else None


def _numbered_weeks(low: str, language: str, now: Now) -> Iterator[Found]:
    """Yield weeks by their number; a word that also counts the weeks of a course needs the year beside it."""
    for match in _numbered(language).finditer(low):
        number = int(match["number"])
        years = [int(match["year"])] if match["year"] else [now.today.year + step for step in (-1, 0, 1)]
        ranges = [week for year in years if (week := _iso_week(year, number)) is not None]
        if ranges and (match["year"] or match["sure"]):
            yield Found(*match.span(), nearest(ranges, now.today, now.direction), "absolute")


def _iso_week(year: int, number: int) -> Days | None:
    try:
        return unit_around(date.fromisocalendar(year, number, 1), "week")
    except ValueError:
        return None


def _month(name: str, year: str | None, language: str, now: Now) -> Days | None:
    """Return the days of a month; without a year the nearest in the direction of the question."""
    return days_of(DateMention(None if year is None else int(year), months(language)[name], None), now)


def _weeks(language: str) -> str:
    return alternatives(word for word, unit in table("units", language, TIMES).items() if unit == "week")


def _of(language: str) -> str:
    return rf"(?:(?:{expression(language, TIMES, 'part_of')})[\s']\s?)?"


@cache
def _week_of_month(language: str) -> re.Pattern[str]:
    which, named = expression(language, TIMES, "ordinals"), alternatives(months(language))
    year = rf"(?:,?{_GAP}{_of(language)}{_YEAR})?"
    return re.compile(
        rf"(?<!\w)(?P<which>{which})\s(?:{_weeks(language)})\s{_of(language)}(?P<month>{named}){year}(?!\w)"
    )


@cache
def _part(language: str) -> re.Pattern[str]:
    parts, named = expression(language, TIMES, "parts"), alternatives(months(language))
    month = rf"(?P<month>{named})(?:,?{_GAP}{_of(language)}{_YEAR})?"
    return re.compile(rf"(?<!\w)(?P<part>{parts}){_GAP}{_of(language)}(?:{month}|(?P<whole>(?:19|20)\d\d))(?![\w/-])")


@cache
def _numbered(language: str) -> re.Pattern[str]:
    sure, number = expression(language, TIMES, "calendar_week"), r"(?P<number>0?[1-9]|[1-4]\d|5[0-3])"
    year = rf"(?:(?:\s?/\s?|,?\s{_of(language)}){_YEAR})?"
    return re.compile(rf"(?<![\w/-])(?:(?P<sure>{sure})\.?\s?|(?:{_weeks(language)})\s){number}{year}(?!\w|[/.]\d)")


@cache
def _named_by_day(language: str) -> re.Pattern[str]:
    weekend, begins = expression(language, TIMES, "weekend"), expression(language, TIMES, "week_from")
    articles = expression(language, TIMES, "articles")
    return re.compile(
        rf"(?<!\w)(?:(?P<weekend>{weekend})|(?:{_weeks(language)}))\s(?:{begins})[\s'](?:(?:{articles})[\s'])?$"
    )
