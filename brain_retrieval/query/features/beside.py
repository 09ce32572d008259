"""Features from the chunks beside a candidate in its source, and from the source as a whole.

Only candidates take part, which loses under 1 point against reading all neighbours.
"""

import numpy as np

from brain_retrieval.query.features.pool import Features, Pool

REACH = 3
PARENT_DECAY = 0.5


def beside(pool: Pool) -> Features:
    """Return the weighted mean with the neighbours, each neighbour's fused score, and those of the source."""
    near = {distance: at_distance(pool, distance) for distance in (*range(-REACH, 0), *range(1, REACH + 1))}
    known = [np.nan_to_num(values) for values in near.values()]
    return {
        "neighbourhood": neighbourhood(pool, near),
        "before": np.nan_to_num(near[-1]),
        "after": np.nan_to_num(near[1]),
        "two_away": np.maximum(np.nan_to_num(near[-2]), np.nan_to_num(near[2])),
        "nearby": np.max(known, axis=0) if len(pool) else pool.fused,
        "parent": parent_scores(pool),
        "parent_sum": parent_sums(pool),
        "first": (pool.candidates.positions == 0).astype(np.float64),
    }


def at_distance(pool: Pool, distance: int) -> np.ndarray:
    """Return float64 (n,): the fused score of the chunk `distance` places on.

    It is 0 for a place that exists and is no candidate, and NaN for a place before the first chunk or after the last
    candidate of the source: whether there is a next place is not known.
    """
    positions, parents = pool.candidates.positions, pool.candidates.parents
    if not len(pool):
        return pool.fused
    width = int(positions.max()) + 2 * REACH + 2
    keys = parents * width + positions + REACH
    order = np.argsort(keys)
    wanted = keys + distance
    place = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
    hit = keys[order][place] == wanted
    last = np.zeros(parents.max() + 1, dtype=np.int64)
    np.maximum.at(last, parents, positions)
    exists = (positions + distance >= 0) & (positions + distance <= last[parents])
    return np.where(exists, np.where(hit, pool.fused[order][place], 0.0), np.nan)


def neighbourhood(pool: Pool, near: dict[int, np.ndarray] | None = None) -> np.ndarray:
    """Return float64 (n,): the weighted mean of a candidate's fused score and those of the chunks beside it.

    The mean is of the places that exist: a source of one chunk keeps its score, it has nothing to be diluted by.
    """
    total, mass = pool.fused.copy(), np.ones(len(pool))
    for away, weight in enumerate(pool.neighbour_weights, start=1):
        for distance in (-away, away):
            values = near[distance] if near is not None and distance in near else at_distance(pool, distance)
            total += weight * np.nan_to_num(values)
            mass += weight * np.isfinite(values)
    return total / mass


def parent_scores(pool: Pool) -> np.ndarray:
    """Return float64 (n,): the best fused score among the chunks of the candidate's source."""
    parents = pool.candidates.parents
    best = np.zeros(parents.max() + 1 if len(pool) else 0)
    np.maximum.at(best, parents, pool.fused)
    return best[parents]


def parent_sums(pool: Pool) -> np.ndarray:
    """Return float64 (n,) in [0, 1]: the fused scores of the source's chunks, each next one counting half."""
    parents = pool.candidates.parents
    order = np.lexsort((-pool.fused, parents))
    starts = np.flatnonzero(np.r_[True, np.diff(parents[order]) != 0]) if len(pool) else np.empty(0, dtype=np.int64)
    place = np.arange(len(pool)) - np.repeat(starts, np.diff(np.r_[starts, len(pool)]))
    sums = np.bincount(parents[order], pool.fused[order] * PARENT_DECAY**place * (1 - PARENT_DECAY), len(starts))
    return sums[parents]
