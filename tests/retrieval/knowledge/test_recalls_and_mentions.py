"""The effect of recalls and mentions on salience, computed by hand from docs/memory.md."""

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain_retrieval.knowledge.salience import (
    Strength,
    days_until,
    decay_rate,
    fold_recalls,
    mentioned,
    next_gradient,
    recalled,
    salience_at,
    salience_of,
)
from brain_retrieval.settings import MemorySettings

SETTINGS = MemorySettings()
START = datetime(2026, 1, 1, 8, tzinfo=UTC)
DAYS = st.lists(st.floats(0, 400), max_size=8)


def day(number: float) -> datetime:
    return START + timedelta(days=number)


def strength(recalls: list[float], mentions: list[float], *, confidence: float = 1.0, initial: float = 0.5) -> Strength:
    return fold_recalls(
        START,
        [day(n) for n in recalls],
        confidence=confidence,
        initial=initial,
        settings=SETTINGS,
        mentions=[day(n) for n in mentions],
    )


def test_recall_mention_recall() -> None:
    first = strength([10], [])
    assert first.salience == pytest.approx(0.5 * math.exp(-0.2) + 0.075)
    assert (first.rate, first.recalls, first.gradient, first.interval) == (0.01, 1, 1.0, timedelta(days=10))

    renewed = strength([10], [20])  # 0.484 fades to 0.438, less than something new
    assert (renewed.salience, renewed.at, renewed.since) == (0.5, day(20), day(10))
    assert (renewed.rate, renewed.recalls, renewed.gradient, renewed.interval) == (0.01, 1, 1.0, timedelta(days=10))

    second = strength([10, 40], [20])
    assert second.salience == pytest.approx(0.5 * math.exp(-0.2) + 0.075)
    assert second.interval == timedelta(days=30)  # since the recall, not since the mention
    assert second.gradient == 1.1
    assert second.rate == pytest.approx(0.02 / (1 + 2**1.1))
    assert (second.recalls, second.at, second.since) == (2, day(40), day(40))


def test_the_first_interval_runs_from_creation_also_after_a_mention() -> None:
    assert strength([12], [5]).interval == timedelta(days=12)
    assert strength([12, 20], [5]).gradient == 0.95  # 8 days after 12


def test_the_same_interval_again_leaves_the_gradient_alone() -> None:
    assert strength([7, 14, 21], [8, 9]).gradient == 1.0


def test_a_mention_never_weakens() -> None:
    strong = strength([], [10], initial=1.0)
    assert strong.salience == 1.0
    often = strength([0, 1, 2, 3], [4])
    assert often.salience == pytest.approx(strength([0, 1, 2, 3], []).salience * math.exp(-often.rate), abs=1e-8)
    assert often.salience > 0.5


def test_a_mention_of_what_was_just_recalled_or_created_changes_nothing() -> None:
    before = strength([10], [])
    assert mentioned(before, day(10), 1.0) == before
    assert mentioned(before, day(9), 1.0) == before
    assert strength([], [0]) == strength([], [])


def test_a_recall_at_the_moment_of_a_mention_comes_after_it() -> None:
    assert strength([100], [100]).salience == 0.575


@pytest.mark.parametrize(("confidence", "rate"), [(1.0, 0.02), (0.8, 0.02), (0.5, 0.04), (0.0, 0.06)])
def test_doubt_counts_until_the_first_recall(confidence: float, rate: float) -> None:
    assert strength([], [], confidence=confidence).rate == pytest.approx(rate)
    found = strength([10], [], confidence=confidence)
    assert found.salience == pytest.approx(0.5 * math.exp(-10 * rate) + 0.075)
    assert found.rate == 0.01


@settings(max_examples=50)
@given(DAYS, DAYS, st.randoms(use_true_random=False))
def test_the_order_in_which_they_are_known_does_not_matter(
    recalls: list[float], mentions: list[float], random: object
) -> None:
    mixed = [list(recalls), list(mentions)]
    for days in mixed:
        random.shuffle(days)  # pyright: ignore[reportAttributeAccessIssue]
    assert strength(*mixed) == strength(recalls, mentions)


@settings(max_examples=50)
@given(DAYS, DAYS, st.floats(0, 1), st.floats(0, 400))
def test_another_mention_never_makes_weaker_nor_recall_less(
    recalls: list[float], mentions: list[float], initial: float, extra: float
) -> None:
    without, with_it = (strength(recalls, days, initial=initial) for days in (mentions, [*mentions, extra]))
    left, renewed = (salience_at(s.salience, s.at, s.rate, day(500)) for s in (without, with_it))
    assert renewed >= left - 1e-7
    assert (without.recalls, without.gradient, without.rate) == (with_it.recalls, with_it.gradient, with_it.rate)


def test_hours_count_and_before_the_anchor_nothing_is_lost() -> None:
    assert salience_at(0.5, START, 0.02, day(0.5)) == pytest.approx(0.5 * math.exp(-0.01))
    assert salience_at(0.5, START, 0.02, day(-5)) == 0.5
    assert salience_at(0.5, START, 0.02, START) == 0.5
    row = {"anchor_salience": 0.5, "anchor_at": START, "rate": 0.02, "expires_at": day(30)}
    assert salience_of(row, day(29)) == pytest.approx(0.5 * math.exp(-0.58))
    assert [salience_of(row, day(n)) for n in (30, 31)] == [0.0, 0.0]


def test_saliences_have_nine_digits_whatever_computed_them() -> None:
    folded = [strength([10], []).salience, strength([0, 1, 2, 3], [4]).salience]
    for value in (*folded, salience_at(0.5, START, 0.02, day(7))):
        assert value == round(value, 9)
    assert strength([1, 3, 6, 10], []).gradient == 1.3  # three steps of 0.1, without their rounding errors


def test_the_gradient_has_a_floor_and_a_ceiling() -> None:
    one, two = timedelta(days=1), timedelta(days=2)
    assert [next_gradient(g, two, one) for g in (1.0, 2.9, 2.95, 3.0)] == [1.1, 3.0, 3.0, 3.0]
    assert [next_gradient(g, one, two) for g in (1.0, 0.55, 0.52, 0.5)] == [0.95, 0.5, 0.5, 0.5]
    assert next_gradient(1.2, one, one) == 1.2


def test_a_recall_known_late_has_no_negative_interval() -> None:
    late = recalled(Strength(0.5, day(10), 0.01, recalls=1, since=day(10)), day(8), SETTINGS)
    assert late.interval == timedelta()
    assert late.salience == 0.575


def test_defaults_are_certainty_and_the_first_gradient() -> None:
    assert decay_rate(0.02, recalls=0) == 0.02
    assert decay_rate(0.02, recalls=4) == 0.02 / 5


def test_days_until_a_threshold() -> None:
    assert days_until(0.5, 0.25, 0.02) == pytest.approx(math.log(2) / 0.02)
    assert [days_until(s, 0.1, 0.02) for s in (0.1, 0.05)] == [0.0, 0.0]
    assert [days_until(s, 0.1, 0.0) for s in (0.05, 0.1)] == [0.0, 0.0]
