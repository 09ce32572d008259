"""Cosine and nearest neighbours in memory, against their definitions."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_retrieval.errors import DimensionMismatchError
from brain_retrieval.models.embedding.build import build_embedder
from brain_retrieval.models.embedding.similarity import (
    SimilarItem,
    cosine_similarity,
    embed_batch,
    embed_text,
    find_similar,
)
from brain_retrieval.models.embedding.tokenizer import ApproximateCounter
from brain_retrieval.settings import EmbeddingSettings

CANDIDATES = [("north", [0, 1]), ("east", [1, 0]), ("also-east", [5, 0]), ("north-east", [1, 1]), ("west", [-2, 0])]

vectors = st.lists(st.floats(-1e6, 1e6).filter(lambda x: x == 0 or abs(x) > 1e-6), min_size=3, max_size=3)


@pytest.mark.parametrize(
    ("a", "b", "cosine"),
    [([1, 0], [0, 1], 0), ([1, 2], [2, 4], 1), ([1, 2], [-1, -2], -1), ([3, 4], [4, 3], 24 / 25), ([0, 0], [1, 1], 0)],
)
def test_cosine(a: list[float], b: list[float], cosine: float) -> None:
    assert cosine_similarity(a, b) == pytest.approx(cosine)


@given(vectors, vectors)
def test_cosine_is_the_formula_symmetric_and_bounded(a: list[float], b: list[float]) -> None:
    cosine = cosine_similarity(a, b)
    norms = math.hypot(*a) * math.hypot(*b)
    assert cosine == cosine_similarity(b, a)
    assert -1 <= cosine <= 1
    if norms:
        assert cosine == pytest.approx(sum(x * y for x, y in zip(a, b, strict=True)) / norms, abs=1e-9)


@pytest.mark.parametrize(("a", "b"), [([1], [1, 2]), ([[1, 2]], [[1, 2]]), ([], [1])])
def test_cosine_refuses_other_widths(a: list[float], b: list[float]) -> None:
    with pytest.raises(DimensionMismatchError):
        cosine_similarity(a, b)


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({}, ["also-east", "east", "north-east", "north", "west"]),
        ({"top_k": 2}, ["also-east", "east"]),
        ({"top_k": 0}, []),
        ({"threshold": 0.5}, ["also-east", "east", "north-east"]),
        ({"threshold": 1.0}, ["also-east", "east"]),
    ],
)
def test_find_similar(options: dict[str, float], names: list[str]) -> None:
    assert [hit.id for hit in find_similar([1, 0], CANDIDATES, **options)] == names


def test_find_similar_gives_scores_and_takes_any_iterable() -> None:
    assert find_similar([0, 2], iter(CANDIDATES), top_k=1) == [SimilarItem("north", 1.0)]
    assert find_similar([0, 2], []) == []


def test_find_similar_refuses_nonsense() -> None:
    with pytest.raises(DimensionMismatchError):
        find_similar([1, 0, 0], CANDIDATES)
    with pytest.raises(ValueError, match="top_k"):
        find_similar([1, 0], CANDIDATES, top_k=-1)


def test_embedding_results(models_dir: Path) -> None:
    embedder = build_embedder(EmbeddingSettings(), models_dir=models_dir)
    single = embed_text(embedder, "hello there")
    assert single.token_count is None
    first, second = embed_batch(embedder, ["hello there", "goodbye"], counter=ApproximateCounter())
    assert np.array_equal(first.embedding, single.embedding)
    assert (first.token_count, second.token_count) == (3, 2)
