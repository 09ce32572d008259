"""Arithmetic that joins the scores of named arms. No arm is run here and no row is looked at.

An arm's scores are a mapping id -> raw score, best first; ties keep the order of the mapping. Every function is
pure and takes any number of arms, so a graph or a temporal arm needs nothing new.
"""

from collections.abc import Iterable, Mapping

from brain_retrieval.errors import InvalidQueryError

RRF_K = 60  # Cormack, Clarke, Büttcher 2009
METHODS = ("weighted", "rrf")

Scores = Mapping[str, float]


def reciprocal_rank_fusion(
    rankings: Mapping[str, Iterable[str]], weights: Mapping[str, float], *, k: int = RRF_K
) -> dict[str, float]:
    """Return id -> sum over arms of weight / (k + rank), best first; rank counts from 1.

    >>> list(reciprocal_rank_fusion({"vector": "abc", "graph": "bda"}, {"vector": 0.5, "graph": 0.5}))
    ['b', 'a', 'd', 'c']
    """
    fused: dict[str, float] = {}
    for arm, ranking in rankings.items():
        for rank, key in enumerate(ranking, start=1):
            fused[key] = fused.get(key, 0.0) + weights.get(arm, 0.0) / (k + rank)
    return best_first(fused)


def weighted_fusion(normalised: Mapping[str, Scores], weights: Mapping[str, float]) -> dict[str, float]:
    """Return id -> convex combination of the arms' normalised scores, in [0, 1], best first.

    An id an arm does not know counts 0 there. Weights are divided by their sum over the arms present, so an arm
    that failed does not push every score down.
    """
    total = sum(weights.get(arm, 0.0) for arm in normalised) or 1.0
    fused: dict[str, float] = {}
    for arm, scores in normalised.items():
        for key, score in scores.items():
            fused[key] = fused.get(key, 0.0) + weights.get(arm, 0.0) / total * score
    return best_first(fused)


def normalise_by_maximum(scores: Scores) -> dict[str, float]:
    """Return scores over their maximum, for measures whose floor is 0 (BM25), in [0, 1]."""
    highest = max(scores.values(), default=0.0)
    return {key: max(0.0, score) / highest if highest > 0 else 0.0 for key, score in scores.items()}


def normalise_by_spread(scores: Scores, *, lowest: float) -> dict[str, float]:
    """Return scores on the line through 1 at the best and 0.5 at `lowest`, cut at 0.

    For measures without a natural floor (cosine: the range differs from model to model). `lowest` is the
    score of the weakest candidate the arm itself retrieved; to have been retrieved at all is worth a half.
    Candidates that came from other arms may lie below it.
    """
    highest = max(scores.values(), default=0.0)
    spread = max(highest - lowest, 1e-9)
    return {key: max(0.0, 1.0 - (highest - score) / (2 * spread)) for key, score in scores.items()}


def best_first(scores: Scores) -> dict[str, float]:
    """Return scores ordered by score, then by id, so that equal scores have one order on every machine."""
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0])))


def check_fusion(method: str, weights: Mapping[str, float], arms: Iterable[str]) -> None:
    """Raise InvalidQueryError for a method, an arm name or a weight that means nothing."""
    if method not in METHODS:
        raise InvalidQueryError(f"fusion is one of {', '.join(METHODS)}, not {method!r:.40}")
    if unknown := sorted(set(weights) - set(arms)):
        raise InvalidQueryError(f"unknown arm {unknown[0]!r:.40}; the arms are {', '.join(arms)}")
    if any(not 0 <= weight < float("inf") for weight in weights.values()) or not any(weights.values()):
        raise InvalidQueryError("weights are numbers from 0 up, and one at least is above 0")
