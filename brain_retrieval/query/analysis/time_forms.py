"""Expressions of time in a question and the days they mean: "last week", "in spring 2024", "two months ago".

An expression without a year means the last one, or the next one in a question about the future. "Two weeks ago" is the
whole week then, "in the last three months" ends today. Seasons are those of the northern hemisphere.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache

from brain_retrieval.language.lexicon import SHARED, alternatives, number_of
from brain_retrieval.query.analysis.calendar_days import (
    Days,
    feast,
    months_from,
    nearest,
    season,
    shifted,
    unit_around,
    weekday,
)
from brain_retrieval.query.analysis.dates import DateMention
from brain_retrieval.query.analysis.grammar import TIMES, expression, form, table
from brain_retrieval.query.analysis.question import TimeKind

_GAP = r"[\s'-]{1,2}"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_STEPS = {"last": -1, "this": 0, "next": 1}
Groups = dict[str, str | None]


@dataclass(frozen=True)
class Found:
    """An expression at characters `start` to `end`; `month` of one without a year, which a range may supply."""

    start: int
    end: int
    days: Days
    kind: TimeKind
    month: int | None = None


@dataclass(frozen=True)
class Now:
    """The day on which is asked, in the user's zone, and whether the past (-1) or the future (1) is asked for."""

    today: date
    direction: int


def find_times(text: str, language: str, now: Now) -> list[Found]:
    """Return the expressions in plain `text` besides dates, in their order; where two overlap, the longer form."""
    found: list[Found] = []
    for shape, kind, read in _forms(language):
        for match in shape.finditer(text):
            if any(match.start() < other.end and other.start < match.end() for other in found):
                continue
            try:
                days = read(match.groupdict(), language, now)
            except (ValueError, OverflowError):  # the year 0 and the like
                continue
            if days is not None:
                found.append(Found(*match.span(), days, "season" if match.groupdict().get("season") else kind))
    return sorted(found, key=lambda one: one.start)


def days_of(mention: DateMention, now: Now) -> Days | None:
    """Return the days of a date or month; without a year the nearest in the direction of the question."""
    # As far as the next 29 February: there are up to 8 years between two.
    years = [mention.year] if mention.year is not None else [now.today.year + step for step in range(-8, 9)]
    ranges: list[Days] = []
    for year in years:
        try:
            first = date(year, mention.month, mention.day or 1)
        except ValueError:  # 29 February
            continue
        ranges.append(Days(first, first if mention.day else months_from(first.year, first.month, 1)))
    return nearest(ranges, now.today, now.direction) if ranges else None


Form = tuple[re.Pattern[str], TimeKind, Callable[[Groups, str, Now], Days | None]]


@cache
def _forms(language: str) -> tuple[Form, ...]:
    named = "|".join(f"(?P<{name}>{one})" for name, one in _named(language).items())
    count = rf"(?P<count>\d{{1,3}}|{alternatives(_numbers(language))})"
    unit, step = (rf"(?P<{key[:-1]}>{expression(language, TIMES, key)})" for key in ("units", "steps"))
    ago = (expression(language, TIMES, "ago_before"), expression(language, TIMES, "ago_after"))
    season_word, feast_word = expression(language, TIMES, "seasons"), expression(language, TIMES, "feasts")
    of = r"(?:(?:of|de|del|do|des|di) )?"
    forms: tuple[tuple[str, TimeKind, Callable[[Groups, str, Now], Days | None]], ...] = (
        (rf"(?P<day>{expression(language, TIMES, 'days')})", "relative", _day),
        (rf"(?:{ago[0]}){_GAP}{count}{_GAP}{unit}", "relative", _ago),
        (rf"{count}{_GAP}{unit}{_GAP}(?:{ago[1]})", "relative", _ago),
        (rf"(?:{ago[0]}){_GAP}{count}{_GAP}{_many(language)}", "relative", _named_ago),
        (rf"{count}{_GAP}{_many(language)}{_GAP}(?:{ago[1]})", "relative", _named_ago),
        (rf"{step}{_GAP}(?:{count}{_GAP})?{unit}", "relative", _stepped),
        (rf"(?:{count}{_GAP})?{unit}{_GAP}{step}", "relative", _stepped),
        (rf"{count}{_GAP}{step}{_GAP}{unit}", "relative", _stepped),
        (rf"{step}{_GAP}(?:{named})", "relative", _named_step),
        (rf"(?:{named}){_GAP}{step}", "relative", _named_step),
        (rf"(?P<season>{season_word})(?:{_GAP}{of}{_YEAR})?", "season", _season),
        (rf"(?P<feast>{feast_word})(?:{_GAP}{of}{_YEAR})?", "absolute", _feast),
        (rf"q(?P<quarter>[1-4])(?:{_GAP}{of}{_YEAR})?", "absolute", _quarter),
        (rf"(?P<weekday>{alternatives(_weekdays(language))})", "relative", _weekday),
        (r"(?P<decade>(?:19|20)?\d0)'?s", "absolute", _decade),
        (rf"{_YEAR}(?![-/.]\d)", "absolute", _whole_year),
    )
    return tuple((re.compile(rf"(?<![\w./-])(?:{shape})(?!\w)"), kind, read) for shape, kind, read in forms)


def _many(language: str) -> str:
    """Return what is counted back besides units: "two summers ago", "vor drei Wochenenden"."""
    seasons, weekends = (expression(language, TIMES, key) for key in ("many_seasons", "weekends"))
    return rf"(?:(?P<seasons>{seasons})|{weekends})"


def _named(language: str) -> dict[str, str]:
    return {
        "weekday": alternatives(_weekdays(language)),
        "season": expression(language, TIMES, "seasons"),
        "weekend": expression(language, TIMES, "weekend"),
        "month": alternatives(months(language)),
    }


@cache
def _weekdays(language: str) -> dict[str, int]:
    return {
        form(word, language): number - 1
        for word, number in number_of(SHARED.read("dates", language).listed("weekdays")).items()
    } | {form(word, language): int(number) for word, number in table("short_weekdays", language, TIMES).items()}


@cache
def months(language: str) -> dict[str, int]:
    """Return the months, plain, with their numbers."""
    return {
        form(word, language): number
        for word, number in number_of(SHARED.read("dates", language).listed("months")).items()
    }


@cache
def _numbers(language: str) -> dict[str, int]:
    numbers = {
        form(word, language): int(value) for word, value in SHARED.read("dates", language).table("numbers").items()
    }
    return numbers | {word: int(value) for word, value in table("counts", language, TIMES).items()}


def _count(groups: Groups, language: str) -> int | None:
    word = groups.get("count")
    return None if word is None else int(word) if word.isdecimal() else _numbers(language)[word]


def _unit(groups: Groups, language: str) -> str:
    return table("units", language, TIMES)[groups["unit"] or ""]


def _step(groups: Groups, language: str) -> int:
    return _STEPS[table("steps", language, TIMES)[re.sub(r"\s+", " ", groups["step"] or "")]]


def _day(groups: Groups, language: str, now: Now) -> Days:
    return unit_around(shifted(now.today, int(table("days", language, TIMES)[groups["day"] or ""]), "day"), "day")


def _ago(groups: Groups, language: str, now: Now) -> Days:
    unit = _unit(groups, language)
    return unit_around(shifted(now.today, -(_count(groups, language) or 1), unit), unit)


def _named_ago(groups: Groups, language: str, now: Now) -> Days:
    """Return the season or weekend that is so many back, the last one that has begun being the first."""
    count = _count(groups, language) or 1
    if groups["seasons"] is None:
        return unit_around(shifted(now.today, -count, "week"), "weekend")
    month = int(table("many_seasons", language, TIMES)[groups["seasons"]])
    last = nearest([season(now.today.year + step, month) for step in (-2, -1, 0)], now.today, -1)
    return season(last.first.year - count + 1, month)


def _stepped(groups: Groups, language: str, now: Now) -> Days:
    step, unit, count = _step(groups, language), _unit(groups, language), _count(groups, language)
    if count is None or step == 0:
        return unit_around(shifted(now.today, step, unit), unit)
    other = shifted(now.today, step * count, unit)
    return Days(min(other, now.today), max(other, now.today))


def _named_step(groups: Groups, language: str, now: Now) -> Days:
    step = _step(groups, language)
    if groups["weekend"]:
        return unit_around(shifted(now.today, step, "week"), "weekend")
    if word := groups["weekday"]:
        number = _weekdays(language)[word]
        monday = unit_around(now.today, "week").first
        day = weekday(now.today, number, step) if step else shifted(monday, number, "day")
        return Days(day, day)
    first = months(language)[groups["month"]] if groups["month"] else _first_month(groups, language)
    length = 1 if groups["month"] else 3
    ranges = [Days(date(year, first, 1), months_from(year, first, length)) for year in _years(now)]
    if step < 0:
        return [days for days in ranges if days.last < now.today][-1]
    if step > 0:
        return next(days for days in ranges if days.first > now.today)
    return nearest([days for days in ranges if days.first.year == now.today.year], now.today, now.direction)


def _years(now: Now) -> Iterator[int]:
    return iter(range(now.today.year - 2, now.today.year + 3))


def _first_month(groups: Groups, language: str) -> int:
    return int(table("seasons", language, TIMES)[groups["season"] or ""])


def _season(groups: Groups, language: str, now: Now) -> Days:
    first = _first_month(groups, language)
    if groups["year"]:
        return season(int(groups["year"]), first)
    return nearest([season(year, first) for year in _years(now)], now.today, now.direction)


def _feast(groups: Groups, language: str, now: Now) -> Days:
    days = table("feasts", language, TIMES)[groups["feast"] or ""]
    if groups["year"]:
        return feast(int(groups["year"]), days)
    return nearest([feast(year, days) for year in _years(now)], now.today, now.direction)


def _quarter(groups: Groups, _language: str, now: Now) -> Days:
    first = int(groups["quarter"] or 1) * 3 - 2
    if groups["year"]:
        return season(int(groups["year"]), first)
    return nearest([season(year, first) for year in _years(now)], now.today, now.direction)


def _weekday(groups: Groups, language: str, now: Now) -> Days:
    day = weekday(now.today, _weekdays(language)[groups["weekday"] or ""], now.direction)
    return Days(day, day)


def _decade(groups: Groups, _language: str, _now: Now) -> Days:
    digits = groups["decade"] or ""
    first = int(digits) if len(digits) > 2 else int(digits) + (1900 if int(digits) > 20 else 2000)
    return Days(date(first, 1, 1), date(first + 9, 12, 31))


def _whole_year(groups: Groups, _language: str, _now: Now) -> Days:
    year = int(groups["year"] or 0)
    return Days(date(year, 1, 1), date(year, 12, 31))
