"""The week or month that a note is named after: "2024-W10.md", "Week 10 2024.md", "2024-03.md".

Such a note is dated to the last day of its period, when most of it has been written, but not after it was last changed.
"""

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import cache

from brain_pipelines.readers.lexicons import LEXICONS
from brain_retrieval.language.plain import plain, word_expression

_YEAR, _NUMBER = r"(?P<year>(?:19|20)\d\d)", r"(?P<number>\d{1,2})"
_ISO_WEEK = re.compile(rf"(?<![\dA-Za-z]){_YEAR}[ _-]?[wW]{_NUMBER}(?!\d)")
_PLAIN = re.compile(rf"{_YEAR}[ _-](?P<number>\d\d)")
_LED = re.compile(rf"{_YEAR}-(?P<number>0[1-9]|1[0-2])[ _-]+[^\W\d]")  # "2018-09-guidelines"
MONTHS = 12
EVENING = time(18)


def period_in_name(name: str, beginning: str, zone: tzinfo, *, changed: datetime) -> datetime | None:
    """Return the end of the week or month that a file is named after, in UTC; None if its name states none.

    Two figures behind a year are a month, unless they are above twelve or the text begins with a title that calls them
    a week ("# Weeknotes 10").

    Args:
        name: of the file.
        beginning: the first lines of its text.
        zone: of the user.
        changed: when the file was last changed.
    """
    stem = name.rpartition(".")[0] or name
    week = _ISO_WEEK.search(stem) or next((m for one in _named_weeks() if (m := one.search(plain(stem)))), None)
    other = None if week else _PLAIN.fullmatch(stem) or _LED.match(stem)
    stated = week or other
    if stated is None:
        return None
    year, number = int(stated["year"]), int(stated["number"])
    days = (
        _week(year, number) if week or number > MONTHS or _is_called_week(beginning, number) else _month(year, number)
    )
    if days is None:
        return None
    first, last = (datetime.combine(day, EVENING, zone).astimezone(UTC) for day in days)
    return min(last, max(changed.astimezone(UTC), first))


def _week(year: int, number: int) -> tuple[date, date] | None:
    """Return the first and last day of a week by ISO 8601, None if the year has no week of this number."""
    try:
        return date.fromisocalendar(year, number, 1), date.fromisocalendar(year, number, 7)
    except ValueError:
        return None


def _month(year: int, number: int) -> tuple[date, date] | None:
    if not 1 <= number <= MONTHS:
        return None
    return date(year, number, 1), date(year + number // MONTHS, number % MONTHS + 1, 1) - timedelta(days=1)


def _is_called_week(beginning: str, number: int) -> bool:
    title = plain(next((line for line in beginning.splitlines() if line.strip("# \t-")), ""))
    return bool(_week_word().search(title)) and re.search(rf"(?<!\d)0?{number}(?!\d)", title) is not None


@cache
def _week_word() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){_words()}(?!\w)")


@cache
def _named_weeks() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns for "week 10 2024" and "2024 week 10"."""
    word = rf"{_words()}[ _-]?"
    return (
        re.compile(rf"(?<!\w){word}{_NUMBER}[ _,-]{{1,3}}{_YEAR}(?!\d)"),
        re.compile(rf"(?<!\d){_YEAR}[ _-]{{1,3}}{word}{_NUMBER}(?!\d)"),
    )


def _words() -> str:
    return f"(?:{word_expression(LEXICONS.every_language('date_labels').listed('weeks'))})"
