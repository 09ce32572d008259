"""Calendar arithmetic: units around a day, steps of units, weekdays, and the nearest of several ranges."""

from datetime import date, timedelta

import pytest

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

WEDNESDAY = date(2026, 3, 18)
MAYS = [Days(date(year, 5, 1), date(year, 5, 31)) for year in (2025, 2026, 2027)]


@pytest.mark.parametrize(
    ("unit", "first", "last"),
    [
        ("day", "2026-03-18", "2026-03-18"),
        ("week", "2026-03-16", "2026-03-22"),
        ("weekend", "2026-03-21", "2026-03-22"),
        ("month", "2026-03-01", "2026-03-31"),
        ("quarter", "2026-01-01", "2026-03-31"),
        ("year", "2026-01-01", "2026-12-31"),
    ],
)
def test_a_unit_is_the_whole_one_that_the_day_is_in(unit: str, first: str, last: str) -> None:
    assert unit_around(WEDNESDAY, unit) == Days(date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize(
    ("day", "count", "unit", "expected"),
    [
        ("2026-03-18", -2, "day", "2026-03-16"),
        ("2026-03-18", 1, "weekend", "2026-03-25"),
        ("2026-03-31", -1, "month", "2026-02-28"),
        ("2024-02-29", 1, "year", "2025-02-28"),
        ("2026-01-15", -1, "month", "2025-12-15"),
        ("2026-11-30", 1, "quarter", "2027-02-28"),
    ],
)
def test_a_step_ends_at_the_last_day_of_a_shorter_month(day: str, count: int, unit: str, expected: str) -> None:
    assert shifted(date.fromisoformat(day), count, unit) == date.fromisoformat(expected)


@pytest.mark.parametrize("direction", [-1, 1])
@pytest.mark.parametrize("number", range(7))
def test_a_weekday_is_one_to_seven_days_away(number: int, direction: int) -> None:
    found = weekday(WEDNESDAY, number, direction)
    assert found.weekday() == number
    assert timedelta(days=1) <= direction * (found - WEDNESDAY) <= timedelta(days=7)


@pytest.mark.parametrize(
    ("today", "direction", "year"),
    [
        (date(2026, 4, 30), -1, 2025),
        (date(2026, 5, 1), -1, 2026),
        (date(2026, 5, 31), 1, 2026),
        (date(2026, 6, 1), 1, 2027),
        (date(2024, 6, 1), -1, 2025),  # none has begun: the first
        (date(2028, 6, 1), 1, 2027),  # all have ended: the last
    ],
)
def test_the_nearest_range_has_begun_or_has_not_ended(today: date, direction: int, year: int) -> None:
    assert nearest(MAYS, today, direction).first.year == year


def test_the_last_of_some_months_is_that_of_their_year() -> None:
    found = [months_from(2000, 2, 1), months_from(2100, 2, 1), months_from(2026, 11, 3)]
    assert found == [date(2000, 2, 29), date(2100, 2, 28), date(2027, 1, 31)]


def test_what_passes_the_new_year_ends_in_the_next() -> None:
    assert season(2026, 12) == Days(date(2026, 12, 1), date(2027, 2, 28))
    assert feast(2026, "12-31 01-01") == Days(date(2026, 12, 31), date(2027, 1, 1))
    assert feast(2026, "12-24 12-26") == Days(date(2026, 12, 24), date(2026, 12, 26))
