"""Features from the memories of a candidate: how well the best sentence worth keeping in it fits the question."""

import numpy as np

from brain_retrieval.query.features.pool import Features, Pool, or_zero

SEVERAL = 0.6  # of their weight that memories have in a question of several statements: each of them is one sentence


def memories(pool: Pool) -> Features:
    """Return how the best memory fits, 0 without one, its reciprocal rank, and whether memories were compared.

    `share` is no score, but how much of their weight memories have in this question.
    """
    arm = pool.candidates.arms.get("memories")
    if arm is None:
        return dict.fromkeys(("fit", "rank", "compared", "share"), np.zeros(len(pool)))
    return {
        "fit": or_zero(pool.normalised["memories"]),
        "rank": np.where(arm.ranks > 0, 1.0 / (arm.ranks + 4.0), 0.0),
        "compared": np.ones(len(pool)),
        "share": np.full(len(pool), SEVERAL if len(pool.question.statements) > 1 else 1.0),
    }
