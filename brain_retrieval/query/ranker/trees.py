"""Regression trees as flat arrays: their sum for many rows at once, and what each feature contributed to it.

The arrays are data in `trees.json`, written by `benchmarks/train_ranker.py`; LightGBM is needed for training only.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).parent / "trees.json"


@dataclass(frozen=True)
class Trees:
    """A sum of regression trees.

    Node n sends a row to `left[n]` if its `feature[n]` is at most `threshold[n]`, else to `right[n]`; a leaf sends it
    to itself. `value[n]` is the mean prediction below a node, and the prediction at a leaf.

    Args:
        features: names of the columns, in the order that `feature` counts them.
        roots: int64 (trees,); depth: steps from any root to any leaf, at most.
        bound: largest absolute value of the correction; scale: units of it that one unit of the formula has.
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

    @classmethod
    def of_json(cls, content: Mapping[str, Any]) -> "Trees":
        """Return the trees of a parsed file."""
        whole = {name: np.array(content[name], dtype=np.int64) for name in ("roots", "feature", "left", "right")}
        real = {name: np.array(content[name], dtype=np.float64) for name in ("threshold", "value")}
        rest = {name: content[name] for name in ("depth", "bound", "scale")}
        return cls(features=tuple(content["features"]), **whole, **real, **rest)

    def matrix(self, features: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return float64 (n, features) of the named arrays, in the order of the columns; a missing one is 0."""
        length = len(next(iter(features.values())))
        nothing = np.zeros(length)
        return np.stack([features.get(name, nothing) for name in self.features], axis=1)

    def sums(self, rows: np.ndarray) -> np.ndarray:
        """Return float64 (n,): the sum of all trees for each row of a matrix."""
        place = np.arange(len(rows))[:, None]
        node = np.broadcast_to(self.roots, (len(rows), len(self.roots)))
        for _ in range(self.depth):
            below = rows[place, self.feature[node]] <= self.threshold[node]
            node = np.where(below, self.left[node], self.right[node])
        return self.value[node].sum(axis=1)

    def contributions(self, rows: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the mean of the sum, and float64 (n, features): what each feature adds to it for each row.

        Each step down a tree changes the mean prediction; the change belongs to the feature asked (Saabas 2014).
        """
        parts = np.zeros((len(rows), len(self.features)))
        place = np.arange(len(rows))[:, None]
        node = np.broadcast_to(self.roots, (len(rows), len(self.roots)))
        for _ in range(self.depth):
            asked = self.feature[node]
            after = np.where(rows[place, asked] <= self.threshold[node], self.left[node], self.right[node])
            np.add.at(parts, (np.broadcast_to(place, node.shape), asked), self.value[after] - self.value[node])
            node = after
        return float(self.value[self.roots].sum()), parts

    def bounded(self, sums: np.ndarray | float) -> Any:
        """Return the correction in units of the formula: at most bound / scale, whatever the trees say."""
        return self.bound * np.tanh(np.asarray(sums) / self.bound) / self.scale


@cache
def shipped() -> Trees:
    """Return the trees of the package."""
    return Trees.of_json(json.loads(FILE.read_text("utf-8")))
