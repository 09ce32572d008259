"""The labels of what is shown first name homes that can be rebuilt and hold no text; the fit starts from the prior."""

import re

import numpy as np
import pytest

from benchmarks.logistic import Fit, fit
from benchmarks.shown import DIGITS, LABELS, OF_EVIDENCE, USEFUL, hashed, prior, read_labels
from benchmarks.shown_homes import recipes, spread
from brain_retrieval.knowledge.memories.usefulness import fitted_weights

LETTERS = "utcwg"


def test_labels_are_hashes_and_letters_of_known_homes() -> None:
    lines = [line for line in LABELS.read_text("utf-8").splitlines() if not line.startswith("#")]
    form = re.compile(rf"[a-z0-9]+(?:\t[0-9a-f]{{{DIGITS}}}){{2}}\t[{LETTERS}]")
    assert lines
    assert [line for line in lines if not form.fullmatch(line)] == []
    assert {line.split("\t")[0] for line in lines} <= set(recipes(held=False))
    texts = [tuple(line.split("\t")[:2]) for line in lines]
    assert len(set(texts)) == len(texts)


def test_only_useful_and_trivial_lines_are_found_by_their_evidence() -> None:
    for line in LABELS.read_text("utf-8").splitlines()[1:]:
        home, text, _, letter = line.split("\t")
        assert read_labels()[home][text] == letter
    kept = {letter for labels in read_labels().values() for key, letter in labels.items() if key.startswith("e:")}
    assert USEFUL in kept <= OF_EVIDENCE


def test_a_text_is_named_by_its_words() -> None:
    assert hashed("Ann  met\nBo.") == hashed("Ann met Bo.") != hashed("Ann met Bo")


@pytest.mark.parametrize(("most", "expected"), [(3, ["a", "b", "d"]), (9, list("abcde"))])
def test_files_of_a_home_are_spread_over_all(most: int, expected: list[str]) -> None:
    assert spread(list("abcde"), most) == expected


def test_a_recipe_states_where_its_texts_are() -> None:
    for recipe in recipes().values():
        assert {"kind", "language"} <= set(recipe)
        assert "conversation" in recipe or re.fullmatch(r"[0-9a-f]{40}", recipe["commit"]) and recipe["paths"]


def test_a_strong_penalty_keeps_the_weights_of_the_prior_and_few_labels_move_the_others() -> None:
    values = np.array([[1.0, 0.0], [0.0, 0.0], [1.0, 1.0], [0.0, 1.0]] * 5)
    labels = values[:, 1]
    found = fit(values, labels, np.zeros(2), np.array([1e6, 1.0]), Fit(0.0, np.array([0.7, 0.0])))
    assert found.weights[0] == pytest.approx(0.7, abs=1e-3)
    assert found.weights[1] > 1


def test_the_prior_has_weights_of_features_that_exist() -> None:
    names = sorted(fitted_weights())
    assert np.count_nonzero(prior(names).weights) > len(names) / 2
