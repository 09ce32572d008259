"""What made up a score adds up to it, for every hit of many questions, and each part is the step it is named after."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from brain_retrieval.brain import Brain
from brain_retrieval.query.explain import contributions
from brain_retrieval.query.hits import ArmScore, Hit, WhyRanked
from brain_retrieval.query.ranker.correction import Correction
from brain_retrieval.query.ranker.trees import Trees
from tests.retrieval.conftest import always_count
from tests.retrieval.library import NOTES, TALK

TEXTS = [text for *_, text in (*NOTES, *TALK)]
QUESTIONS = [*TEXTS, *(f"{a.split()[0]} {b}" for a, b in itertools.pairwise(TEXTS)), "what was on 14 February 2026"]
QUESTIONS += [" ".join(text.split()[start : start + 3]) for text in TEXTS for start in (0, 2, 4)]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"fusion": "rrf"},
    {"weights": {"lexical": 1.0}},
    {"weights": {"vector": 3.0, "lexical": 0.5}},
    {"recipe": "meetings"},
]
FEW = QUESTIONS[::4]  # the parts are put together alike for every question; the options change what they are


def found(brain: Brain, questions: list[str], **options: Any) -> list[Hit]:
    hits = [hit for query in questions for hit in brain.search(query, k=12, log=False, min_score=0, **options)]
    assert len(hits) > len(questions)
    return hits


@pytest.fixture(scope="module")
def many(library: Path) -> list[Hit]:
    """The hits of all questions without options, with the trained correction."""
    with pytest.MonkeyPatch.context() as patch, Brain.open(library, user="alice") as brain:
        always_count(patch)
        return found(brain, QUESTIONS)


@pytest.mark.parametrize("options", OPTIONS)
def test_contributions_add_up_to_the_score_of_every_hit(
    brain: Brain, many: list[Hit], trees_that_always_count: None, options: dict[str, Any]
) -> None:
    share = brain.settings.retrieval.under(options.get("recipe")).parent_weight
    for hit in found(brain, FEW, **options) if options else many:
        why, parts = hit.why_ranked, contributions(hit.why_ranked)
        assert sum(part.value for part in parts) == pytest.approx(why.final, abs=1e-9)
        by_name = {part.name: part.value for part in parts if part.kind == "around"}
        assert sum(part.value for part in parts if part.kind == "retriever") == pytest.approx(why.fused, abs=1e-9)
        assert by_name["neighbours"] == pytest.approx(why.neighbourhood - why.fused, abs=1e-9)
        assert by_name["source"] == pytest.approx(share * (why.parent - why.neighbourhood), abs=1e-9)


def test_many_questions_have_every_kind_of_contribution(many: list[Hit]) -> None:
    values = [(part.name, part.value) for hit in many for part in contributions(hit.why_ranked)]
    for name in ("vector", "lexical", "neighbours", "source", "date", "words", "scores"):
        assert any(abs(value) > 0.001 for other, value in values if other == name), name
    assert any(value < 0 for name, value in values if name == "neighbours")


def test_the_part_of_a_retriever_is_its_normalised_score_times_its_share(brain: Brain) -> None:
    for hit in found(brain, FEW, weights={"vector": 3.0, "lexical": 1.0}):
        for name, arm in hit.why_ranked.arms.items():
            share = {"vector": 0.75, "lexical": 0.25}[name]
            assert arm.part == pytest.approx(arm.normalised * share)


def test_groups_of_learned_features_are_contributions() -> None:
    trees = Trees.of_json(
        {"features": ["words.all", "form.asks"], "roots": [0], "feature": [0, 0, 1, 0, 0], "left": [1, 1, 3, 3, 4],
         "right": [2, 1, 4, 3, 4], "threshold": [0.5, 0, 0.5, 0, 0], "value": [0.1, -0.2, 0.4, 0.7, 0.2], "depth": 2,
         "bound": 1.0, "scale": 4.0}
    )  # fmt: skip
    rows = {"words": {"all": np.array([0.0, 1.0])}, "form": {"asks": np.array([0.0, 1.0])}}
    learned = Correction.of(rows, trees)
    for value, of_row in zip(learned.values.tolist(), learned.parts([0, 1]), strict=True):
        arms = {"lexical": ArmScore(3.0, 1.0, 1, 0.5, 0.6)}
        why = WhyRanked(arms, "weighted", 0.6, 0.5, 0.9, {"date": 0.1}, 0.8 + value, of_row)
        parts = contributions(why)
        assert sum(part.value for part in parts) == pytest.approx(0.8 + value)
        names = [part.name for part in parts if part.kind == "learned"]
        assert set(names) <= {"average", "words", "form"} and "words" in names
        assert {part.name: part.value for part in parts}["source"] == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("fusion", "arm", "detail"),
    [
        ("weighted", ArmScore(3.0, 0.8, 2, 0.25, 0.2), "BM25 3.000, #2 → 0.800 × 0.25"),
        ("weighted", ArmScore(3.0, 0.8, None, 0.25, 0.2), "BM25 3.000, found by another → 0.800 × 0.25"),
        ("weighted", ArmScore(0.0, 0.0, None, 0.25, 0.0), "BM25 0.000, found by another → 0.000 × 0.25"),
        ("rrf", ArmScore(3.0, 0.8, 2, 0.25, 0.2), "BM25 3.000, #2"),
    ],
)
def test_the_detail_of_a_retriever_says_how_its_part_was_reached(fusion: str, arm: ArmScore, detail: str) -> None:
    part = contributions(WhyRanked({"lexical": arm}, fusion, arm.part, arm.part, arm.part, {}, arm.part, {}))[0]
    assert (part.name, part.value, part.detail) == ("lexical", arm.part, detail)
    assert part.to_json() == {"kind": "retriever", "name": "lexical", "value": arm.part, "detail": detail}
