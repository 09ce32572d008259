"""Features of the chunks beside a candidate, worked out by hand and against a loop over places."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain_retrieval.query.features.beside import (
    at_distance,
    beside,
    neighbourhood,
    parent_scores,
    parent_sums,
    window,
)
from tests.retrieval.query.pools import place, pool_of

NAN = float("nan")
ROWS = {"a0": place("a", 0), "a1": place("a", 1), "a3": place("a", 3), "b2": place("b", 2)}
FUSED = [0.8, 0.4, 0.2, 0.6]
PLACES = st.dictionaries(st.tuples(st.sampled_from("abc"), st.integers(0, 12)), st.floats(0, 1), min_size=1)


def close(found: np.ndarray, *expected: float) -> bool:
    return found.tolist() == pytest.approx(list(expected), nan_ok=True)


@pytest.mark.parametrize(
    ("distance", "expected"),
    [
        (1, (0.4, 0.0, NAN, NAN)),  # place 2 of a exists and is no candidate; after 3 nothing is known
        (-1, (NAN, 0.8, 0.0, 0.0)),
        (2, (0.0, 0.2, NAN, NAN)),
        (-2, (NAN, NAN, 0.4, 0.0)),
        (3, (0.2, NAN, NAN, NAN)),
        (-3, (NAN, NAN, 0.8, NAN)),
    ],
)
def test_the_score_at_a_distance(distance: int, expected: tuple[float, ...]) -> None:
    assert close(at_distance(pool_of(ROWS, FUSED), distance), *expected)


def test_all_features_of_the_group() -> None:
    found = beside(pool_of(ROWS, FUSED, weights=(0.5,)))
    assert close(found["neighbourhood"], 1.0 / 1.5, 0.8 / 2, 0.2 / 1.5, 0.6 / 1.5)
    assert close(found["before"], 0.0, 0.8, 0.0, 0.0)
    assert close(found["after"], 0.4, 0.0, 0.0, 0.0)
    assert close(found["two_away"], 0.0, 0.2, 0.4, 0.0)
    assert close(found["nearby"], 0.4, 0.8, 0.8, 0.0)
    assert close(found["parent"], 0.8, 0.8, 0.8, 0.6)
    assert close(found["parent_sum"], *[(0.8 + 0.4 / 2 + 0.2 / 4) / 2] * 3, 0.3)
    assert close(found["first"], 1.0, 0.0, 0.0, 0.0)


def test_nearby_is_up_to_three_places_away() -> None:
    rows = {"a0": place("a", 0), "a3": place("a", 3), "a4": place("a", 4)}
    assert close(beside(pool_of(rows, [0.2, 0.4, 0.9]))["nearby"], 0.4, 0.9, 0.4)


def test_without_a_candidate_every_feature_is_empty() -> None:
    assert {key: len(values) for key, values in beside(pool_of({})).items() if len(values)} == {}
    assert len(window(pool_of({}))) == 0


def test_the_window_is_a_mean_over_the_places_that_exist_near_ones_counting_more() -> None:
    one, two, three = (float(np.exp(-0.5 * (away / 2) ** 2)) for away in (1, 2, 3))  # written out: a change is a change
    means = window(pool_of(ROWS, FUSED))
    mass = 1 + one + two + three  # from place 0 of a: itself, 1, 2 and 3; after 3 nothing is known
    assert means[0] == pytest.approx((0.8 + 0.4 * one + 0.2 * three) / mass)
    assert means[1] == pytest.approx((0.4 + 0.8 * one + 0.2 * two) / (1 + 2 * one + two))
    assert means[3] == pytest.approx(0.6 / (1 + one + two))
    lonely = {"a0": place("a", 0), "a7": place("a", 7), "b0": place("b", 0)}
    side = sum(float(np.exp(-0.5 * (away / 2) ** 2)) for away in range(1, 7))
    assert close(window(pool_of(lonely, [0.8, 0.4, 0.5])), 0.8 / (1 + side), 0.4 / (1 + side), 0.5)


@settings(max_examples=30)
@given(PLACES)
def test_the_window_equals_a_loop_over_places(places: dict[tuple[str, int], float]) -> None:
    rows = {f"{source}{n}": place(source, n) for source, n in places}
    last = {source: max(n for s, n in places if s == source) for source, _ in places}
    expected = []
    for source, here in places:
        near = range(max(0, here - 6), min(last[source], here + 6) + 1)
        shares = [float(np.exp(-((n - here) ** 2) / 8)) for n in near]
        scores = [places.get((source, n), 0.0) for n in near]
        expected.append(sum(s * x for s, x in zip(shares, scores, strict=True)) / sum(shares))
    assert window(pool_of(rows, list(places.values()))).tolist() == pytest.approx(expected)


def test_a_chunk_between_good_neighbours_gains_and_a_lonely_source_loses_nothing() -> None:
    rows = {"a0": place("a", 0), "a1": place("a", 1), "a2": place("a", 2), "b": place("b", 0)}
    means = neighbourhood(pool_of(rows, [0.8, 0.4, 0.8, 0.5], weights=(0.5,)))
    assert means[1] == pytest.approx((0.4 + 0.5 * 0.8 + 0.5 * 0.8) / 2)
    assert means[3] == 0.5


def test_a_place_that_is_no_candidate_counts_nothing() -> None:
    means = neighbourhood(pool_of({"a5": place("a", 5)}, [0.9], weights=(0.5,)))
    assert close(means, 0.9 / 1.5)


def test_a_neighbour_counts_only_in_its_own_source() -> None:
    rows = {"a1": place("a", 1), "b0": place("b", 0), "b2": place("b", 2)}
    means = neighbourhood(pool_of(rows, [0.4, 1.0, 1.0], weights=(0.5,)))
    assert close(means, 0.4 / 1.5, 1.0 / 1.5, 1.0 / 1.5)


def test_the_parent_is_the_best_of_its_chunks() -> None:
    rows = {"a0": place("a", 0), "b": place("b", 0), "a1": place("a", 1)}
    assert close(parent_scores(pool_of(rows, [0.2, 0.1, 0.7])), 0.7, 0.1, 0.7)
    assert close(parent_sums(pool_of(rows, [0.2, 0.1, 0.7])), 0.4, 0.05, 0.4)


@settings(max_examples=60, deadline=None)
@given(PLACES, st.lists(st.floats(0, 1), max_size=10))
def test_the_neighbourhood_is_that_of_a_loop_over_places(
    at: dict[tuple[str, int], float], weights: list[float]
) -> None:
    """Also with more weights than the distances that have a feature of their own."""
    rows = {f"{source}{position}": place(source, position) for source, position in at}
    last = {source: max(p for s, p in at if s == source) for source, _ in at}
    expected = []
    for (source, position), score in at.items():
        total, mass = score, 1.0
        for away, weight in enumerate(weights, start=1):
            for there in (position - away, position + away):
                if 0 <= there <= last[source]:
                    total += weight * at.get((source, there), 0.0)
                    mass += weight
        expected.append(total / mass)
    pool = pool_of(rows, list(at.values()), weights=tuple(weights))
    assert close(neighbourhood(pool), *expected)
    assert close(beside(pool)["neighbourhood"], *expected)
