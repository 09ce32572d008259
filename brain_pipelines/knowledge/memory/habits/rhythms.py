"""Rhythms: whether days come back every week or every month, beyond what the days of writing explain.

Nothing is assumed about how often one writes. A word's days are compared with all days on which something was written
between its first and its last one: who writes on Sundays only has no habit of Sundays (Fisher's exact test).
"""

from bisect import bisect_left, bisect_right
from calendar import monthrange
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from math import comb

WEEKLY, MONTH_END, MONTH_START, MONTH_WEEKDAY = "weekly", "month_end", "month_start", "month_weekday"
LEAST = 5  # times, and weeks or months from the first to the last
WEEKLY_SHARE = 0.7  # of its days, on the day of the week
WEEKLY_FILLED = 0.5  # of the days of writing on that day of the week
WEEKS_FILLED = 0.35  # of all weeks
MONTHLY_SHARE = 0.8  # of its days, at that time of the month
MONTHS_FILLED = 0.75  # of all months
A_MONTH = 1.4  # days a month at most
CHANCE = 1e-5  # of as many days by chance, at most
EDGE_DAYS = 4  # first and last days of a month that count as its beginning and its end
OPEN_WEEKS, OPEN_MONTHS = 5, 2.5  # since the last time, while a habit goes on

Place = Callable[[date], bool]


@dataclass(frozen=True, order=True)
class Rhythm:
    """When something comes back. `weekday`: 0 is Monday; `nth`: 1–4, of the month. Both -1 where they do not apply."""

    kind: str
    weekday: int = -1
    nth: int = -1

    def has(self, day: date) -> bool:
        """Return whether a day is one of the rhythm."""
        if self.kind == MONTH_END:
            return monthrange(day.year, day.month)[1] - day.day < EDGE_DAYS
        if self.kind == MONTH_START:
            return day.day <= EDGE_DAYS
        nth = self.nth in (-1, (day.day + 6) // 7)
        return day.weekday() == self.weekday and nth

    @property
    def longest_pause(self) -> float:
        """Days since the last time, from which on the habit has ended."""
        return OPEN_WEEKS * 7 if self.kind == WEEKLY else OPEN_MONTHS * 30.5


def rhythm_of(days: Sequence[date], writing: Sequence[date]) -> Rhythm | None:
    """Return the rhythm of some days, None if there is none.

    Args:
        days: distinct, in order.
        writing: all days on which something was written, distinct, in order, with `days` among them.
    """
    if len(days) < LEAST:
        return None
    within = writing[bisect_left(writing, days[0]) : bisect_right(writing, days[-1])]
    return _weekly(days, within) or _monthly(days, within)


def _weekly(days: Sequence[date], writing: Sequence[date]) -> Rhythm | None:
    weekday, count = min(Counter(day.weekday() for day in days).items(), key=lambda one: (-one[1], one[0]))
    rhythm = Rhythm(WEEKLY, weekday)
    weeks = (days[-1] - days[0]).days / 7
    if count < max(LEAST, WEEKLY_SHARE * len(days), WEEKS_FILLED * weeks) or weeks < LEAST:
        return None
    filled = count >= WEEKLY_FILLED * sum(map(rhythm.has, writing))
    return rhythm if filled and _chance(days, writing, rhythm.has) <= CHANCE else None


def _monthly(days: Sequence[date], writing: Sequence[date]) -> Rhythm | None:
    months = {(day.year, day.month) for day in days}
    span = 12 * (days[-1].year - days[0].year) + days[-1].month - days[0].month + 1
    if len(months) < max(LEAST, MONTHS_FILLED * span) or len(days) > A_MONTH * len(months):
        return None
    (weekday, nth), _ = min(
        Counter((day.weekday(), (day.day + 6) // 7) for day in days).items(), key=lambda one: (-one[1], one[0])
    )
    for rhythm in (Rhythm(MONTH_END), Rhythm(MONTH_WEEKDAY, weekday, nth), Rhythm(MONTH_START)):
        often = sum(map(rhythm.has, days)) >= MONTHLY_SHARE * len(days)
        if often and rhythm.nth <= 4 and _chance(days, writing, rhythm.has) <= CHANCE:
            return rhythm
    return None


def _chance(days: Sequence[date], writing: Sequence[date], place: Place) -> float:
    """Return the probability that as many of the days lie in the place, were they drawn from the days of writing.

    >>> from datetime import timedelta
    >>> ten = [date(2026, 1, 5) + timedelta(days=n) for n in range(70)]
    >>> mondays = [day for day in ten if day.weekday() == 0]
    >>> _chance(mondays, ten, lambda day: day.weekday() == 0) < 1e-9
    True
    >>> _chance(mondays, mondays, lambda day: day.weekday() == 0)
    1.0
    """
    total, drawn = len(writing), len(days)
    suitable, seen = sum(map(place, writing)), sum(map(place, days))
    ways = sum(comb(suitable, hits) * comb(total - suitable, drawn - hits) for hits in range(seen, drawn + 1))
    return ways / comb(total, drawn)
