"""What days expressions name, and what a clause's expressions say of when its fact holds. No parser."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_pipelines.stages.extraction.local.time.date_ranges import period_of
from brain_pipelines.stages.extraction.local.time.time_expressions import (
    FORMERLY,
    TimePhrase,
    find_phrases,
    stated_between,
)

SAID = datetime(2026, 3, 4, 9, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "direction", "start", "end"),
    [
        ("March 2021", -1, "2021-03-01", "2021-04-01"),
        ("Sept. 2020", -1, "2020-09-01", "2020-10-01"),
        ("2020", -1, "2020-01-01", "2021-01-01"),
        ("early 2020", -1, "2020-01-01", "2021-01-01"),
        ("the 1990s", -1, "1990-01-01", "2000-01-01"),
        ("Q3 2024", -1, "2024-07-01", "2024-10-01"),
        ("summer 2021", -1, "2021-06-01", "2021-09-01"),
        ("5 May 2021", -1, "2021-05-05", "2021-05-06"),
        ("May 5th, 2021", -1, "2021-05-05", "2021-05-06"),
        ("the 5th of May", -1, "2025-05-05", "2025-05-06"),
        ("5 May", 1, "2026-05-05", "2026-05-06"),
        ("2021-05-05", -1, "2021-05-05", "2021-05-06"),
        ("13/5/2021", -1, "2021-05-13", "2021-05-14"),
        ("March", -1, "2026-03-01", "2026-04-01"),
        ("June", -1, "2025-06-01", "2025-07-01"),
        ("June", 1, "2026-06-01", "2026-07-01"),
        ("winter", 1, "2026-12-01", "2027-03-01"),
        ("today", -1, "2026-03-04", "2026-03-05"),
        ("yesterday", -1, "2026-03-03", "2026-03-04"),
        ("tomorrow morning", 1, "2026-03-05", "2026-03-06"),
        ("Wednesday", -1, "2026-03-04", "2026-03-05"),
        ("Friday", -1, "2026-02-27", "2026-02-28"),
        ("Friday", 1, "2026-03-06", "2026-03-07"),
        ("next Wednesday", 1, "2026-03-11", "2026-03-12"),
        ("last Wednesday", -1, "2026-02-25", "2026-02-26"),
        ("last week", -1, "2026-02-23", "2026-03-02"),
        ("this month", 1, "2026-03-01", "2026-04-01"),
        ("last year", -1, "2025-01-01", "2026-01-01"),
        ("next year", 1, "2027-01-01", "2028-01-01"),
        ("last quarter", -1, "2025-10-01", "2026-01-01"),
        ("last March", -1, "2025-03-01", "2025-04-01"),
        ("last summer", -1, "2025-06-01", "2025-09-01"),
        ("next weekend", 1, "2026-03-14", "2026-03-16"),
        ("two weeks ago", -1, "2026-02-16", "2026-02-23"),
        ("three days ago", -1, "2026-03-01", "2026-03-02"),
        ("a year ago", -1, "2025-01-01", "2026-01-01"),
        ("the past two years", -1, "2024-03-04", "2026-03-05"),
    ],
)
def test_days_of_an_expression(text: str, direction: int, start: str, end: str) -> None:
    assert period_of(text, SAID.date(), direction) == (date.fromisoformat(start), date.fromisoformat(end))


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Monday 23", "2026-02-23"),  # the last one is near
        ("Monday 16", "2026-02-16"),
        ("Tuesday 31", "2026-03-31"),  # last in 2025; "I thought it was Tuesday 31st"
        ("Friday 17", "2025-10-17"),  # none is near
    ],
)
def test_a_weekday_with_its_number_is_near(text: str, day: str) -> None:
    found = period_of(text, SAID.date(), -1)
    assert found is not None and found.start.isoformat() == day


@pytest.mark.parametrize(
    "text", ["", "3/5/2021", "31 June 2021", "29 February", "the budget", "0000-01-01", "9999 years ago", "x" * 500]
)
def test_what_is_not_certain_is_no_period(text: str) -> None:
    assert period_of(text, SAID.date(), -1) is None


@given(st.text(alphabet="0123456789-/ .,adegilmnorsty", max_size=40), st.dates())
def test_any_text_is_a_proper_period_or_none(text: str, said: date) -> None:
    for phrase in find_phrases(text):
        for direction in (-1, 1):
            period = period_of(phrase.text, said, direction)
            assert period is None or period.start < period.end


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("since March 2021", [("since", "March 2021")]),
        ("from 2019 to 2022", [("from", "2019"), ("to", "2022")]),
        ("Intel (2004-2009)", [("from", "2004"), ("-", "2009")]),
        ("between May and July 2020", [("from", "May 2020"), ("and", "July 2020")]),
        ("from 3 to 7 May 2021", [("from", "3 May 2021"), ("to", "7 May 2021")]),
        ("3-7 May", [("from", "3 May"), ("to", "7 May")]),
        ("until the end of the year", [("until", "the year")]),
        ("the year of the end", []),
        ("May and June", [("", "May"), ("", "June")]),
        ("for about three years", [("for", "three years")]),
        ("we may march in fall colours", [("in", "fall")]),
        ("1999 users, version 3.2020, $2020, a-2020-b", []),
        ("on Fridays", []),
        ("[5 May 2021] Alice: it is", []),
        ("more than 2000", []),
    ],
)
def test_expressions_in_a_text(text: str, found: list[tuple[str, str]]) -> None:
    assert [(phrase.marker, phrase.text) for phrase in find_phrases(text)] == found


def _stated(text: str, predicate: str, zone: str = "UTC", said: datetime = SAID) -> tuple[str | None, ...]:
    bounds = stated_between(list(find_phrases(text)), predicate, said, ZoneInfo(zone))
    return tuple(bound and bound.astimezone(ZoneInfo(zone)).isoformat()[:10] for bound in bounds)


@pytest.mark.parametrize(
    ("text", "predicate", "bounds"),
    [
        ("since March 2021", "live in", ("2021-03-01", None)),
        ("until March 2021", "live in", (None, "2021-04-01")),
        ("before 2020", "live in", (None, "2020-01-01")),
        ("after 2020", "live in", ("2021-01-01", None)),
        ("from 2019 to 2022", "live in", ("2019-01-01", "2023-01-01")),
        ("in 2020", "live in", ("2020-01-01", "2021-01-01")),
        ("in 2020", "join", ("2020-01-01", None)),
        ("in 2020", "be born in", ("2020-01-01", None)),
        ("in 2020", "move to", ("2020-01-01", None)),
        ("in 2020", "move from", (None, "2020-01-01")),
        ("in 2020", "leave", (None, "2020-01-01")),
        ("for three years", "live in", ("2023-03-04", None)),
        ("by Friday", "finish", (None, None)),
        ("from 2022 to 2019", "live in", (None, None)),
    ],
)
def test_bounds_of_a_fact(text: str, predicate: str, bounds: tuple[str | None, str | None]) -> None:
    assert _stated(text, predicate) == bounds


def test_ended_state_ends_on_the_day_of_the_statement() -> None:
    phrases = [TimePhrase(FORMERLY, "", 0, 0)]
    assert stated_between(phrases, "live in", SAID, UTC) == (None, datetime(2026, 3, 4, tzinfo=UTC))


def test_days_are_those_of_the_zone() -> None:
    late = datetime(2026, 3, 4, 23, 30, tzinfo=UTC)  # the fifth in Berlin
    assert _stated("yesterday", "meet", "Europe/Berlin", late) == ("2026-03-04", None)
    start, _ = stated_between(list(find_phrases("today")), "be in", late, ZoneInfo("Europe/Berlin"))
    assert start == datetime(2026, 3, 4, 23, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It is on December 8-10, in Rome", [("from", "December 8"), ("to", "December 10")]),
        ("May 8–10, 2024 in Rome", [("from", "May 8, 2024"), ("to", "May 10, 2024")]),
        ("We meet December 7 and 8 (Monday)", [("", "December 7"), ("", "December 8"), ("", "Monday")]),
        ("We meet May 8 and 9 others come", [("", "May 8")]),
        ("We met on March 3 - 5 pm", [("on", "March 3")]),
        ("He wrote it on a DEC computer", []),
    ],
)
def test_two_days_with_one_month(text: str, found: list[tuple[str, str]]) -> None:
    assert [(phrase.marker, phrase.text) for phrase in find_phrases(text)] == found
