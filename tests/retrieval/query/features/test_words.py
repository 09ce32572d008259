"""Features of the question's words in a passage: stems, coverage by rarity, clauses, pairs."""

from math import log

import numpy as np
import pytest

from brain_retrieval.query.features.presence import begins_a_word, contained, stem
from brain_retrieval.query.features.texts import Texts
from brain_retrieval.query.features.words import adjacent, weighted_share, words
from tests.retrieval.query.pools import asking, pool_of, texts

WALK, BOAT = log(1 + 4 / 2), log(1 + 4 / 3)  # one of four passages holds "walk" and "harbour", two hold "boat"
ALL = 2 * WALK + BOAT
PASSAGES = texts(
    "We WALK to the Harbours.", "A rowboat, a boathouse.", "Nothing.", "the boat", titles=["", "", "Harbour walk"]
)


@pytest.mark.parametrize(
    ("word", "expected"),
    [("boat", "boat"), ("boats", "boats"), ("walked", "walk"), ("harbour", "harbo"), ("renovations", "renovatio")],
)
def test_long_words_lose_their_last_two_letters(word: str, expected: str) -> None:
    assert stem(word) == expected


@pytest.mark.parametrize(
    ("start", "text", "found"),
    [
        ("boat", "boathouse", True),
        ("boat", "a rowboat", False),
        ("boat", "a rowboat and a boat", True),
        ("boat", "row-boat", True),
        ("boat", "4boat", False),
        ("boat", "", False),
        ("é", "café étage", True),
        ("é", "café", False),
    ],
)
def test_a_stem_stands_at_the_start_of_a_word(start: str, text: str, found: bool) -> None:
    assert begins_a_word(start, text) is found
    assert contained([start], Texts([text])).tolist() == [[found]]


def test_coverage_weighs_words_by_how_rare_they_are() -> None:
    found = words(pool_of(PASSAGES, question=asking(words="Walked harbour boat walked")))
    assert found["coverage"].tolist() == pytest.approx([2 * WALK / ALL, BOAT / ALL, 0.0, BOAT / ALL])
    assert found["title_coverage"].tolist() == pytest.approx([0.0, 0.0, 2 * WALK / ALL, 0.0])
    assert found["rarest"].tolist() == pytest.approx([1.0, BOAT / WALK, 0.0, BOAT / WALK])
    assert found["pairs"].tolist() == [0.5, 0.0, 0.0, 0.0]
    assert found["clause"].tolist() == found["coverage"].tolist()


def test_the_clause_that_a_passage_covers_best_counts() -> None:
    clauses = ("who walked to the harbour boat", "the boat")  # words that are not of the question are left out
    found = words(pool_of(PASSAGES, question=asking(words="walked harbour boat", clauses=clauses)))
    assert found["clause"].tolist() == pytest.approx([2 * WALK / ALL, 1.0, 0.0, 1.0])


def test_pairs_are_words_that_follow_one_another_in_the_question() -> None:
    inside = np.array([[1, 1, 1], [1, 0, 1], [0, 1, 1]], dtype=bool)
    assert adjacent(inside).tolist() == [1.0, 0.0, 0.5]
    assert adjacent(inside[:, :1]).tolist() == [1.0, 1.0, 0.0]  # one word is its own pair


def test_a_share_of_no_words_is_zero() -> None:
    inside = np.array([[True, False], [True, True]])
    assert weighted_share(inside, np.array([3.0, 1.0])).tolist() == [0.75, 1.0]
    assert weighted_share(np.empty((2, 0), dtype=bool), np.empty(0)).tolist() == [0.0, 0.0]
