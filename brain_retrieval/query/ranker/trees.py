"""Regression trees as flat arrays: their sum for many rows at once, and what each feature contributed to it.

The arrays are data in `trees.json`, written by `benchmarks/train_ranker.py`; LightGBM is needed for training only.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from brain_retrieval.query.ranker.guard import Guard

FILE = Path(__file__).parent / "trees.json"
MOST_LEAVES = 64  # bits of the largest integer


@dataclass(frozen=True)
class Trees:
    """A sum of regression trees.

    Node n sends a row to `left[n]` if its `feature[n]` is at most `threshold[n]`, else to `right[n]`; a leaf sends it
    to itself. `value[n]` is the mean prediction below a node, and the prediction at a leaf.

    Args:
        features: names of the columns, in the order that `feature` counts them.
        roots: int64 (trees,); depth: steps from any root to any leaf, at most.
        bound: largest absolute value of the correction; scale: units of it that one unit of the formula has.
        guard: how much the correction counts for a question; None: in full for all.
    """

    features: tuple[str, ...]
    roots: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    value: np.ndarray
    depth: int
    bound: float
    scale: float
    guard: Guard | None = None

    @classmethod
    def of_json(cls, content: Mapping[str, Any]) -> "Trees":
        """Return the trees of a parsed file."""
        whole = {name: np.array(content[name], dtype=np.int64) for name in ("roots", "feature", "left", "right")}
        real = {name: np.array(content[name], dtype=np.float64) for name in ("threshold", "value")}
        rest = {name: content[name] for name in ("depth", "bound", "scale")}
        guard = Guard.of_json(content["guard"]) if "guard" in content else None
        return cls(features=tuple(content["features"]), **whole, **real, **rest, guard=guard)

    def matrix(self, features: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return float64 (n, features) of the named arrays, in the order of the columns; a missing one is 0."""
        length = len(next(iter(features.values())))
        nothing = np.zeros(length)
        return np.stack([features.get(name, nothing) for name in self.features], axis=1)

    def sums(self, rows: np.ndarray) -> np.ndarray:
        """Return float64 (n,): the sum of all trees for each row of a matrix.

        All nodes are compared at once; of each tree the first leaf is taken that no failed comparison rules out
        (QuickScorer, Lucchese et al. 2015).
        """
        tests = self._tests
        passed = rows.T.take(tests.feature, axis=0) <= tests.threshold[..., None]
        left = np.bitwise_and.reduce(tests.kept[..., None] | passed * tests.all_leaves, axis=0)
        first = np.log2(left & (~left + tests.all_leaves.dtype.type(1))).astype(np.int64)
        values = tests.values.take(first + np.arange(len(self.roots))[:, None] * tests.values.shape[1])
        return np.ascontiguousarray(values.T).sum(axis=1)

    def contributions(self, rows: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the mean of the sum, and float64 (n, features): what each feature adds to it for each row.

        Each step down a tree changes the mean prediction; the change belongs to the feature asked (Saabas 2014).
        """
        width = len(self.features)
        node = np.broadcast_to(self.roots, (len(rows), len(self.roots)))
        place = np.arange(len(rows))[:, None] * width
        flat, cells, changes = np.ascontiguousarray(rows).ravel(), list[np.ndarray](), list[np.ndarray]()
        for _ in range(self.depth):
            cell = place + self.feature.take(node)
            after = np.where(flat.take(cell) <= self.threshold.take(node), self.left.take(node), self.right.take(node))
            cells.append(cell.ravel())
            changes.append((self.value.take(after) - self.value.take(node)).ravel())
            node = after
        parts = np.bincount(np.concatenate(cells), np.concatenate(changes), len(rows) * width)
        return float(self.value[self.roots].sum()), parts.reshape(len(rows), width)

    @cached_property
    def _tests(self) -> "Tests":
        return Tests.of(self)

    def bounded(self, sums: np.ndarray | float) -> Any:
        """Return the correction in units of the formula: at most bound / scale, whatever the trees say."""
        return self.bound * np.tanh(np.asarray(sums) / self.bound) / self.scale


@dataclass(frozen=True)
class Tests:
    """The comparisons of all trees, as arrays (comparisons, trees) of equally many for each tree.

    Args:
        kept: for each comparison the leaves that are left if it fails, a bit each, from the leftmost leaf.
        all_leaves: the leaves before any comparison, all bits.
        values: float64 (trees, leaves), the predictions at the leaves.
    """

    feature: np.ndarray
    threshold: np.ndarray
    kept: np.ndarray
    all_leaves: Any
    values: np.ndarray

    @classmethod
    def of(cls, trees: Trees) -> "Tests":
        """Return the comparisons of trees.

        Raises:
            ValueError: if a tree has more than 63 leaves.
        """
        roots = trees.roots.tolist()
        leaves, nodes, kept = ([list[int]() for _ in roots] for _ in range(3))
        for root, *found in zip(roots, leaves, nodes, kept, strict=True):
            _walk(trees, root, *found)
        most = max(map(len, leaves), default=0)
        if most >= MOST_LEAVES:
            raise ValueError(f"a tree has {most} leaves; fewer than {MOST_LEAVES} fit")
        kind = next(kind for kind in (np.uint16, np.uint32, np.uint64) if most < np.iinfo(kind).bits)
        values = np.zeros((len(leaves), most))
        for row, own in enumerate(leaves):
            values[row, : len(own)] = trees.value[own]
        every = int(np.iinfo(kind).max)
        # A tree with fewer comparisons than another asks its first one again, which then rules nothing out.
        asked = np.tile(trees.roots, (max(most - 1, 1), 1))
        left = np.full(asked.shape, every, dtype=kind)
        for tree, (own, bits) in enumerate(zip(nodes, kept, strict=True)):
            asked[: len(own), tree] = own
            left[: len(own), tree] = [each & every for each in bits]
        return cls(trees.feature[asked], trees.threshold[asked], left, kind(every), values)


def _walk(trees: Trees, node: int, leaves: list[int], nodes: list[int], kept: list[int]) -> None:
    """Add the leaves below a node from left to right, and its comparisons."""
    left, right = int(trees.left[node]), int(trees.right[node])
    if left == node:
        leaves.append(node)
        return
    first, place = len(leaves), len(nodes)
    nodes.append(node)
    kept.append(0)
    _walk(trees, left, leaves, nodes, kept)
    kept[place] = ~(((1 << len(leaves)) - 1) ^ ((1 << first) - 1))  # without the leaves on the left
    _walk(trees, right, leaves, nodes, kept)


@cache
def shipped() -> Trees:
    """Return the trees of the package."""
    return Trees.of_json(json.loads(FILE.read_text("utf-8")))
