"""The limits of a run to the day: how long it may be, which gaps it bridges, in what order runs are asked for."""

from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_pipelines.landing.run_planning import DirtyDay, batch_of, days_between, plan_runs, spans

START = date(2026, 1, 1)
NUMBERS = st.sets(st.integers(0, 400), max_size=80)


def iso(number: int) -> str:
    """Return the ISO day `number` days after 1 January 2026."""
    return (START + timedelta(days=number)).isoformat()


def grouped(*numbers: int) -> list[list[int]]:
    found = spans([iso(n) for n in numbers])
    return [[(date.fromisoformat(day) - START).days for day in group] for group in found]


def test_seven_empty_days_are_bridged_and_eight_are_not() -> None:
    assert grouped(0, 8) == [[0, 8]]
    assert grouped(0, 9) == [[0], [9]]
    assert grouped(0, 8, 17, 25) == [[0, 8], [17, 25]]


def test_a_run_ends_after_31_days_whatever_is_between() -> None:
    assert grouped(*range(32)) == [list(range(31)), [31]]
    assert grouped(0, 6, 12, 18, 24, 30) == [[0, 6, 12, 18, 24, 30]]
    assert grouped(1, 7, 13, 19, 25, 32) == [[1, 7, 13, 19, 25], [32]]


def test_other_limits_can_be_asked_for() -> None:
    days = [iso(n) for n in (0, 1, 2, 4)]
    assert spans(days, max_span=2, max_gap=0) == [[iso(0), iso(1)], [iso(2)], [iso(4)]]
    assert spans(days, max_span=3, max_gap=1) == [[iso(0), iso(1), iso(2)], [iso(4)]]


@given(NUMBERS)
def test_no_run_is_begun_that_the_one_before_could_have_held(numbers: set[int]) -> None:
    for before, after in pairwise(grouped(*numbers)):
        assert after[0] - before[0] >= 31 or after[0] - before[-1] > 8


def test_days_between_are_all_days_and_both_ends() -> None:
    assert days_between("2028-02-27", "2028-03-02") == [
        "2028-02-27", "2028-02-28", "2028-02-29", "2028-03-01", "2028-03-02",
    ]  # fmt: skip
    assert days_between("2026-01-05", "2026-01-05") == ["2026-01-05"]
    assert days_between("2026-01-05", "2026-01-04") == []


def test_runs_are_asked_for_by_user_source_and_day_with_their_changed_days() -> None:
    days = [
        DirtyDay("bob", "note", iso(0), "1"),
        DirtyDay("alice", "note", iso(40), "2"),
        DirtyDay("alice", "note", iso(3), "3"),
        DirtyDay("alice", "note", iso(0), "4"),
        DirtyDay("alice", "email", iso(50), "5"),
    ]
    plan = plan_runs(days, "8")
    assert [(r.user, r.source, r.start, r.end, r.days) for r in plan.requests] == [
        ("alice", "email", iso(50), iso(50), (iso(50),)),
        ("alice", "note", iso(0), iso(3), (iso(0), iso(3))),
        ("alice", "note", iso(40), iso(40), (iso(40),)),
        ("bob", "note", iso(0), iso(0), (iso(0),)),
    ]
    assert (plan.batch, plan.left) == (9, 0)
    assert plan.taken == tuple(sorted(days))


def test_a_hundred_runs_are_asked_for_in_one_tick_unless_another_limit_is_given() -> None:
    days = [DirtyDay("alice", "note", iso(20 * n), "1") for n in range(120)]
    plan = plan_runs(days, None)
    assert (len(plan.requests), plan.left) == (100, 20)
    assert [d.day for d in plan.taken] == [iso(20 * n) for n in range(100)]


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 4, 5])
def test_what_is_taken_is_what_the_runs_cover_and_the_rest_is_counted(limit: int) -> None:
    days = [DirtyDay(user, "note", iso(n), "1") for user in ("alice", "bob") for n in (0, 1, 2, 40)]
    plan = plan_runs(days, None, limit=limit)
    assert len(plan.requests) == min(limit, 4)
    assert [(d.user, d.day) for d in plan.taken] == [(r.user, day) for r in plan.requests for day in r.days]
    assert plan.left == len(days) - len(plan.taken)


def test_every_part_of_a_run_is_in_its_key() -> None:
    def key(*days: DirtyDay, cursor: str | None = None) -> str:
        plan = plan_runs(days, cursor)
        return plan.requests[0].run_key(plan.batch)

    first, second = DirtyDay("alice", "note", iso(0), "v1"), DirtyDay("alice", "note", iso(2), "v2")
    keys = [
        key(first, second),
        key(first, second, cursor="1"),
        key(first),
        key(second),
        key(first, DirtyDay("alice", "note", iso(2), "v1")),
        key(first, DirtyDay("alice", "note", iso(1), "v2"), second),  # the same ends, one day more
        key(DirtyDay("alice", "note", iso(0), "v2"), DirtyDay("alice", "note", iso(2), "v1")),  # exchanged
        key(DirtyDay("bob", "note", iso(0), "v1"), DirtyDay("bob", "note", iso(2), "v2")),
        key(DirtyDay("alice", "email", iso(0), "v1"), DirtyDay("alice", "email", iso(2), "v2")),
    ]
    assert len(set(keys)) == len(keys)
    assert key(second, first) == keys[0]


@pytest.mark.parametrize(
    ("cursor", "batch"), [(None, 0), ("", 0), ("0", 0), ("12", 12), ("-3", 0), ("1.5", 0), ("no number", 0)]
)
def test_a_cursor_that_cannot_be_read_counts_as_the_first(cursor: str | None, batch: int) -> None:
    assert batch_of(cursor) == batch
