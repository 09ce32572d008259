"""Calibration: from a ranking score to the probability that a passage is relevant, comparable between questions.

A ranking score says how a passage compares with the others of its question; the best one of a senseless question scores
as high as that of a good one. The probability also takes into account how well anything found fits the question at
all: the highest cosine, the largest share of the question's words in one passage, and whether its names occur.
The weights are data in `calibration.json`, fitted by `benchmarks/calibrate_ranker.py` for one embedding model.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

FILE = Path(__file__).parent / "calibration.json"
# Group and feature of which the largest value among the candidates describes the question.
FITS = (("scores", "cosine"), ("words", "coverage"), ("names", "shared_names"))


@dataclass(frozen=True)
class Calibration:
    """Weights of a logistic function, and the probability below which a passage is not shown by default.

    Args:
        model: the embedding model whose cosines it was fitted on; others have other cosines.
        weights: constant, ranking score, and one for each of FITS.
    """

    model: str
    weights: tuple[float, ...]
    cut: float

    def probabilities(self, scores: np.ndarray, features: Mapping[str, Mapping[str, np.ndarray]]) -> np.ndarray:
        """Return float64 (n,) in (0, 1); in the order of the scores, as everything else is of the question."""
        constant, slope, *rest = self.weights
        level = constant + sum(weight * fit for weight, fit in zip(rest, fits(features), strict=True))
        return 1.0 / (1.0 + np.exp(-np.clip(slope * scores + level, -30.0, 30.0)))


def fits(features: Mapping[str, Mapping[str, np.ndarray]]) -> list[float]:
    """Return the largest value of each of FITS among the candidates."""
    return [float(features[group][name].max(initial=0.0)) for group, name in FITS]


@cache
def calibration_of(model: str) -> Calibration | None:
    """Return the calibration for an embedding model; None if there is none, and scores then are not comparable."""
    for entry in json.loads(FILE.read_text("utf-8")):
        if entry["model"] == model:
            return Calibration(model, tuple(entry["weights"]), entry["cut"])
    return None
