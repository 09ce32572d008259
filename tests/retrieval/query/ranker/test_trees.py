"""Trees as data: their sums by hand, their bound, and contributions that add up to the correction."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from brain_retrieval.query.features.registry import NOT_LEARNED, features_of
from brain_retrieval.query.ranker.correction import Correction
from brain_retrieval.query.ranker.guard import Guard
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


def tree(content: Mapping[str, Sequence[float]], depth: int = 1) -> Trees:
    return Trees.of_json({"features": ["g.a"], "roots": [0], "depth": depth, "bound": 2.0, "scale": 10.0, **content})


def test_every_leaf_of_every_shipped_tree_is_reached_as_by_walking_down() -> None:
    trees = shipped()
    random = np.random.default_rng(3)
    rows = random.choice(trees.threshold, (60, len(trees.features))) + random.choice([-1e-9, 0.0, 1e-9], (60, 1))
    rows[random.random(rows.shape) < 0.05] = np.nan  # goes right
    sums = [sum(_leaf(trees, root, row) for root in trees.roots.tolist()) for row in rows]
    assert trees.sums(rows) == pytest.approx(np.array(sums))
    parts = [_walked(trees, row) for row in rows]
    assert trees.contributions(rows)[1] == pytest.approx(np.array(parts))


def _leaf(trees: Trees, node: int, row: np.ndarray) -> float:
    while trees.left[node] != node:
        node = int(trees.left[node] if row[trees.feature[node]] <= trees.threshold[node] else trees.right[node])
    return float(trees.value[node])


def _walked(trees: Trees, row: np.ndarray) -> np.ndarray:
    parts = np.zeros(len(trees.features))
    for node in trees.roots.tolist():
        while trees.left[node] != node:
            below = row[trees.feature[node]] <= trees.threshold[node]
            after = int(trees.left[node] if below else trees.right[node])
            parts[trees.feature[node]] += trees.value[after] - trees.value[node]
            node = after
    return parts


def test_a_tree_may_be_one_leaf() -> None:
    leaf = tree({"feature": [0], "threshold": [0.0], "left": [0], "right": [0], "value": [0.5]})
    assert leaf.sums(np.array([[-1.0], [1.0]])).tolist() == [0.5, 0.5]


def test_a_tree_of_more_leaves_than_bits_is_refused() -> None:
    """Each comparison sends what is larger on to the next one."""
    count = 64
    nodes = range(2 * count + 1)
    left = [node + 1 if node % 2 == 0 and node < 2 * count else node for node in nodes]
    right = [node + 2 if node % 2 == 0 and node < 2 * count else node for node in nodes]
    flat = {"feature": [0] * len(nodes), "threshold": [float(n) for n in nodes], "value": [0.0] * len(nodes)}
    with pytest.raises(ValueError, match="65 leaves"):
        tree({**flat, "left": left, "right": right}, depth=count).sums(np.zeros((1, 1)))


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
    assert set(trees.features) == known - NOT_LEARNED
    found = Correction.of(groups)
    assert [sum(part.values()) for part in found.parts([0, 1, 2])] == pytest.approx(found.values)
    assert np.abs(found.values).max() <= trees.bound / trees.scale
    leaves = trees.left == np.arange(len(trees.left))
    assert (trees.right[leaves] == np.flatnonzero(leaves)).all() and np.isfinite(trees.value).all()


GUARD = Guard(np.array([[0.0, 0.0], [3.0, 4.0]]), np.array([1.0, 2.0]), 1.0, 2.0)


def test_the_guard_counts_the_correction_less_the_further_a_question_is_from_all_training_sets() -> None:
    assert GUARD.distance(np.array([3.0, 4.0])) == 0.0
    assert GUARD.distance(np.array([-1.0, -2.0])) == pytest.approx(1.0)  # one spread away in either feature
    assert GUARD.share(np.array([[0.0, -2.0], [-2.0, -2.0]])) == pytest.approx(1.0)  # the mean of the candidates counts
    assert GUARD.share(np.array([[-1.5, -3.0]])) == pytest.approx(0.5)
    assert GUARD.share(np.array([[-9.0, 0.0]])) == 0.0
    assert GUARD.share(np.empty((0, 2))) == 0.0
    lenient = replace(GUARD, least=0.25)
    assert lenient.share(np.array([[-9.0, 0.0]])) == 0.25
    assert lenient.share(np.array([[-1.5, -3.0]])) == pytest.approx(0.5)


@pytest.mark.parametrize(("shift", "share"), [(0.0, 1.0), (-1.5, 0.5), (-9.0, 0.0)])
def test_the_share_of_a_question_scales_its_correction_and_the_contributions(shift: float, share: float) -> None:
    guarded = replace(TREES, guard=GUARD)
    rows = features((shift + 0.2, 2 * shift), (shift - 0.2, 2 * shift))
    full, part = Correction.of(rows, TREES), Correction.of(rows, guarded)
    assert part.values == pytest.approx(share * full.values)
    assert [sum(found.values()) for found in part.parts([0, 1])] == pytest.approx(part.values)


def test_guarded_trees_do_not_count_where_no_words_were_compared() -> None:
    guarded = replace(TREES, features=("g.a", "scores.closeness"), guard=replace(GUARD, least=0.5))
    compared = {"g": {"a": np.array([0.6, 0.2])}, "scores": {"closeness": np.array([0.0, 0.7])}}
    assert Correction.of(compared, guarded).share == 1.0
    assert Correction.of({**compared, "scores": {"closeness": np.zeros(2)}}, guarded).values.tolist() == [0.0, 0.0]


def test_the_shipped_trees_count_in_full_for_the_mean_question_of_every_training_set() -> None:
    guard = shipped().guard
    assert guard is not None and guard.profiles.shape[1] == len(shipped().features)
    assert all(guard.share(profile[None]) == 1.0 for profile in guard.profiles)
    assert guard.share(guard.profiles[:1] + 9 * guard.spread) == guard.least == 0.5
