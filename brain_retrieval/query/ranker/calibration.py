"""Calibration: from a ranking score to the probability that a passage is relevant, comparable between questions.

A ranking score says how a passage compares with the others of its question; the best one of a senseless question scores
as high as that of a good one. The probability is a product: that anything found answers the question, judged by how
well the passages fit it at all, and that this passage does, judged by its score. The weights are data in
`calibration.json`, fitted by `benchmarks/calibrate_ranker.py` for one embedding model.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).parent / "calibration.json"
CLOSE = 0.65  # mean cosine of a question's words with the closest ones, from which a higher one says no more
STRANGE = 0.45  # highest cosine below which a question of unknown words, none of which any passage has, is senseless
MANY = 200  # candidates from which the cut is whole: the best of a few says more than the best of many
FEWEST = 0.18  # of the cut, however few there are
EXPECTED = (0.28, 0.56)  # that mean by the highest cosine: the line through the questions of all sets


@dataclass(frozen=True)
class Calibration:
    """Weights of two logistic functions.

    Args:
        model: the embedding model whose cosines it was fitted on; others have other cosines.
        question: constant, and a weight for each of `fits`; passage: constant, and a weight for the ranking score.
        cut: chance of any answer below which nothing of many candidates is shown by default, see `least`.
    """

    model: str
    question: tuple[float, ...]
    passage: tuple[float, float]
    cut: float

    def answered(self, features: Mapping[str, Mapping[str, np.ndarray]]) -> float:
        """Return the chance in (0, 1) that any of the candidates answers the question."""
        constant, *weights = self.question
        return float(logistic(constant + np.dot(weights, fits(features))))

    def least(self, candidates: int) -> float:
        """Return the chance of any answer below which nothing of so many candidates is shown."""
        return self.cut * min(1.0, max(FEWEST, candidates / MANY))

    def fitting(self, scores: np.ndarray) -> np.ndarray:
        """Return float64 (n,): the chance that a passage with this ranking score is an answer, if there is one."""
        return logistic(self.passage[0] + self.passage[1] * scores)


def fits(features: Mapping[str, Mapping[str, np.ndarray]]) -> list[float]:
    """Return how well the candidates fit the question at all, each by the best one.

    The highest cosine, the largest share of the question's words, of its word pairs, and of cosine times share; the
    share of its names that no candidate has, and the logarithm of how many of its words the best one lacks: that
    nothing has any of twelve words says more than that nothing has the only one. Then that logarithm times how far
    the closest words of every passage are from those of the question in the mean, beyond CLOSE: a paraphrase lacks
    the words, and has others of their meaning. Where words were not compared, they are taken to be as close as they
    mostly are with such a cosine. Then comes how far the highest cosine is below STRANGE, for a question of
    which the model knows no word and no passage has any. The last one is the share of its trades and things of a
    household of which no passage has any word.
    """
    cosine, words = features["scores"]["cosine"], features["words"]
    best = (cosine, words["coverage"], words["pairs"], cosine * words["coverage"])
    found = [float(values.max(initial=0.0)) for values in best]
    length = float(features["form"]["question_length"].max(initial=0.0))
    lacking = math.log1p(length * (1.0 - found[1]))
    closeness = float(features["scores"]["closeness"].max(initial=0.0)) or EXPECTED[0] + EXPECTED[1] * found[0]
    away = max(CLOSE - closeness, 0.0)
    unknown = float(features["form"]["unknown"].max(initial=0.0)) if found[1] <= 0.0 else 0.0
    strange = unknown * max(STRANGE - found[0], 0.0)
    missing, absent = (float(features["names"][name].max(initial=0.0)) for name in ("missing", "absent_things"))
    return [*found, missing, lacking, lacking * away, strange, absent]


def logistic(values: Any) -> Any:
    """Return 1 / (1 + exp(-values))."""
    return 1.0 / (1.0 + np.exp(-np.clip(values, -30.0, 30.0)))


@cache
def calibration_of(model: str) -> Calibration | None:
    """Return the calibration for an embedding model; None if there is none, and scores then are not comparable."""
    for entry in json.loads(FILE.read_text("utf-8")):
        if entry["model"] == model:
            return Calibration(model, tuple(entry["question"]), tuple(entry["passage"]), entry["cut"])
    return None
