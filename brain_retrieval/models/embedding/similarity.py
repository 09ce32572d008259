"""Similarity of vectors in memory. Search over a user's index is not done here."""

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from brain_retrieval.errors import DimensionMismatchError
from brain_retrieval.models.embedding.protocol import Embedder
from brain_retrieval.models.embedding.tokenizer import TokenCounter

Vector = Sequence[float] | np.ndarray


@dataclass(frozen=True)
class EmbeddingResult:
    """The vector of one text (float32, unit length) and its number of tokens, if a tokenizer was given."""

    embedding: np.ndarray
    token_count: int | None = None


@dataclass(frozen=True)
class SimilarItem:
    """A candidate and its cosine similarity to the query, -1 … 1."""

    id: str
    score: float


def embed_text(embedder: Embedder, text: str, *, counter: TokenCounter | None = None) -> EmbeddingResult:
    """Return the vector of one text."""
    return embed_batch(embedder, [text], counter=counter)[0]


def embed_batch(
    embedder: Embedder, texts: Sequence[str], *, counter: TokenCounter | None = None
) -> list[EmbeddingResult]:
    """Return the vectors of many texts, in their order."""
    vectors = embedder.embed(texts)
    counts = [counter.count(text) if counter else None for text in texts]
    return [EmbeddingResult(vector, count) for vector, count in zip(vectors, counts, strict=True)]


def cosine_similarity(a: Vector, b: Vector) -> float:
    """Return A·B / (‖A‖‖B‖), and 0 if either vector is all zeros, which has no direction.

    Raises:
        DimensionMismatchError: if the vectors differ in width.
    """
    left, right = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if left.shape != right.shape or left.ndim != 1:
        raise DimensionMismatchError(f"cannot compare vectors of shapes {left.shape} and {right.shape}")
    scale = float(np.linalg.norm(left) * np.linalg.norm(right))
    # Rounding can give 1.0000000000000002, which breaks arccos and checks for <= 1.
    return max(-1.0, min(1.0, float(left @ right) / scale)) if scale else 0.0


def find_similar(
    query: Vector, candidates: Iterable[tuple[str, Vector]], *, top_k: int = 10, threshold: float = -1.0
) -> list[SimilarItem]:
    """Return the `top_k` candidates (id, vector) with a cosine of at least `threshold`, best first, ties by id.

    Raises:
        DimensionMismatchError: if a candidate has another width than the query.
        ValueError: if `top_k` is negative.
    """
    if top_k < 0:
        raise ValueError(f"top_k must not be negative, it is {top_k}")
    scored = (SimilarItem(name, cosine_similarity(query, vector)) for name, vector in candidates)
    return heapq.nsmallest(top_k, (hit for hit in scored if hit.score >= threshold), key=lambda h: (-h.score, h.id))
