"""Fusion is arithmetic: checked against hand-worked numbers."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.query.fusion import (
    best_first,
    check_fusion,
    normalise_by_maximum,
    normalise_by_spread,
    reciprocal_rank_fusion,
    weighted_fusion,
)

scores = st.dictionaries(st.text("abcdef", min_size=1, max_size=2), st.floats(-1, 1), min_size=1)


def test_item_found_by_both_retrievers_ranks_first() -> None:
    vector = {"a": 0.9, "b": 0.8, "c": 0.7}
    graph = {"b": 0.95, "d": 0.85, "a": 0.75}
    fused = reciprocal_rank_fusion({"vector": vector, "graph": graph}, {"vector": 0.5, "graph": 0.5})
    assert list(fused) == ["b", "a", "d", "c"]
    assert fused["b"] == pytest.approx(0.5 / 62 + 0.5 / 61)
    assert fused["a"] == pytest.approx(0.5 / 61 + 0.5 / 63)


def test_rrf_takes_any_number_of_retrievers_and_ignores_weight_zero() -> None:
    rankings = {"vector": ["x"], "lexical": ["y"], "graph": ["y"], "temporal": ["z"]}
    fused = reciprocal_rank_fusion(rankings, {"vector": 1, "lexical": 1, "graph": 1, "temporal": 0}, k=1)
    assert fused == {"y": 1.0, "x": 0.5, "z": 0.0}


def test_weighted_fusion_is_convex_over_the_retrievers_present() -> None:
    weights = {"vector": 0.6, "lexical": 0.4, "graph": 9.0}
    fused = weighted_fusion({"vector": {"a": 1.0, "b": 0.5}, "lexical": {"b": 1.0}}, weights)
    assert fused == pytest.approx({"b": 0.7, "a": 0.6})


def test_weights_are_normalised_over_the_retrievers_present() -> None:
    scores = {"vector": {"a": 1.0, "b": 0.5}, "lexical": {"b": 1.0}, "unknown": {"c": 1.0}}
    fused = weighted_fusion(scores, {"vector": 3.0, "lexical": 1.0, "graph": 4.0})
    assert fused == pytest.approx({"a": 0.75, "b": 0.625, "c": 0.0})  # a retriever without a weight counts nothing
    assert weighted_fusion({"vector": {"a": 1.0}}, {"lexical": 1.0}) == {"a": 0.0}
    assert weighted_fusion({}, {"vector": 1.0}) == {}


def test_rrf_ignores_a_retriever_without_a_weight() -> None:
    assert reciprocal_rank_fusion({"vector": ["x"], "unknown": ["y"]}, {"vector": 61.0}) == {"x": 1.0, "y": 0.0}


def test_normalisation() -> None:
    assert normalise_by_maximum({"a": 8.0, "b": 2.0}) == {"a": 1.0, "b": 0.25}
    assert normalise_by_maximum({"a": 0.0}) == {"a": 0.0}
    assert normalise_by_spread({"a": 0.8, "b": 0.4, "c": 0.1}, lowest=0.4) == pytest.approx(
        {"a": 1.0, "b": 0.5, "c": 0.125}
    )


def test_normalisation_at_the_edges() -> None:
    assert normalise_by_maximum({}) == {}
    assert normalise_by_maximum({"a": 0.5, "b": 0.25, "c": -1.0}) == {"a": 1.0, "b": 0.5, "c": 0.0}
    assert normalise_by_maximum({"a": -2.0, "b": -1.0}) == {"a": 0.0, "b": 0.0}
    assert normalise_by_spread({}, lowest=0.0) == {}
    assert normalise_by_spread({"a": 0.3, "b": 0.3}, lowest=0.3) == {"a": 1.0, "b": 1.0}
    assert normalise_by_spread({"a": -0.2, "b": -0.4, "c": -0.9}, lowest=-0.4) == pytest.approx(
        {"a": 1.0, "b": 0.5, "c": 0.0}
    )


@given(scores)
def test_normalised_scores_keep_the_order_and_the_unit_interval(raw: dict[str, float]) -> None:
    spread = normalise_by_spread(raw, lowest=min(raw.values()))
    assert all(0 <= value <= 1 for value in spread.values())
    ordered = sorted(raw, key=lambda key: raw[key])
    assert all(spread[a] <= spread[b] + 1e-9 for a, b in pairwise(ordered))


def test_equal_scores_have_one_order() -> None:
    assert list(best_first({"b": 1.0, "c": 2.0, "a": 1.0})) == ["c", "a", "b"]


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
