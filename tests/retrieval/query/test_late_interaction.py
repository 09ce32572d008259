"""Late interaction: scores by the closest words, passages without codes, and its share of the order."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from brain_retrieval.models.embedding.word_codes import CODE_BYTES, WordCodes
from brain_retrieval.query.candidates import Candidates
from brain_retrieval.query.explain import contributions
from brain_retrieval.query.fusion import normalise
from brain_retrieval.query.late_interaction import NAME, codes_of, late_interaction
from brain_retrieval.query.ranking import Order, rank
from brain_retrieval.settings import RetrievalSettings
from tests.retrieval.query.pools import Result, asking, candidates_of, texts

PLAIN = RetrievalSettings(
    neighbour_weights=(), window_weight=0.0, parent_weight=0.0, trained=False, coverage_weight=0.0
)
RNG = np.random.default_rng(5)
WORD = {name: RNG.integers(0, 256, CODE_BYTES, dtype=np.uint8) for name in ("boat", "old", "ship", "rain", "sea")}
WORD["ship"] = WORD["boat"] ^ np.array([1] + [0] * (CODE_BYTES - 1), np.uint8)  # one bit of 128 apart


def coded(*words: str) -> WordCodes:
    return WordCodes(words, np.stack([WORD[word] for word in words]) if words else np.empty((0, CODE_BYTES), np.uint8))


def found_with(*passages: tuple[str, ...] | None, asked: WordCodes | None) -> Candidates:
    """Return a passage of each of these words, alike for the other retrievers; None is one without codes."""
    rows = texts(*(" ".join(words or ("none",)) for words in passages))
    for row, words in zip(rows.values(), passages, strict=True):
        row["word_codes"] = None if words is None else coded(*words).packed()
    scores = {key: 0.5 - 0.01 * n for n, key in enumerate(rows)}
    return replace(candidates_of(rows, Result("vector", scores)), asked=asked)


def ordered(found: Candidates, settings: RetrievalSettings = PLAIN, **changes: Any) -> Order:
    question = asking(text="old boat", words="old boat")
    chosen = settings.model_copy(update=changes)
    return rank(found, method=chosen.fusion, weights=chosen.weights, question=question, settings=chosen)


def test_scores_are_weighted_means_of_the_closest_words() -> None:
    asked = coded("boat", "old", "sea")
    found = found_with(("rain", "ship"), ("old",), asked=asked)
    arm = late_interaction(found, asked, {"boat": 3.0, "old": 1.0}, np.zeros(2))
    assert arm is not None
    differing = {(a, b): int(np.unpackbits(WORD[a] ^ WORD[b]).sum()) for a in WORD for b in WORD}
    old_in_first = min(differing["old", "rain"], differing["old", "ship"])
    first = (3 * np.cos(np.pi / 128) + np.cos(np.pi * old_in_first / 128)) / 4
    second = (3 * np.cos(np.pi * differing["boat", "old"] / 128) + 1) / 4
    assert arm.scores.tolist() == pytest.approx([first, second])
    assert arm.ranks.tolist() == [1, 2]


def test_a_passage_without_codes_gets_the_score_it_is_given() -> None:
    found = found_with(("ship",), None, ("rain",), (), asked=coded("boat"))
    arm = late_interaction(found, coded("boat"), {"boat": 1.0}, np.array([0.9, 0.7, 0.8, 0.2]))
    assert arm is not None
    assert normalise(arm).tolist() == pytest.approx([1.0, 0.7, 0.5, 0.2])
    assert arm.ranks.tolist() == [1, 0, 2, 0]


@pytest.mark.parametrize(
    ("passages", "asked", "rarity"),
    [
        ((None, ()), coded("boat"), {"boat": 1.0}),
        ((("boat",),), coded("boat"), {"ship": 1.0}),
        ((("boat",),), coded(), {"boat": 1.0}),
        ((), coded("boat"), {"boat": 1.0}),
    ],
)
def test_without_anything_to_compare_there_is_none(passages: Any, asked: WordCodes, rarity: dict[str, float]) -> None:
    found = found_with(*passages, asked=asked)
    assert late_interaction(found, asked, rarity, np.zeros(len(found))) is None


def test_codes_are_read_from_a_part_of_a_column() -> None:
    found = found_with(("boat",), None, ("old", "rain"), ("sea",), asked=None)
    part = Candidates(found.rows.slice(1, 3), {})
    codes, lengths = codes_of(part)
    assert lengths.tolist() == [0, 2, 1]
    assert np.array_equal(codes, coded("old", "rain", "sea").codes)


def test_a_passage_of_related_words_comes_first() -> None:
    found = found_with(("rain",), ("ship", "old"), asked=coded("boat", "old"))
    first = ordered(found, late_interaction_weight=1.0)
    assert [found.ids[one.row] for one in first.best(2)] == ["p1", "p0"]
    without = ordered(found, late_interaction_weight=0.0)
    assert [found.ids[one.row] for one in without.best(2)] == ["p0", "p1"]
    unasked = ordered(replace(found, asked=None))
    assert np.array_equal(unasked.final, without.final)


@pytest.mark.parametrize("method", ["weighted", "rrf"])
def test_its_part_is_explained(method: str) -> None:
    found = found_with(("rain",), ("ship", "old"), None, asked=coded("boat", "old"))
    order = ordered(found, fusion=method)
    for one in order.best(3):
        assert sum(part.value for part in contributions(one.why)) == pytest.approx(one.why.final)
        assert one.why.arms[NAME].weight == PLAIN.late_interaction_weight
        assert sum(arm.part for arm in one.why.arms.values()) == pytest.approx(one.why.fused)
