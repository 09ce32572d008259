"""From what the retrievers found to an order: fuse, compute features, score, and explain what is returned.

The score is a formula of few weights; a trained correction may be added (`ranker/`). Every step is measured in
docs/retrieval.md on conversations, meetings, news and multi-hop questions with one configuration. No store is read.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from brain_retrieval.query.analysis import Question
from brain_retrieval.query.candidates import Candidates
from brain_retrieval.query.features.pool import Pool
from brain_retrieval.query.features.registry import features_of
from brain_retrieval.query.fusion import fuse, normalise, parts_of_fusion
from brain_retrieval.query.hits import ArmScore, WhyRanked
from brain_retrieval.query.ranker.calibration import Calibration
from brain_retrieval.query.ranker.correction import Correction
from brain_retrieval.settings import RetrievalSettings


@dataclass(frozen=True)
class Ranked:
    """A candidate in its place: its row number among the candidates, and why."""

    row: int
    why: WhyRanked
    # Chance of being relevant, and that anything found is; None without a calibration for the embedding model.
    probability: float | None = None
    answered: float | None = None


def rank(
    candidates: Candidates,
    *,
    limit: int,
    method: str,
    weights: Mapping[str, float],
    question: Question,
    settings: RetrievalSettings,
    calibration: Calibration | None = None,
) -> list[Ranked]:
    """Return the `limit` best candidates, best first; equal scores are ordered by id."""
    if not len(candidates):
        return []
    normalised = {name: normalise(arm) for name, arm in candidates.arms.items()}
    fused = fuse(candidates.arms, normalised, method, weights, settings.rrf_k)
    pool = Pool(question, candidates, normalised, fused, settings.neighbour_weights)
    features = features_of(pool)
    final = formula(features, settings)
    learned = Correction.of(features) if settings.trained else None
    if learned is not None:
        final = final + learned.values
    shares = parts_of_fusion(candidates.arms, normalised, method, weights, settings.rrf_k)
    order = np.lexsort((np.array(candidates.ids), -final))[:limit]
    answered = calibration.answered(features) if calibration is not None else None
    likely = answered * calibration.fitting(final) if calibration is not None and answered is not None else None

    parts = learned.parts(order.tolist()) if learned is not None else [dict[str, float]() for _ in order]

    def explain(row: int, part: dict[str, float]) -> WhyRanked:
        return WhyRanked(
            arms={
                name: ArmScore(
                    float(arm.scores[row]),
                    float(normalised[name][row]),
                    int(arm.ranks[row]) or None,
                    weights.get(name, 0.0),
                    float(shares[name][row]),
                )
                for name, arm in candidates.arms.items()
                if np.isfinite(arm.scores[row])
            },
            fusion=method,
            fused=float(fused[row]),
            neighbourhood=float(features["beside"]["neighbourhood"][row]),
            parent=float(features["beside"]["parent"][row]),
            boosts={name: float(values[row]) for name, values in boosts(features, settings).items() if values[row]},
            final=float(final[row]),
            learned=part,
        )

    return [
        Ranked(row, explain(row, part), float(likely[row]) if likely is not None else None, answered)
        for row, part in zip(order.tolist(), parts, strict=True)
    ]


def formula(features: Mapping[str, Mapping[str, np.ndarray]], settings: RetrievalSettings) -> np.ndarray:
    """Return float64 (n,): (1 - parent weight) * neighbourhood + parent weight * parent + boosts."""
    share, beside = settings.parent_weight, features["beside"]
    base = (1 - share) * beside["neighbourhood"] + share * beside["parent"]
    return base + sum(boosts(features, settings).values())


def boosts(features: Mapping[str, Mapping[str, np.ndarray]], settings: RetrievalSettings) -> dict[str, np.ndarray]:
    """Return the boosts by name: for the day named, and for what a first passage leads to."""
    return {
        "date": settings.date_boost * features["dates"]["date"],
        "second_hop": settings.hop_weight * features["names"]["second_hop"],
        "title_link": settings.link_weight * features["names"]["title_link"],
    }
