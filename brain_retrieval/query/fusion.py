"""Fusion of the retrievers' scores into one number a candidate. Pure functions over arrays; no store is read.

Row n of every array is candidate n. NaN stands for a passage that a retriever gave no score.
"""

from collections.abc import Iterable, Mapping

import numpy as np

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.query.candidates import Arm

METHODS = ("weighted", "rrf")
RRF_K = 60
OVER_MAXIMUM = ("lexical", "memories")  # retrievers whose scores have 0 as their minimum


def fuse(
    arms: Mapping[str, Arm],
    normalised: Mapping[str, np.ndarray],
    method: str,
    weights: Mapping[str, float],
    rrf_k: int = RRF_K,
) -> np.ndarray:
    """Return float64 (n,) in [0, 1]; RRF is divided by its maximum, so that what follows means the same."""
    if method == "weighted":
        return weighted_fusion(normalised, weights)
    return over_maximum(reciprocal_rank_fusion({name: arm.ranks for name, arm in arms.items()}, weights, k=rrf_k))


def parts_of_fusion(
    arms: Mapping[str, Arm],
    normalised: Mapping[str, np.ndarray],
    method: str,
    weights: Mapping[str, float],
    rrf_k: int = RRF_K,
) -> dict[str, np.ndarray]:
    """Return retriever -> float64 (n,): its part of what `fuse` returns; the parts add up to it."""
    if method == "weighted":
        return weighted_parts(normalised, weights)
    parts = {name: reciprocal_rank_fusion({name: arm.ranks}, weights, k=rrf_k) for name, arm in arms.items()}
    highest = float(np.max(np.sum([*parts.values()], axis=0), initial=0.0)) if parts else 0.0
    return {name: part / highest if highest > 0 else part * 0.0 for name, part in parts.items()}


def reciprocal_rank_fusion(
    ranks: Mapping[str, np.ndarray], weights: Mapping[str, float], *, k: int = RRF_K
) -> np.ndarray:
    """Return float64 (n,): sum over retrievers of weight / (k + rank).

    Ranks count from 1; 0 is a passage that the retriever did not return (Cormack, Clarke and Büttcher 2009).
    """
    parts = [
        np.where(rank > 0, weights.get(name, 0.0) / np.where(rank > 0, k + rank, 1), 0.0)
        for name, rank in ranks.items()
    ]
    return np.sum(parts, axis=0) if parts else np.empty(0)


def weighted_fusion(normalised: Mapping[str, np.ndarray], weights: Mapping[str, float]) -> np.ndarray:
    """Return float64 (n,) in [0, 1]: the convex combination of the retrievers' normalised scores.

    A passage that a retriever did not score counts as 0 there. Weights are divided by their sum over the retrievers
    present, so a failed retriever does not lower all scores.
    """
    parts = [*weighted_parts(normalised, weights).values()]
    return np.sum(parts, axis=0) if parts else np.empty(0)


def weighted_parts(normalised: Mapping[str, np.ndarray], weights: Mapping[str, float]) -> dict[str, np.ndarray]:
    """Return retriever -> float64 (n,): the terms of `weighted_fusion`."""
    total = sum(weights.get(name, 0.0) for name in normalised) or 1.0
    return {name: weights.get(name, 0.0) / total * np.nan_to_num(scores) for name, scores in normalised.items()}


def normalise(arm: Arm) -> np.ndarray:
    """Return the scores of a retriever in [0, 1]: cosines by the spread of what it returned, others by the maximum."""
    if arm.name in OVER_MAXIMUM:
        return over_maximum(arm.scores)
    return by_spread(arm.scores, lowest=arm.lowest)


def over_maximum(scores: np.ndarray) -> np.ndarray:
    """Return scores divided by their maximum, in [0, 1]; for measures whose minimum is 0 (BM25)."""
    highest = np.nanmax(scores) if np.isfinite(scores).any() else 0.0
    return np.maximum(scores, 0.0) / highest if highest > 0 else scores * 0.0


def by_spread(scores: np.ndarray, *, lowest: float) -> np.ndarray:
    """Return scores mapped linearly so that the best is 1 and `lowest` is 0.5, cut off at 0.

    For measures without a natural minimum (cosine: the range differs from model to model). `lowest` is the
    score of the weakest candidate that the retriever itself returned, so every candidate it returned gets at
    least 0.5. Candidates of other retrievers may lie below.
    """
    highest = np.nanmax(scores) if np.isfinite(scores).any() else 0.0
    spread = max(highest - lowest, 1e-9)
    return np.maximum(0.0, 1.0 - (highest - scores) / (2 * spread))


def check_fusion(method: str, weights: Mapping[str, float], retrievers: Iterable[str]) -> None:
    """Raise InvalidQueryError for an unknown method or retriever, or an invalid weight."""
    if method not in METHODS:
        raise InvalidQueryError(f"fusion is one of {', '.join(METHODS)}, not {method!r:.40}")
    if unknown := sorted(set(weights) - set(retrievers)):
        raise InvalidQueryError(f"unknown retriever {unknown[0]!r:.40}; the retrievers are {', '.join(retrievers)}")
    if any(not 0 <= weight < float("inf") for weight in weights.values()) or not any(weights.values()):
        raise InvalidQueryError("weights are numbers from 0 up, and one at least is above 0")
