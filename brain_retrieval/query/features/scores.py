"""Features from the retrievers' scores: normalised, standardised, and by rank."""

import numpy as np

from brain_retrieval.query.features.pool import Features, Pool, or_zero
from brain_retrieval.query.late_interaction import NAME

RAW = {"vector": "cosine", NAME: "closeness"}  # retrievers whose scores mean the same in all questions


def scores(pool: Pool) -> Features:
    """Return for each retriever its normalised, standardised and reciprocal-rank score, and their mix.

    `cosine` and `closeness`, the mean cosine of the question's words with the closest ones, are as the retriever gave
    them. A score that is missing counts as the lowest one: 0, or two standard deviations below the mean.
    """
    found: dict[str, np.ndarray] = {"fused": pool.fused}
    for name in ("lexical", "vector", NAME):
        arm = pool.candidates.arms.get(name)
        raw = arm.scores if arm is not None else np.full(len(pool), np.nan)
        ranks = arm.ranks if arm is not None else np.zeros(len(pool), dtype=np.int64)
        found[name] = or_zero(pool.normalised.get(name, np.zeros(len(pool))))
        found[f"{name}_z"] = standardised(raw)
        found[f"{name}_rank"] = np.where(ranks > 0, 1.0 / (ranks + 4.0), 0.0)
        if name in RAW:
            found[RAW[name]] = or_zero(raw)
    found["both"] = ((found["lexical_rank"] > 0) & (found["vector_rank"] > 0)).astype(np.float64)
    return found


def standardised(values: np.ndarray) -> np.ndarray:
    """Return (value - mean) / standard deviation over the known ones, in [-2, 6]; -2 where unknown."""
    known = np.isfinite(values)
    if not known.any():
        return np.full(len(values), -2.0)
    spread = max(float(values[known].std()), 1e-9)
    return np.clip(np.where(known, (or_zero(values) - values[known].mean()) / spread, -2.0), -2.0, 6.0)
