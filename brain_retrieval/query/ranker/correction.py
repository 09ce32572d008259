"""`Correction`: what the trained trees add to the formula's score of each candidate, and why."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from brain_retrieval.query.ranker.trees import Trees, shipped

CLOSENESS = "scores.closeness"  # 0 for all passages where words were not compared


@dataclass(frozen=True)
class Correction:
    """The corrections of the candidates of one question. `values` is float64 (n,), within ±share * bound / scale.

    Args:
        share: how much the trees count for this question. See `Guard`.
    """

    trees: Trees
    rows: np.ndarray
    sums: np.ndarray
    share: float = 1.0

    @classmethod
    def of(cls, features: Mapping[str, Mapping[str, np.ndarray]], trees: Trees | None = None) -> "Correction":
        """Return the corrections for features by group.

        Guarded trees do not count without late interaction, with which they were trained: its features would all say
        that nothing meets the question.
        """
        chosen = shipped() if trees is None else trees
        flat = {f"{group}.{name}": values for group, found in features.items() for name, values in found.items()}
        rows = chosen.matrix(flat)
        share = 1.0 if chosen.guard is None else chosen.guard.share(rows)
        if chosen.guard is not None and CLOSENESS in chosen.features and not flat[CLOSENESS].any():
            share = 0.0
        return cls(chosen, rows, chosen.sums(rows) if share else np.zeros(len(rows)), share)

    @property
    def values(self) -> np.ndarray:
        return self.share * self.trees.bounded(self.sums)

    def parts(self, chosen: Sequence[int]) -> list[dict[str, float]]:
        """Return for each chosen candidate: feature group -> its part of the correction; they add up to it.

        "average" is the part that no feature has, the same for every passage.
        """
        if not self.share:
            return [{} for _ in chosen]
        mean, parts = self.trees.contributions(self.rows[list(chosen)])
        groups = list(dict.fromkeys(["average", *(name.partition(".")[0] for name in self.trees.features)]))
        of_group = [groups.index(name.partition(".")[0]) for name in self.trees.features]
        table = np.zeros((len(chosen), len(groups)))
        np.add.at(table.T, of_group, parts.T)
        table[:, 0] += mean
        totals = self.sums[list(chosen)]
        table *= self.share * (self.trees.bounded(totals) / np.where(totals, totals, 1.0))[:, None]
        return [{name: part for name, part in zip(groups, row, strict=True) if part} for row in table.tolist()]
