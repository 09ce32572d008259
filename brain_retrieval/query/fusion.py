"""Score fusion: reciprocal rank fusion and weighted fusion of the scores of named retrievers.

A retriever's scores are a mapping id -> raw score, best first; ties keep the order of the mapping. Every function is
pure and takes any number of retrievers. No retriever is run here and no row is read.
"""

from collections.abc import Iterable, Mapping

from brain_retrieval.errors import InvalidQueryError

RRF_K = 60  # Cormack, Clarke, Büttcher 2009
METHODS = ("weighted", "rrf")

Scores = Mapping[str, float]


def reciprocal_rank_fusion(
    rankings: Mapping[str, Iterable[str]], weights: Mapping[str, float], *, k: int = RRF_K
) -> dict[str, float]:
    """Return id -> sum over retrievers of weight / (k + rank), best first; rank counts from 1.

    >>> list(reciprocal_rank_fusion({"vector": "abc", "graph": "bda"}, {"vector": 0.5, "graph": 0.5}))
    ['b', 'a', 'd', 'c']
    """
    fused: dict[str, float] = {}
    for name, ranking in rankings.items():
        for rank, key in enumerate(ranking, start=1):
            fused[key] = fused.get(key, 0.0) + weights.get(name, 0.0) / (k + rank)
    return best_first(fused)


def weighted_fusion(normalised: Mapping[str, Scores], weights: Mapping[str, float]) -> dict[str, float]:
    """Return id -> convex combination of the retrievers' normalised scores, in [0, 1], best first.

    An id that a retriever did not score counts as 0 there. Weights are divided by their sum over the retrievers
    present, so a failed retriever does not lower all scores.
    """
    total = sum(weights.get(name, 0.0) for name in normalised) or 1.0
    fused: dict[str, float] = {}
    for name, scores in normalised.items():
        for key, score in scores.items():
            fused[key] = fused.get(key, 0.0) + weights.get(name, 0.0) / total * score
    return best_first(fused)


def normalise_by_maximum(scores: Scores) -> dict[str, float]:
    """Return scores divided by their maximum, in [0, 1]; for measures whose minimum is 0 (BM25)."""
    highest = max(scores.values(), default=0.0)
    return {key: max(0.0, score) / highest if highest > 0 else 0.0 for key, score in scores.items()}


def normalise_by_spread(scores: Scores, *, lowest: float) -> dict[str, float]:
    """Return scores mapped linearly so that the best is 1 and `lowest` is 0.5, cut off at 0.

    For measures without a natural minimum (cosine: the range differs from model to model). `lowest` is the
    score of the weakest candidate that the retriever itself returned, so every candidate it returned gets at
    least 0.5. Candidates of other retrievers may lie below.
    """
    highest = max(scores.values(), default=0.0)
    spread = max(highest - lowest, 1e-9)
    return {key: max(0.0, 1.0 - (highest - score) / (2 * spread)) for key, score in scores.items()}


def best_first(scores: Scores) -> dict[str, float]:
    """Return scores sorted by score, then id, so that ties have the same order on every machine."""
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0])))


def check_fusion(method: str, weights: Mapping[str, float], retrievers: Iterable[str]) -> None:
    """Raise InvalidQueryError for an unknown method or retriever, or an invalid weight."""
    if method not in METHODS:
        raise InvalidQueryError(f"fusion is one of {', '.join(METHODS)}, not {method!r:.40}")
    if unknown := sorted(set(weights) - set(retrievers)):
        raise InvalidQueryError(f"unknown retriever {unknown[0]!r:.40}; the retrievers are {', '.join(retrievers)}")
    if any(not 0 <= weight < float("inf") for weight in weights.values()) or not any(weights.values()):
        raise InvalidQueryError("weights are numbers from 0 up, and one at least is above 0")
