"""Trees as data: their sums by hand, their bound, and contributions that add up to the correction."""

import numpy as np
import pytest

from brain_retrieval.query.features.registry import features_of
from brain_retrieval.query.ranker.correction import Correction
from brain_retrieval.query.ranker.trees import Trees, shipped
from tests.retrieval.query.pools import place, pool_of

# The first tree asks a, then b; the second asks b alone.
TREES = Trees.of_json(
    {
        "features": ["g.a", "h.b"],
        "roots": [0, 5],
        "depth": 2,
        "bound": 2.0,
        "scale": 10.0,
        "feature": [0, 0, 1, 0, 0, 1, 0, 0],
        "threshold": [0.5, 0, 1.5, 0, 0, 0.0, 0, 0],
        "left": [1, 1, 3, 3, 4, 6, 6, 7],
        "right": [2, 1, 4, 3, 4, 7, 6, 7],
        "value": [0.1, -1.0, 0.75, 0.5, 1.0, 0.0, -0.25, 0.25],
    }
)


def features(*rows: tuple[float, float]) -> dict[str, dict[str, np.ndarray]]:
    a, b = np.array(rows).T
    return {"g": {"a": a}, "h": {"b": b}}


def test_each_row_goes_down_every_tree_to_a_leaf() -> None:
    rows = np.array([[0.5, 9.0], [0.6, 1.5], [0.6, 1.6], [0.0, -1.0]])
    assert TREES.sums(rows) == pytest.approx([-1.0 + 0.25, 0.5 + 0.25, 1.0 + 0.25, -1.0 - 0.25])


def test_the_correction_is_bounded_whatever_the_trees_say() -> None:
    assert TREES.bounded(np.array([-1e9, 0.0, 1e9])) == pytest.approx([-0.2, 0.0, 0.2])
    assert TREES.bounded(0.1) == pytest.approx(0.2 * np.tanh(0.05))


def test_contributions_by_group_add_up_to_the_correction() -> None:
    found = Correction.of(features((0.5, 9.0), (0.6, 1.6)), TREES)
    mean, parts = TREES.contributions(found.rows)
    assert mean == pytest.approx(0.1)
    assert parts == pytest.approx(np.array([[-1.1, 0.25], [0.65, 0.25 + 0.25]]))
    assert [sum(part.values()) for part in found.parts([1, 0])] == pytest.approx(found.values[[1, 0]])
    assert all(set(part) <= {"average", "g", "h"} for part in found.parts([0, 1]))


def test_a_feature_that_is_missing_counts_as_0() -> None:
    assert Correction.of({"g": {"a": np.array([0.6])}}, TREES).sums == pytest.approx([0.5 - 0.25])


def test_shipped_trees_ask_only_for_features_that_exist_and_add_up() -> None:
    trees = shipped()
    texts = ["the launch moved to March", "lunch at noon", "a launch is planned"]
    groups = features_of(pool_of({text: place(text, 0, text=text) for text in texts}))
    known = {f"{group}.{name}" for group, found in groups.items() for name in found}
    assert set(trees.features) == known
    found = Correction.of(groups)
    assert [sum(part.values()) for part in found.parts([0, 1, 2])] == pytest.approx(found.values)
    assert np.abs(found.values).max() <= trees.bound / trees.scale
    leaves = trees.left == np.arange(len(trees.left))
    assert (trees.right[leaves] == np.flatnonzero(leaves)).all() and np.isfinite(trees.value).all()
