"""Run planning: grouping dirty days into runs."""

from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_pipelines.landing.run_planning import MAX_GAP, MAX_SPAN, DirtyDay, days_between, plan_runs, spans

DAYS = st.dates(date(2024, 1, 1), date(2026, 12, 31)).map(date.isoformat)


def dirty(user: str, source: str, day: str, content: str = "c1") -> DirtyDay:
    return DirtyDay(user, source, day, content)


@given(st.lists(DAYS, max_size=60))
def test_spans_contain_every_day_once_within_limits(days: list[str]) -> None:
    groups = spans(days)
    assert [day for group in groups for day in group] == sorted(set(days))
    for group in groups:
        assert len(days_between(group[0], group[-1])) <= MAX_SPAN
        for before, after in pairwise(group):
            assert len(days_between(before, after)) - 2 <= MAX_GAP


def test_month_is_one_run_and_year_is_twelve() -> None:
    start = date(2025, 1, 1)
    year = [(start + timedelta(days=n)).isoformat() for n in range(365)]
    assert len(spans(year[:31])) == 1
    assert len(spans(year)) == 12


def test_distant_days_are_separate_runs() -> None:
    assert spans(["2026-01-01", "2026-01-20"]) == [["2026-01-01"], ["2026-01-20"]]


def test_order_of_arrival_does_not_matter() -> None:
    days = [
        dirty("bob", "note", "2026-01-02"),
        dirty("alice", "note", "2026-01-03"),
        dirty("alice", "note", "2026-01-01"),
    ]
    assert plan_runs(days, "4") == plan_runs(list(reversed(days)), "4")


def test_users_and_sources_never_share_a_run() -> None:
    days = [dirty(u, s, "2026-01-01") for u in ("alice", "bob") for s in ("note", "document")]
    assert {(r.user, r.source) for r in plan_runs(days, None).requests} == {(d.user, d.source) for d in days}


def test_limit_leaves_rest_for_next_tick() -> None:
    days = [dirty(f"user-{n:04}", "note", "2026-01-01") for n in range(250)]
    first = plan_runs(days, None, limit=100)
    assert (len(first.requests), len(first.taken), first.left, first.batch) == (100, 100, 150, 1)
    assert first.held == 0  # nothing waits for a confirmation
    rest = plan_runs([d for d in days if d not in first.taken], str(first.batch), limit=100)
    assert (len(rest.requests), rest.batch) == (100, 2)
    assert not {d.user for d in first.taken} & {d.user for d in rest.taken}


def test_run_key_is_equal_for_repeated_tick_and_new_for_redelivery() -> None:
    first, edited = dirty("alice", "note", "2026-01-01", "v1"), dirty("alice", "note", "2026-01-01", "v2")

    def key(day: DirtyDay, cursor: str | None) -> str:
        plan = plan_runs([day], cursor)
        return plan.requests[0].run_key(plan.batch)

    assert key(first, None) == key(first, None)  # a tick lost before Dagster accepted it
    assert len({key(first, None), key(edited, "1"), key(first, "2")}) == 3  # edited, then restored


@pytest.mark.parametrize("cursor", [None, "0", "7", "", "garbage"])
def test_no_dirty_days_means_no_run(cursor: str | None) -> None:
    assert plan_runs([], cursor).requests == ()
