"""Calendar arithmetic of questions: units, seasons and feasts as ranges of days, both ends inclusive."""

from calendar import monthrange
from datetime import date, timedelta
from typing import NamedTuple

DAY = timedelta(days=1)
WEEK = timedelta(days=7)
MONTHS_OF = {"month": 1, "quarter": 3, "year": 12}


class Days(NamedTuple):
    """Days from `first` to `last`."""

    first: date
    last: date


def unit_around(day: date, unit: str) -> Days:
    """Return the day, week (from Monday), weekend, month, quarter or year that `day` is in."""
    if unit == "day":
        return Days(day, day)
    if unit in ("week", "weekend"):
        monday = day - timedelta(days=day.weekday())
        return Days(monday if unit == "week" else monday + 5 * DAY, monday + 6 * DAY)
    length = MONTHS_OF[unit]
    first = date(day.year, (day.month - 1) // length * length + 1, 1)
    return Days(first, months_from(first.year, first.month, length))


def months_from(year: int, month: int, count: int) -> date:
    """Return the last day of `count` months from this one."""
    months = year * 12 + month - 1 + count - 1
    return date(months // 12, months % 12 + 1, monthrange(months // 12, months % 12 + 1)[1])


def shifted(day: date, count: int, unit: str) -> date:
    """Return the day `count` units later; the last of a month where the day does not exist."""
    if unit == "day":
        return day + count * DAY
    if unit in ("week", "weekend"):
        return day + count * WEEK
    months = day.year * 12 + day.month - 1 + count * MONTHS_OF[unit]
    year, month = months // 12, months % 12 + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def season(year: int, month: int) -> Days:
    """Return the season of three months that begins in `month`."""
    return Days(date(year, month, 1), months_from(year, month, 3))


def feast(year: int, days: str) -> Days:
    """Return the days of a feast, "12-24 12-26", in `year`; one that passes the new year ends in the next."""
    first, last = ((int(month), int(day)) for month, day in (part.split("-") for part in days.split()))
    return Days(date(year, *first), date(year + (last < first), *last))


def weekday(day: date, number: int, direction: int) -> date:
    """Return the last (-1) or next (1) day with this number, Monday 0, other than `day` itself."""
    away = (day.weekday() - number) % 7 or 7 if direction < 0 else (number - day.weekday()) % 7 or 7
    return day + direction * away * DAY


def nearest(candidates: list[Days], today: date, direction: int) -> Days:
    """Return of ranges in the order of time the last that has begun, or (direction 1) the first not yet ended."""
    if direction > 0:
        return next((days for days in candidates if days.last >= today), candidates[-1])
    return next((days for days in reversed(candidates) if days.first <= today), candidates[0])


def beside(day: date, step: int) -> date:
    """Return the day before (-1) or after (1), or `day` itself at the ends of the calendar."""
    return day if day in (date.min, date.max) else day + step * DAY
