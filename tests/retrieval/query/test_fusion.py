"""Fusion is arithmetic: checked against hand-worked numbers."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.query.candidates import Arm
from brain_retrieval.query.fusion import (
    by_spread,
    check_fusion,
    fuse,
    normalise,
    over_maximum,
    parts_of_fusion,
    reciprocal_rank_fusion,
    weighted_fusion,
)

NAN = float("nan")
SCORES = st.lists(st.floats(-1, 1) | st.just(NAN), min_size=1)


def ranks(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def close(found: np.ndarray, *expected: float) -> bool:
    return found.tolist() == pytest.approx(list(expected), nan_ok=True)


def test_item_found_by_both_retrievers_ranks_first() -> None:
    places = {"vector": ranks(1, 2, 3, 0), "graph": ranks(3, 1, 0, 2)}  # a, b, c, d
    fused = reciprocal_rank_fusion(places, {"vector": 0.5, "graph": 0.5})
    assert "".join("abcd"[place] for place in np.argsort(-fused)) == "badc"
    assert close(fused, 0.5 / 61 + 0.5 / 63, 0.5 / 62 + 0.5 / 61, 0.5 / 63, 0.5 / 62)


def test_rrf_takes_any_number_of_retrievers_and_ignores_weight_zero() -> None:
    places = {"vector": ranks(1, 0, 0), "lexical": ranks(0, 1, 0), "graph": ranks(0, 1, 0), "temporal": ranks(0, 0, 1)}
    fused = reciprocal_rank_fusion(places, {"vector": 1, "lexical": 1, "graph": 1, "temporal": 0}, k=1)
    assert fused.tolist() == [0.5, 1.0, 0.0]


def test_weighted_fusion_is_convex_over_the_retrievers_present() -> None:
    weights = {"vector": 0.6, "lexical": 0.4, "graph": 9.0}
    fused = weighted_fusion({"vector": np.array([1.0, 0.5]), "lexical": np.array([NAN, 1.0])}, weights)
    assert close(fused, 0.6, 0.7)


def test_weights_are_normalised_over_the_retrievers_present() -> None:
    scores = {"vector": [1.0, 0.5, NAN], "lexical": [NAN, 1.0, NAN], "unknown": [NAN, NAN, 1.0]}
    arrays = {name: np.array(values) for name, values in scores.items()}
    fused = weighted_fusion(arrays, {"vector": 3.0, "lexical": 1.0, "graph": 4.0})
    assert close(fused, 0.75, 0.625, 0.0)  # a retriever without a weight counts nothing
    assert weighted_fusion({"vector": np.array([1.0])}, {"lexical": 1.0}).tolist() == [0.0]
    assert weighted_fusion({}, {"vector": 1.0}).tolist() == []


def test_rrf_ignores_a_retriever_without_a_weight() -> None:
    found = reciprocal_rank_fusion({"vector": ranks(1, 0), "unknown": ranks(0, 1)}, {"vector": 61.0})
    assert found.tolist() == [1.0, 0.0]
    assert reciprocal_rank_fusion({}, {"vector": 1.0}).tolist() == []


def test_the_method_decides_what_is_fused() -> None:
    """Weighted fusion adds normalised scores; RRF adds reciprocal ranks, over their maximum."""
    arms = {
        "lexical": Arm("lexical", np.array([8.0, 2.0, NAN]), ranks(1, 2, 0)),
        "vector": Arm("vector", np.array([0.4, 0.8, 0.6]), ranks(3, 1, 2)),
    }
    normalised = {name: normalise(arm) for name, arm in arms.items()}
    weights = {"lexical": 0.25, "vector": 0.75}
    assert close(fuse(arms, normalised, "weighted", weights), 0.25 + 0.375, 0.0625 + 0.75, 0.5625)
    sums = [0.25 / 2 + 0.75 / 4, 0.25 / 3 + 0.75 / 2, 0.75 / 3]
    assert close(fuse(arms, normalised, "rrf", weights, rrf_k=1), sums[0] / sums[1], 1.0, sums[2] / sums[1])
    usual = [0.25 / 61 + 0.75 / 63, 0.25 / 62 + 0.75 / 61, 0.75 / 62]
    assert close(fuse(arms, normalised, "rrf", weights), usual[0] / usual[1], 1.0, usual[2] / usual[1])


@pytest.mark.parametrize("method", ["weighted", "rrf"])
@pytest.mark.parametrize("weight", [0.0, 0.25])
def test_the_parts_of_a_fusion_add_up_to_it(method: str, weight: float) -> None:
    """Also where the retrievers present have no weight: every part is then 0."""
    arms = {
        "lexical": Arm("lexical", np.array([8.0, 2.0, NAN]), ranks(1, 2, 0)),
        "vector": Arm("vector", np.array([0.4, 0.8, 0.6]), ranks(3, 1, 2)),
    }
    normalised = {name: normalise(arm) for name, arm in arms.items()}
    weights = {"lexical": weight, "vector": 3 * weight}
    parts = parts_of_fusion(arms, normalised, method, weights)
    assert close(sum(parts.values()), *fuse(arms, normalised, method, weights).tolist())
    assert (parts["vector"][1] > 0) == (weight > 0)


def test_the_retriever_decides_how_its_scores_are_normalised() -> None:
    scores, places = np.array([0.8, 0.4, 0.1]), ranks(1, 2, 0)
    assert close(normalise(Arm("lexical", scores, places)), 1.0, 0.5, 0.125)
    assert close(normalise(Arm("vector", scores + 0.1, places)), 1.0, 0.5, 0.125)
    assert close(normalise(Arm("graph", scores + 0.1, places)), 1.0, 0.5, 0.125)


def test_normalisation() -> None:
    assert over_maximum(np.array([8.0, 2.0])).tolist() == [1.0, 0.25]
    assert over_maximum(np.array([0.0])).tolist() == [0.0]
    assert close(by_spread(np.array([0.8, 0.4, 0.1]), lowest=0.4), 1.0, 0.5, 0.125)


def test_normalisation_at_the_edges() -> None:
    assert over_maximum(np.array([])).tolist() == []
    assert over_maximum(np.array([0.5, 0.25, -1.0])).tolist() == [1.0, 0.5, 0.0]
    assert over_maximum(np.array([-2.0, -1.0])).tolist() == [0.0, 0.0]
    assert by_spread(np.array([]), lowest=0.0).tolist() == []
    assert by_spread(np.array([0.3, 0.3]), lowest=0.3).tolist() == [1.0, 1.0]
    assert close(by_spread(np.array([-0.2, -0.4, -0.9]), lowest=-0.4), 1.0, 0.5, 0.0)


def test_an_unknown_score_stays_unknown() -> None:
    assert close(over_maximum(np.array([NAN, 4.0, 2.0])), NAN, 1.0, 0.5)
    assert close(by_spread(np.array([0.8, NAN, 0.4]), lowest=0.4), 1.0, NAN, 0.5)
    for nothing in (over_maximum(np.array([NAN, NAN])), by_spread(np.array([NAN, NAN]), lowest=0.0)):
        assert np.isnan(nothing).all()


@given(SCORES)
def test_normalised_scores_keep_the_order_and_the_unit_interval(values: list[float]) -> None:
    raw = np.array(values)
    known = np.isfinite(raw)
    for found in (by_spread(raw, lowest=float(np.nanmin(raw)) if known.any() else 0.0), over_maximum(raw)):
        assert (np.isfinite(found) == known).all()
        assert ((found[known] >= 0) & (found[known] <= 1)).all()
        ordered = found[known][np.argsort(raw[known])]
        assert all(low <= high + 1e-9 for low, high in pairwise(ordered))


@pytest.mark.parametrize("method", ["weighted", "rrf"])
@pytest.mark.parametrize("weights", [{"vector": 1.0}, {"vector": 0.0, "lexical": 0.3}, {"vector": 7, "lexical": 0}])
def test_any_weights_from_0_up_are_accepted(method: str, weights: dict[str, float]) -> None:
    check_fusion(method, weights, ("vector", "lexical"))


def test_error_names_the_invalid_option_and_the_valid_ones() -> None:
    with pytest.raises(InvalidQueryError, match="one of weighted, rrf, not 'magic'"):
        check_fusion("magic", {"vector": 1.0}, ("vector",))
    with pytest.raises(InvalidQueryError, match="unknown retriever 'telepathy'; the retrievers are vector, lexical"):
        check_fusion("rrf", {"vector": 1.0, "telepathy": 1.0}, ("vector", "lexical"))


@pytest.mark.parametrize(
    ("method", "weights"),
    [
        ("magic", {"vector": 1.0}),
        ("rrf", {"telepathy": 1.0}),
        ("weighted", {"vector": -1.0}),
        ("rrf", {"vector": 0.5, "lexical": -0.1}),
        ("weighted", {"vector": 0.0}),
        ("weighted", {"vector": float("nan")}),
        ("weighted", {"vector": float("inf")}),
    ],
)
def test_meaningless_fusion_is_refused(method: str, weights: dict[str, float]) -> None:
    with pytest.raises(InvalidQueryError):
        check_fusion(method, weights, ("vector", "lexical"))
