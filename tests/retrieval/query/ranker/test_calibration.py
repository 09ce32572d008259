"""Probabilities: in the order of the ranking score, higher where the question fits, none for an unknown model."""

import math

import numpy as np
import pytest

from brain_retrieval.query.ranker.calibration import Calibration, calibration_of

MADE = Calibration("made", (-4.0, 3.0, 1.0, 0.5, 2.0, -1.5, -0.25, -2.0, -10.0, -3.0), (-1.0, 2.0), 0.1)


def fitting(
    cosine: float,
    coverage: float,
    pairs: float,
    missing: float = 0.0,
    length: int = 4,
    closeness: float = 0.0,
    unknown: float = 0.0,
    absent: float = 0.0,
) -> dict[str, dict[str, np.ndarray]]:
    values = {"scores": {"cosine": cosine, "closeness": closeness}, "words": {"coverage": coverage, "pairs": pairs}}
    values |= {"names": {"missing": missing, "absent_things": absent}}
    values |= {"form": {"question_length": length, "unknown": unknown}}
    return {g: {n: np.array([0.0, value]) for n, value in found.items()} for g, found in values.items()}


def logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def test_the_two_chances_are_logistic_functions() -> None:
    answered = logistic(
        -4.0 + 3.0 * 0.4 + 1.0 * 0.8 + 0.5 * 1.0 + 2.0 * 0.32 - 1.5 * 0.5 - 0.25 * math.log(1 + 4 * 0.2)
    )
    assert MADE.answered(fitting(0.4, 0.8, 1.0, 0.5, closeness=0.7)) == pytest.approx(answered)
    assert MADE.fitting(np.array([0.5, 1.0])) == pytest.approx([logistic(0.0), logistic(1.0)])


def test_words_that_are_lacking_count_more_the_further_the_closest_ones_are() -> None:
    def score(closeness: float, coverage: float = 0.5) -> float:
        chance = MADE.answered(fitting(0.4, coverage, 0.0, closeness=closeness))
        return math.log(chance / (1 - chance))

    assert score(0.55) - score(0.65) == pytest.approx(-2.0 * 0.1 * math.log(3))  # two of four words are lacking
    assert score(0.9) == score(0.65)  # close, and just close
    assert score(0.0) == pytest.approx(score(0.28 + 0.56 * 0.4))  # not compared
    assert score(0.55, coverage=1.0) == score(0.65, coverage=1.0)


def test_a_question_of_unknown_words_that_nothing_has_needs_a_higher_cosine() -> None:
    def score(cosine: float, coverage: float, unknown: float) -> float:
        chance = MADE.answered(fitting(cosine, coverage, 0.0, closeness=0.7, unknown=unknown))
        return math.log(chance / (1 - chance))

    assert score(0.25, 0.0, 1.0) - score(0.25, 0.0, 0.0) == pytest.approx(-10.0 * 0.2)
    assert score(0.45, 0.0, 1.0) == score(0.45, 0.0, 0.0)
    assert score(0.25, 0.1, 1.0) == score(0.25, 0.1, 0.0)


def test_a_thing_that_nothing_has_a_word_for_makes_an_answer_less_likely() -> None:
    def score(absent: float) -> float:
        chance = MADE.answered(fitting(0.4, 0.5, 0.0, closeness=0.7, absent=absent))
        return math.log(chance / (1 - chance))

    assert score(1.0) - score(0.0) == pytest.approx(-3.0)
    assert score(0.5) - score(0.0) == pytest.approx(-1.5)


def test_the_same_score_is_less_likely_where_nothing_fits_the_question() -> None:
    shipped = calibration_of("minilm-int8")
    assert shipped is not None
    assert (shipped.cut, shipped.least(100), shipped.least(20)) == (0.02, 0.01, 0.0036)  # above it answers are lost
    assert shipped.answered(fitting(0.6, 0.9, 0.7)) > 0.9
    assert shipped.answered(fitting(0.15, 0.0, 0.0)) < shipped.cut
    assert shipped.answered(fitting(0.3, 0.3, 0.0, missing=1.0)) < shipped.answered(fitting(0.3, 0.3, 0.0)) / 5
    assert shipped.answered(fitting(0.3, 0.3, 0.0, absent=1.0)) < shipped.answered(fitting(0.3, 0.3, 0.0)) / 20
    assert shipped.answered(fitting(0.15, 0.0, 0.0, length=12)) < shipped.answered(fitting(0.15, 0.0, 0.0, length=1))
    assert (np.diff(shipped.fitting(np.array([0.3, 0.9, 1.0]))) > 0).all()


def test_the_best_of_a_few_passages_needs_less_than_the_best_of_many() -> None:
    assert MADE.least(400) == MADE.least(200) == MADE.cut
    assert MADE.least(100) == pytest.approx(MADE.cut / 2)
    assert MADE.least(1) == MADE.least(30) == pytest.approx(0.18 * MADE.cut)


def test_another_embedding_model_has_no_probabilities() -> None:
    assert calibration_of("some-other-model") is None
