"""Features of the chunks beside a candidate, worked out by hand and against a loop over places."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain_retrieval.query.features.beside import at_distance, beside, neighbourhood, parent_scores, parent_sums
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
