"""Partition keys, ranges and calendars. The budget is tested in `test_partition_budget.py`."""

from datetime import date

import dagster as dg
import pytest

from brain_pipelines.orchestration.days.calendar import Calendar
from brain_pipelines.orchestration.partitions import Work, range_tags, work_items

DAYS = Calendar(date(2026, 1, 3))
MONTHS = Calendar(date(2026, 1, 3), "month")


def keys_of(calendar: Calendar) -> list[str]:
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("users", ["alice"])
        return list(calendar.definition().get_partition_keys(dynamic_partitions_store=instance))


def test_keys_have_the_format_of_dagster() -> None:
    assert DAYS.key("alice", "2026-01-05") == dg.MultiPartitionKey({"user": "alice", "day": "2026-01-05"})
    assert MONTHS.key("alice", "2026-01-05") == dg.MultiPartitionKey({"user": "alice", "month": "2026-01"})


@pytest.mark.parametrize(("calendar", "first"), [(DAYS, "2026-01-03|alice"), (MONTHS, "2026-01|alice")])
def test_partitions_begin_with_the_first_day_and_end_with_today(calendar: Calendar, first: str) -> None:
    keys = keys_of(calendar)
    last = date.fromisoformat(f"{max(keys).partition('|')[0]}-01"[:10])
    assert keys[0] == first and len(keys) == len(set(keys)) == calendar.count(last)


@pytest.mark.parametrize(
    ("today", "days", "months"),
    [
        (date(2026, 1, 3), 1, 1),
        (date(2026, 1, 31), 29, 1),
        (date(2026, 2, 1), 30, 2),
        (date(2027, 1, 2), 365, 13),
        (date(2025, 6, 1), 1, 1),  # the clock is behind the first day
    ],
)
def test_a_user_has_a_partition_for_every_day_or_month(today: date, days: int, months: int) -> None:
    assert (DAYS.count(today), MONTHS.count(today)) == (days, months)


def test_days_before_the_first_lie_on_it() -> None:
    assert (DAYS.span_of("1999-05-05"), MONTHS.span_of("1999-05-05")) == ("2026-01-03", "2026-01")


def test_days_of_a_month_end_with_it() -> None:
    assert DAYS.days_of("2028-02-03") == ["2028-02-03"]
    assert MONTHS.days_of("2028-02")[::28] == ["2028-02-01", "2028-02-29"]


def test_work_items_group_rectangle_by_user() -> None:
    days = ("2026-01-05", "2026-01-06")
    keys = [DAYS.key(user, day) for user in ("alice", "bob") for day in days]
    assert work_items(keys, DAYS) == {user: Work(days, days) for user in ("alice", "bob")}


def test_run_over_a_part_of_a_month_is_for_its_days_only() -> None:
    tags = range_tags("alice", "2026-01-05", "2026-01-07", MONTHS)
    assert work_items(["2026-01|alice"], MONTHS, tags)["alice"].days == ("2026-01-05", "2026-01-06", "2026-01-07")
    assert len(work_items(["2026-01|alice"], MONTHS)["alice"].days) == 31  # from the UI


def test_run_tags_contain_user_for_serialisation() -> None:
    assert range_tags("alice", "2026-01-05", "2026-01-31", DAYS)["brain/user"] == "alice"
