"""Temporal expression → date range: "March 2021", "last year", "next Monday", "two weeks ago". Pure functions.

Ranges are half-open, in whole calendar days. Seasons are those of the northern hemisphere. "Early 2020" gives the whole
year; ambiguous expressions ("3/5/2021") give no range.
"""

import re
from calendar import isleap
from collections.abc import Callable
from datetime import date, timedelta
from typing import NamedTuple

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_retrieval.language.folding import fold
from brain_retrieval.language.lexicon import SHARED, number_of

MAX_CHARS = 60
_NEAR, _FAR = timedelta(days=30), timedelta(days=180)  # of a day whose weekday is wrong, of one on which it is right
AROUND = 6  # months before and after in which "Monday 9" is looked for


class Period(NamedTuple):
    """Days from `start` up to, not including, `end`."""

    start: date
    end: date


_DATES = SHARED.read("dates")
_WORDS = LEXICONS.read("time")
MONTHS = {**number_of(_DATES.listed("months")), **_DATES.table("short_months")}
WEEKDAYS = {name: number - 1 for name, number in number_of(_DATES.listed("weekdays")).items()}
SEASONS = _WORDS.table("seasons")  # first month; each is three months long
_NUMBERS = {**_DATES.table("numbers"), **_WORDS.table("counts")}
_STEPS = _WORDS.table("steps")
_DAYS = _WORDS.table("days")
_ORDINALS = _WORDS.table("quarters")

COUNT = rf"(?:\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
UNIT = r"(?:day|week|month|year|decade)s?"
MONTH = rf"(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b"
WEEKDAY = rf"(?:{'|'.join(WEEKDAYS)})"
SEASON = rf"(?:{'|'.join(SEASONS)})"
YEAR = r"(?:1[5-9]|20|21)\d\d"
DAY = r"(?:0?[1-9]|[12]\d|3[01])"
STEP = rf"(?:{'|'.join(_STEPS)})"
_LENGTH = re.compile(rf"(?:(?:last|past) (?:(?P<past>{COUNT}) )?|(?P<count>{COUNT}) )(?P<unit>{UNIT})")


def period_of(text: str, said: date, direction: int) -> Period | None:
    """Return the date range of an expression stated on the day `said`, None if it is unknown or ambiguous.

    `direction` resolves expressions without a year: -1 the latest range that has begun, 1 the first that has not ended.
    A day with its weekday ("Wednesday, 18 February") is the one of this year, the next or the last on which both agree.
    """
    plain = _normalised(text)
    if len(plain) > MAX_CHARS:
        return None
    for form, read in _FORMS:
        if match := form.fullmatch(plain):
            try:
                return read(match, said, direction)
            except (ValueError, OverflowError):  # 31 June, the year 0
                return None
    return None


def shifted(day: date, count: int, unit: str) -> date:
    """Return the day `count` days, weeks, months, years or decades later; 31 January + 1 month is 28 or 29 February.

    Raises:
        ValueError, OverflowError: if the calendar has no such day, or the unit is none of these.
    """
    if unit not in ("day", "week", "month", "year", "decade"):
        raise ValueError("no unit of time")
    if unit in ("day", "week"):
        return day + timedelta(days=count * (7 if unit == "week" else 1))
    months = day.year * 12 + day.month - 1 + count * {"month": 1, "year": 12, "decade": 120}[unit]
    first = date(months // 12, months % 12 + 1, 1)
    return min(first + timedelta(days=day.day - 1), _month(first.year, first.month).end - timedelta(days=1))


def count_of(word: str) -> int:
    """Return the number of a count word ("3", "three", "a"); "(a) few" and "several" are 3, "(a) couple of" is 2.

    Raises:
        ValueError: for any other word.
    """
    if word.isdecimal():
        return int(word)
    if word not in _NUMBERS:
        raise ValueError("no count")
    return _NUMBERS[word]


def ago(text: str, said: date) -> date:
    """Return the first day of a duration that ends on `said`: "three weeks", "the past three weeks".

    Raises:
        ValueError, OverflowError: if the text is not a duration, or the day is outside the calendar.
    """
    match = _LENGTH.fullmatch(_normalised(text))
    if match is None:
        raise ValueError("no length of time")
    return shifted(said, -count_of(match["past"] or match["count"] or "a"), match["unit"].rstrip("s"))


def _normalised(text: str) -> str:
    plain = fold(text.replace(",", " "))
    plain = re.sub(r"\b(\d{1,2})(?:st|nd|rd|th)\b", r"\1", plain)
    plain = re.sub(r"\b(?:the|early|mid|late|around|about|roughly|back in|(?:beginning|end|middle) of)[ -]", "", plain)
    return re.sub(r"(?<=[a-z])\.", "", plain).strip()


def _day(year: int, month: int, day: int) -> Period:
    start = date(year, month, day)
    return Period(start, start + timedelta(days=1))


def _month(year: int, month: int, length: int = 1) -> Period:
    end = year * 12 + month - 1 + length
    return Period(date(year, month, 1), date(end // 12, end % 12 + 1, 1))


def _nearest(make: Callable[[int], Period], said: date, direction: int) -> Period:
    """Return the latest yearly period begun by `said` (`direction` -1), or the first that has not ended (1)."""
    years = (said.year, said.year - 1) if direction < 0 else (said.year - 1, said.year, said.year + 1)
    fits = (make(year) for year in years)
    return next(p for p in fits if (p.start <= said if direction < 0 else p.end > said))


def _around(day: date, unit: str) -> Period:
    """Return the calendar day, week (from Monday), month, year or decade that contains a day."""
    if unit == "day":
        return Period(day, day + timedelta(days=1))
    if unit == "week":
        start = day - timedelta(days=day.weekday())
        return Period(start, start + timedelta(days=7))
    if unit == "month":
        return _month(day.year, day.month)
    if unit == "decade":
        return _month(day.year // 10 * 10, 1, 120)
    return _month(day.year, 1, 12)


def _weekday(number: int, said: date, direction: int, *, strictly: bool = False) -> Period:
    ahead = (number - said.weekday()) % 7
    days = ahead if direction > 0 else ahead - 7 if ahead else 0
    if strictly and not days:
        days = 7 * direction
    return _around(said + timedelta(days=days), "day")


def _dated(match: re.Match[str], said: date, direction: int) -> Period:
    month, day = MONTHS[match["month"]], int(match["day"])
    if match["year"]:
        return _day(int(match["year"]), month, day)
    if match["weekday"] and (found := _on_weekday(month, day, WEEKDAYS[match["weekday"]], said)):
        return found
    if (month, day) == (2, 29):
        raise ValueError("a leap day needs its year")
    step = _STEPS[match["step"]] if match["step"] else None
    if step == 0:
        return _day(said.year, month, day)
    from_day = said + timedelta(days=step or 0)  # "last 3 May" is not today
    return _nearest(lambda year: _day(year, month, day), from_day, step or direction)


def _on_weekday(month: int, day: int, weekday: int, said: date) -> Period | None:
    """Return a day of this year, the next or the last on which the weekday is right.

    One of these days that is near is meant although its weekday is wrong: "Friday, June 28", said on 2 July.
    """
    years = (said.year + step for step in (0, 1, -1))
    days = [_day(year, month, day) for year in years if (month, day) != (2, 29) or isleap(year)]
    found = next((one for one in days if one.start.weekday() == weekday), None)
    near = next((one for one in days if abs(one.start - said) <= _NEAR), None)
    return near if found and near and abs(found.start - said) > _FAR else found


def _day_of_month(match: re.Match[str], said: date, direction: int) -> Period:
    """Return the nearest day of a number and a weekday, "Monday 9"; with `direction` -1 the last, if not long past."""
    number, fits = int(match["day"]), []
    for months in range(-AROUND, AROUND + 1):
        first = shifted(said.replace(day=1), months, "month")
        day = shifted(first, number - 1, "day")
        if day.month == first.month and day.weekday() == WEEKDAYS[match["weekday"]]:
            fits.append(day)
    nearest = min(fits, key=lambda day: (abs(day - said), day < said), default=None)
    if nearest is None:
        raise ValueError("no such day near")
    last = max((day for day in fits if day <= said), default=nearest)
    if direction < 0 and (said - last <= 2 * _NEAR or nearest - said > _NEAR):  # else "I thought it was Monday 20th"
        nearest = last
    return _around(nearest, "day")


def _of_month(match: re.Match[str], said: date, direction: int) -> Period:
    month = MONTHS[match["month"]]
    if match["year"]:
        return _month(int(match["year"]), month)
    return _nearest(lambda year: _month(year, month), said, direction)


def _of_season(match: re.Match[str], said: date, direction: int) -> Period:
    month = SEASONS[match["season"]]
    if match["year"]:
        return _month(int(match["year"]), month, 3)
    return _nearest(lambda year: _month(year, month, 3), said, direction)


def _of_quarter(match: re.Match[str], said: date, direction: int) -> Period:
    month = int(match["quarter"]) * 3 - 2
    if match["year"]:
        return _month(int(match["year"]), month, 3)
    return _nearest(lambda year: _month(year, month, 3), said, direction)


def _nth_quarter(match: re.Match[str], *_: object) -> Period:
    return _month(int(match["year"]), _ORDINALS[match["nth"]] * 3 - 2, 3)


def _step(match: re.Match[str], said: date, direction: int) -> Period:
    """Return "last week", "this year", "next Monday", "last March", "this summer"."""
    step, what = _STEPS[match["step"]], match["what"]
    if what in WEEKDAYS:
        return _weekday(WEEKDAYS[what], said, step or direction, strictly=bool(step))
    if what == "weekend":
        saturday = _around(shifted(said, step, "week"), "week").end - timedelta(days=2)
        return Period(saturday, saturday + timedelta(days=2))
    if what == "quarter":
        month = (said.month - 1) // 3 * 3 + 1
        start = shifted(date(said.year, month, 1), 3 * step, "month")
        return _month(start.year, start.month, 3)
    first = MONTHS.get(what) or SEASONS.get(what)
    if first is None:
        return _around(shifted(said, step, what), what)
    length = 1 if what in MONTHS else 3
    if step == 0:
        return _month(said.year, first, length)
    before = said if step > 0 else shifted(said, -length, "month")  # "last March" excludes the current month
    return _nearest(lambda year: _month(year, first, length), before, step)


def _ago(match: re.Match[str], said: date, _: int) -> Period:
    unit = match["unit"].rstrip("s")
    return _around(shifted(said, -count_of(match["count"]), unit), unit)


def _ahead(match: re.Match[str], said: date, _: int) -> Period:
    unit = match["unit"].rstrip("s")
    return _around(shifted(said, count_of(match["count"]), unit), unit)


def _recent(match: re.Match[str], said: date, _: int) -> Period:
    start = shifted(said, -count_of(match["count"]), match["unit"].rstrip("s"))
    return Period(start, said + timedelta(days=1))


def _slashed(match: re.Match[str], *_: object) -> Period:
    first, second, year = (int(group) for group in match.groups())
    if first <= 12 and second <= 12 and first != second:
        raise ValueError("day or month first")
    return _day(year, *((second, first) if first > 12 else (first, second)))


Reader = Callable[[re.Match[str], date, int], Period]
_MONTH = rf"(?P<month>{MONTH})"
_OPTIONAL_YEAR = rf"(?: (?:of |in )?(?P<year>{YEAR}))?"
_WEEKDAY_BEFORE = rf"(?:(?P<weekday>{WEEKDAY}) )?"
_STEP_BEFORE = rf"(?:(?P<step>{STEP}) )?"
_FORMS: tuple[tuple[re.Pattern[str], Reader], ...] = tuple(
    (re.compile(form), read)
    for form, read in (
        (rf"({YEAR})-(\d\d)-(\d\d)", lambda m, s, d: _day(*(int(g) for g in m.groups()))),
        (rf"({YEAR})-(\d\d)", lambda m, s, d: _month(int(m[1]), int(m[2]))),
        (rf"(\d{{1,2}})[/.](\d{{1,2}})[/.]({YEAR})", _slashed),
        (rf"{_STEP_BEFORE}{_WEEKDAY_BEFORE}(?P<day>{DAY}) (?:of )?{_MONTH}{_OPTIONAL_YEAR}", _dated),
        (rf"(?P<weekday>{WEEKDAY}) (?P<day>{DAY})", _day_of_month),
        (rf"{_STEP_BEFORE}{_WEEKDAY_BEFORE}{_MONTH} (?P<day>{DAY}){_OPTIONAL_YEAR}", _dated),
        (rf"{_MONTH}{_OPTIONAL_YEAR}", _of_month),
        (rf"(?P<season>{SEASON}){_OPTIONAL_YEAR}", _of_season),
        (rf"(?P<nth>{'|'.join(_ORDINALS)}) quarter (?:of )?(?P<year>{YEAR})", _nth_quarter),
        (rf"q(?P<quarter>[1-4]){_OPTIONAL_YEAR}", _of_quarter),
        (YEAR, lambda m, s, d: _month(int(m[0]), 1, 12)),
        (rf"({YEAR[:-2]}0)'?s", lambda m, s, d: _month(int(m[1]), 1, 120)),
        ("week|month|year", lambda m, s, d: _around(s, m[0])),  # "the end of the year"
        ("|".join(_DAYS), lambda m, s, d: _around(s + timedelta(days=_DAYS[m[0]]), "day")),
        (r"this (?:morning|afternoon|evening)", lambda m, s, d: _around(s, "day")),
        (r"day after tomorrow(?: \w+)?", lambda m, s, d: _around(s + timedelta(days=2), "day")),
        (r"day before yesterday(?: \w+)?", lambda m, s, d: _around(s - timedelta(days=2), "day")),
        (r"yesterday (?:morning|afternoon|evening)", lambda m, s, d: _around(s - timedelta(days=1), "day")),
        (r"tomorrow (?:morning|afternoon|evening)", lambda m, s, d: _around(s + timedelta(days=1), "day")),
        (rf"(?:on )?(?P<weekday>{WEEKDAY})", lambda m, s, d: _weekday(WEEKDAYS[m["weekday"]], s, d)),
        (rf"(?P<step>{STEP}) (?P<what>{WEEKDAY}|weekend|week|month|quarter|year|decade|{SEASON}|{_MONTH})", _step),
        (rf"(?P<count>{COUNT}) (?P<unit>{UNIT}) ago", _ago),
        (rf"(?:last|past) (?P<count>{COUNT}) (?P<unit>{UNIT})", _recent),
        (rf"(?:in )?(?P<count>{COUNT}) (?P<unit>{UNIT}) from now", _ahead),
    )
)
