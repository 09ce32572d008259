"""From what the arms found to an order: fuse, look at the chunks beside, at the source as a whole, at dates named.

Every step is measured in docs/retrieval.md on conversations, meetings and news with one configuration.
No store is read: only candidates take part, which loses under 1 point against reading all neighbours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from brain_retrieval.query.analysis import Question
from brain_retrieval.query.features import FEATURES, Feature, boosts_of
from brain_retrieval.query.fusion import (
    best_first,
    normalise_by_maximum,
    normalise_by_spread,
    reciprocal_rank_fusion,
    weighted_fusion,
)
from brain_retrieval.query.hits import ArmScore, WhyRanked
from brain_retrieval.query.retrievers import ArmResult, Row, merged_rows
from brain_retrieval.settings import RetrievalSettings

Place = tuple[str, int]  # source_id, position


@dataclass(frozen=True)
class Ranked:
    """A candidate in its place."""

    row: Row
    why: WhyRanked


def rank(
    results: Sequence[ArmResult],
    *,
    limit: int,
    method: str,
    weights: Mapping[str, float],
    question: Question,
    settings: RetrievalSettings,
    features: Sequence[Feature] = FEATURES,
) -> list[Ranked]:
    """Return the `limit` best candidates of the arms, best first; equal scores are ordered by id."""
    rows = merged_rows(results)
    normalised = {result.name: normalise(result) for result in results}
    fused = fuse(results, normalised, method, weights, settings.rrf_k)
    beside = neighbourhood(rows, fused, settings.neighbour_weights)
    parent = parent_scores(rows, fused)
    share = settings.parent_weight
    boosts = {key: boosts_of(row, question, settings, features) for key, row in rows.items()}
    final = best_first(
        {
            key: (1 - share) * beside[key] + share * parent[row["source_id"]] + sum(boosts[key].values())
            for key, row in rows.items()
        }
    )
    places = {result.name: {key: n for n, key in enumerate(result.retrieved, start=1)} for result in results}

    def explain(key: str) -> WhyRanked:
        arms = {
            result.name: ArmScore(
                result.scores[key],
                normalised[result.name][key],
                places[result.name].get(key),
                weights.get(result.name, 0.0),
            )
            for result in results
            if key in result.scores
        }
        return WhyRanked(arms, method, fused[key], beside[key], parent[rows[key]["source_id"]], boosts[key], final[key])

    return [Ranked(rows[key], explain(key)) for key in list(final)[:limit]]


def normalise(result: ArmResult) -> dict[str, float]:
    """Return an arm's scores in [0, 1]: BM25 over its maximum, others by the spread of what was retrieved."""
    if result.name == "lexical":
        return normalise_by_maximum(result.scores)
    return normalise_by_spread(result.scores, lowest=result.lowest)


def fuse(
    results: Sequence[ArmResult],
    normalised: Mapping[str, Mapping[str, float]],
    method: str,
    weights: Mapping[str, float],
    rrf_k: int,
) -> dict[str, float]:
    """Return id -> fused score in [0, 1]; RRF is over its maximum, so that what follows means the same."""
    if method == "weighted":
        return weighted_fusion(normalised, weights)
    rankings = {result.name: list(result.retrieved) for result in results}
    return normalise_by_maximum(reciprocal_rank_fusion(rankings, weights, k=rrf_k))


def neighbourhood(rows: Mapping[str, Row], fused: Mapping[str, float], weights: Sequence[float]) -> dict[str, float]:
    """Return id -> weighted mean of its fused score and those of the chunks beside it in its source.

    The mean is over the places that exist: a source of one chunk keeps its score, it has nothing to be
    diluted by. A place that exists but is no candidate counts 0. Whether there is a next place is known only
    up to the last candidate of the source.
    """
    at: dict[Place, float] = {}
    last: dict[str, int] = {}
    for key, row in rows.items():
        at[row["source_id"], row["position"]] = fused[key]
        last[row["source_id"]] = max(last.get(row["source_id"], 0), row["position"])
    means = {}
    for key, row in rows.items():
        total, mass = fused[key], 1.0
        for distance, weight in enumerate(weights, start=1):
            for place in (row["position"] - distance, row["position"] + distance):
                if 0 <= place <= last[row["source_id"]]:
                    total += weight * at.get((row["source_id"], place), 0.0)
                    mass += weight
        means[key] = total / mass
    return means


def parent_scores(rows: Mapping[str, Row], fused: Mapping[str, float]) -> dict[str, float]:
    """Return source_id -> the best fused score among its chunks."""
    best: dict[str, float] = {}
    for key, row in rows.items():
        best[row["source_id"]] = max(best.get(row["source_id"], 0.0), fused[key])
    return best
