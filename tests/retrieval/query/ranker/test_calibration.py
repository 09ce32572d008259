"""Probabilities: in the order of the ranking score, higher where the question fits, none for an unknown model."""

import numpy as np
import pytest

from brain_retrieval.query.ranker.calibration import Calibration, calibration_of

MADE = Calibration("made", (-4.0, 2.0, 3.0, 1.0, 0.5), 0.1)


def fitting(cosine: float, coverage: float, names: float) -> dict[str, dict[str, np.ndarray]]:
    values = {"scores": {"cosine": cosine}, "words": {"coverage": coverage}, "names": {"shared_names": names}}
    return {g: {n: np.array([0.0, value]) for n, value in found.items()} for g, found in values.items()}


def test_probability_is_the_logistic_function_of_score_and_fit() -> None:
    found = MADE.probabilities(np.array([0.5, 1.0]), fitting(0.4, 0.8, 1.0))
    level = -4.0 + 3.0 * 0.4 + 1.0 * 0.8 + 0.5 * 1.0
    assert found == pytest.approx(1 / (1 + np.exp(-(np.array([1.0, 2.0]) + level))))


def test_the_same_score_is_less_likely_where_nothing_fits_the_question() -> None:
    shipped = calibration_of("minilm-int8")
    assert shipped is not None and 0 < shipped.cut < 0.5
    scores = np.array([0.3, 0.9, 1.0])
    good, bad = (shipped.probabilities(scores, fitting(*fit)) for fit in ((0.7, 1.0, 1.0), (0.2, 0.2, 0.0)))
    assert (good > bad).all() and (np.diff(good) > 0).all() and (np.diff(bad) > 0).all()


def test_another_embedding_model_has_no_probabilities() -> None:
    assert calibration_of("some-other-model") is None
