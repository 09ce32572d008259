"""`Correction`: what the trained trees add to the formula's score of each candidate, and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from brain_retrieval.query.ranker.trees import Trees, shipped


@dataclass(frozen=True)
class Correction:
    """The corrections of the candidates of one question. `values` is float64 (n,), within ±bound / scale."""

    trees: Trees
    rows: np.ndarray
    sums: np.ndarray

    @classmethod
    def of(cls, features: Mapping[str, Mapping[str, np.ndarray]], trees: Trees | None = None) -> "Correction":
        """Return the corrections for features by group."""
        chosen = shipped() if trees is None else trees
        flat = {f"{group}.{name}": values for group, found in features.items() for name, values in found.items()}
        rows = chosen.matrix(flat)
        return cls(chosen, rows, chosen.sums(rows))

    @property
    def values(self) -> np.ndarray:
        return self.trees.bounded(self.sums)

    def parts(self, chosen: Sequence[int]) -> list[dict[str, float]]:
        """Return for each chosen candidate: feature group -> its part of the correction; they add up to it.

        "average" is the part that no feature has, the same for every passage.
        """
        mean, parts = self.trees.contributions(self.rows[list(chosen)])
        groups = [name.partition(".")[0] for name in self.trees.features]
        found = []
        for row, part in zip(chosen, parts, strict=True):
            total = float(self.sums[row])
            share = float(self.trees.bounded(total)) / total if total else 0.0
            by_group = {"average": mean * share}
            for group, value in zip(groups, part.tolist(), strict=True):
                by_group[group] = by_group.get(group, 0.0) + value * share
            found.append({name: value for name, value in by_group.items() if value})
        return found
