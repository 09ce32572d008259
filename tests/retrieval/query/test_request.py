"""Times, days and counts of a search: what is accepted and what it means."""

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.moments import to_moment
from brain_retrieval.query.request import build_scope, check_k
from brain_retrieval.stores.index.filters import IndexFilter

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (date(2026, 1, 5), datetime(2026, 1, 5, 22, 59, 59, 999999, tzinfo=UTC)),
        ("2026-01-05", datetime(2026, 1, 5, 22, 59, 59, 999999, tzinfo=UTC)),
        ("2026-01-05T10:00", datetime(2026, 1, 5, 9, tzinfo=UTC)),
        ("2026-01-05T10:00:00Z", datetime(2026, 1, 5, 10, tzinfo=UTC)),
        (datetime(2026, 1, 5, 10), datetime(2026, 1, 5, 9, tzinfo=UTC)),  # noqa: DTZ001
        (datetime(2026, 1, 5, 10, tzinfo=timezone(timedelta(hours=5))), datetime(2026, 1, 5, 5, tzinfo=UTC)),
        ("2999-01-01", datetime(2999, 1, 1, 22, 59, 59, 999999, tzinfo=UTC)),
    ],
)
def test_a_date_means_its_end_and_a_naive_time_is_local(value: object, expected: datetime) -> None:
    assert to_moment(value, BERLIN) == expected  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("value", ["yesterday", "2026-13-01", "", "' OR 1=1 --", 5, "0001-01-01T00:00+14:00"])
def test_invalid_times_are_rejected(value: object) -> None:
    with pytest.raises(InvalidQueryError, match="as_of"):
        build_scope(zone=BERLIN, as_of=value)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("k", [0, -1, 1001, 1.5, "10", True, None])
def test_k_is_bounded(k: object) -> None:
    with pytest.raises(InvalidQueryError):
        check_k(k)  # pyright: ignore[reportArgumentType]


def test_one_name_is_one_value_whatever_it_holds() -> None:
    within = build_scope(zone=UTC, sources="note' OR '1'='1").within
    assert within == IndexFilter(sources=["note' OR '1'='1"])


def test_people_are_found_in_any_case() -> None:
    speakers = build_scope(zone=UTC, people="ana").within.speakers or ()
    assert {"ana", "Ana", "ANA"} <= set(speakers)


def test_days_take_one_or_many() -> None:
    day = IndexFilter(days=["2026-01-05"])
    assert build_scope(zone=UTC, days="2026-01-05").within == day
    assert build_scope(zone=UTC, days=[date(2026, 1, 5)]).within == day
    with pytest.raises(InvalidQueryError):
        build_scope(zone=UTC, days="5 January")
