"""The formulas of decay: the checked numbers, the spacing effect, states, and snapshots that never drift."""

import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_retrieval.knowledge.memory_states import expires_at, state_of
from brain_retrieval.knowledge.salience import (
    Strength,
    days_until,
    decay_rate,
    fold_recalls,
    next_gradient,
    recalled,
    salience_at,
    salience_of,
    state_at,
)
from brain_retrieval.settings import MemorySettings

SETTINGS = MemorySettings()
START = datetime(2026, 1, 1, 8, tzinfo=UTC)
DAY = timedelta(days=1)


def fold(*days: float, confidence: float = 1.0, initial: float = 0.5) -> Strength:
    recalls = [START + timedelta(days=d) for d in days]
    return fold_recalls(START, recalls, confidence=confidence, initial=initial, settings=SETTINGS)


@pytest.mark.parametrize(
    ("confidence", "rate", "half_life", "gone"),
    [(1.0, 0.02, 34.7, 195.6), (0.8, 0.02, 34.7, 195.6), (0.7, 0.032, 21.7, 122), (0.5, 0.04, 17.3, 98),
     (0.4, 0.044, 15.8, 88.9)],
)  # fmt: skip
def test_what_is_never_recalled_fades(confidence: float, rate: float, half_life: float, gone: float) -> None:
    found = decay_rate(0.02, recalls=0, confidence=confidence)
    assert found == pytest.approx(rate)
    assert math.log(2) / found == pytest.approx(half_life, abs=0.06)
    assert days_until(0.5, 0.01, found) == pytest.approx(gone, abs=0.5)


@pytest.mark.parametrize(
    ("recalls", "gradient", "rate", "half_life"),
    [(1, 1.0, 0.010, 69), (1, 2.5, 0.010, 69), (5, 1.5, 0.00164, 422), (10, 1.0, 0.00182, 381),
     (10, 1.5, 0.00061, 1131), (10, 2.0, 0.00020, 3500)],
)  # fmt: skip
def test_recalls_slow_decay_down(recalls: int, gradient: float, rate: float, half_life: float) -> None:
    found = decay_rate(0.02, recalls=recalls, gradient=gradient, confidence=0.1)
    assert found == pytest.approx(rate, abs=6e-6)
    assert math.log(2) / found == pytest.approx(half_life, rel=0.005)


def test_it_is_archived_on_day_196_and_not_on_day_20() -> None:
    row = {"anchor_salience": 0.5, "anchor_at": START, "rate": 0.02, "expires_at": None, "access_count": 0}
    row["ttl_policy"] = "decay"
    states = [state_at(row, START + day * DAY, SETTINGS) for day in range(200)]
    assert states.index("archived") == 196
    assert set(states[:196]) == {"candidate"}


def test_a_recall_boosts_and_archived_comes_back() -> None:
    late = fold(300)
    assert late.salience == pytest.approx(0.5 * math.exp(-6) + 0.075)
    assert state_of(late.salience, late.recalls, "decay", archive_below=0.01, core_recalls=10) == "active"
    assert fold(*range(10), initial=0.99).salience == 1.0
    assert days_until(0.5, 0.01, 0.0) == math.inf


def test_spacing_moves_the_gradient_at_the_recall() -> None:
    assert fold(3).gradient == 1.0  # nothing to compare the first interval with
    assert fold(3, 10).gradient == 1.1
    assert fold(3, 10, 11).gradient == 1.05
    assert fold(3, 6, 9).gradient == 1.0  # neither longer nor shorter
    assert fold(3, 10).interval == 7 * DAY
    assert next_gradient(2.95, 2 * DAY, DAY) == 3.0
    assert next_gradient(0.52, DAY, 2 * DAY) == 0.5
    assert fold(3, 10).rate < fold(3, 5).rate


def test_a_recall_before_creation_counts_and_moves_it_back() -> None:
    early = fold(-2)
    assert (early.recalls, early.at, early.salience) == (1, START - 2 * DAY, 0.575)


@pytest.mark.parametrize(
    ("salience", "recalls", "policy", "state"),
    [(0.5, 0, "decay", "candidate"), (0.5, 1, "decay", "active"), (0.5, 9, "decay", "active"),
     (0.5, 10, "decay", "core"), (0.0099, 10, "decay", "archived"), (0.01, 0, "decay", "candidate"),
     (0.0, 0, "keep_forever", "core")],
)  # fmt: skip
def test_states(salience: float, recalls: int, policy: str, state: str) -> None:
    assert state_of(salience, recalls, policy, archive_below=0.01, core_recalls=10) == state


def test_ephemeral_items_end_however_strong() -> None:
    assert expires_at("source", "ephemeral", START) == START + 30 * DAY
    assert expires_at("fact", "ephemeral", START) == START + 90 * DAY
    assert expires_at("fact", "decay", START) is None
    row = {"anchor_salience": 1.0, "anchor_at": START + 29 * DAY, "rate": 1e-4, "expires_at": START + 30 * DAY}
    row |= {"access_count": 20, "ttl_policy": "ephemeral"}
    assert state_at(row, START + 30 * DAY - timedelta(microseconds=1), SETTINGS) == "core"
    assert state_at(row, START + 30 * DAY, SETTINGS) == "archived"
    assert salience_of(row, START + 30 * DAY) == 0.0
    keeps_all = SETTINGS.model_copy(update={"archive_below": 0.0})
    assert state_at(row, START + 30 * DAY, keeps_all) == "archived"


@given(
    st.lists(st.integers(0, 364 * 86_400), max_size=25, unique=True),
    st.sets(st.integers(1, 365), min_size=1, max_size=60),
    st.floats(0, 1),
)
def test_any_snapshots_end_where_the_closed_form_ends(
    seconds: list[int], snapshots: set[int], confidence: float
) -> None:
    """Computing on any snapshots, skipping others, continuing from the last: always the same to the last digit."""
    recalls = sorted(START + timedelta(seconds=s) for s in seconds)
    options = {"confidence": confidence, "initial": 0.5, "settings": SETTINGS}
    carried, done = fold_recalls(START, [], **options), 0
    for snapshot in sorted(snapshots):
        end = START + snapshot * DAY
        due = [at for at in recalls if at < end]
        for at in due[done:]:
            carried = recalled(carried, at, SETTINGS)
        done = len(due)
        whole = fold_recalls(START, due, **options)
        assert carried == whole
        assert salience_at(carried.salience, carried.at, carried.rate, end) == salience_at(
            whole.salience, whole.at, whole.rate, end
        )
        assert 0.0 <= whole.salience <= 1.0
        assert 0.5 <= whole.gradient <= 3.0


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.0001, 0.06), st.floats(0, 3000), st.floats(0, 3000))
def test_salience_only_falls_between_recalls(
    salience: float, other: float, rate: float, first: float, second: float
) -> None:
    early, late = (START + timedelta(days=d) for d in sorted((first, second)))
    assert salience_at(salience, START, rate, late) <= salience_at(salience, START, rate, early) <= round(salience, 9)
    weaker = min(salience, other)
    assert salience_at(weaker, START, rate, late) <= salience_at(max(salience, other), START, rate, late)
