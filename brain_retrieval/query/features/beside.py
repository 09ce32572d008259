"""Features from the chunks beside a candidate in its source, and from the source as a whole.

Only candidates take part, which loses under 1 point against reading all neighbours.
"""

from dataclasses import dataclass

import numpy as np

from brain_retrieval.query.features.pool import Features, Pool, or_zero

REACH = 3
PARENT_DECAY = 0.5
WINDOW = 6  # places on each side
SPREAD = 2.0  # standard deviation, in places, of the weights in the window
SHARES = np.exp(-0.5 * (np.arange(WINDOW + 1) / SPREAD) ** 2)  # by distance


def beside(pool: Pool) -> Features:
    """Return the weighted mean with the neighbours, each neighbour's fused score, and those of the source."""
    known_places = Places.of(pool)
    near = {d: at_distance(pool, d, known_places) for d in (*range(-REACH, 0), *range(1, REACH + 1))}
    known = {distance: or_zero(values) for distance, values in near.items()}
    return {
        "neighbourhood": neighbourhood(pool, near),
        "window": window(pool),
        "before": known[-1],
        "after": known[1],
        "two_away": np.maximum(known[-2], known[2]),
        "nearby": np.max([*known.values()], axis=0) if len(pool) else pool.fused,
        "parent": parent_scores(pool),
        "parent_sum": parent_sums(pool),
        "first": (pool.candidates.positions == 0).astype(np.float64),
    }


@dataclass(frozen=True)
class Places:
    """The places of candidates in their sources: a number for each place, ascending, and its fused score.

    Args:
        keys: int64 (n,), the number of each candidate's place, in the order of candidates.
        last: int64 (n,), the position of the last candidate of its source.
    """

    keys: np.ndarray
    ascending: np.ndarray
    fused: np.ndarray
    last: np.ndarray

    @classmethod
    def of(cls, pool: Pool) -> "Places":
        positions, parents = pool.candidates.positions, pool.candidates.parents
        keys = parents * (int(positions.max(initial=0)) + 2 * REACH + 2) + positions + REACH
        order = np.argsort(keys)
        last = np.zeros(parents.max(initial=-1) + 1, dtype=np.int64)
        np.maximum.at(last, parents, positions)
        return cls(keys, keys[order], pool.fused[order], last[parents])


def at_distance(pool: Pool, distance: int, places: Places | None = None) -> np.ndarray:
    """Return float64 (n,): the fused score of the chunk `distance` places on.

    It is 0 for a place that exists and is no candidate, and NaN for a place before the first chunk or after the last
    candidate of the source: whether there is a next place is not known.
    """
    if not len(pool):
        return pool.fused
    known = Places.of(pool) if places is None else places
    wanted = known.keys + distance
    place = np.minimum(np.searchsorted(known.ascending, wanted), len(wanted) - 1)
    hit = known.ascending[place] == wanted
    away = pool.candidates.positions + distance
    exists = (away >= 0) & (away <= known.last)
    return np.where(exists, np.where(hit, known.fused[place], 0.0), np.nan)


def neighbourhood(pool: Pool, near: dict[int, np.ndarray] | None = None) -> np.ndarray:
    """Return float64 (n,): the weighted mean of a candidate's fused score and those of the chunks beside it.

    The mean is of the places that exist: a source of one chunk keeps its score, it has nothing to be diluted by.
    """
    total, mass = pool.fused.copy(), np.ones(len(pool))
    for away, weight in enumerate(pool.neighbour_weights, start=1):
        for distance in (-away, away):
            values = near[distance] if near is not None and distance in near else at_distance(pool, distance)
            total += weight * or_zero(values)
            mass += weight * np.isfinite(values)
    return total / mass


def window(pool: Pool) -> np.ndarray:
    """Return float64 (n,): the mean of the fused scores up to WINDOW places away, near ones counting more.

    The passage itself takes part. The mean is of the places that exist, like that of `neighbourhood`, which it
    steadies: of a passage that talks about the subject, more than the next two chunks do.
    """
    positions, parents = pool.candidates.positions, pool.candidates.parents
    if not len(pool):
        return pool.fused
    keys = parents * (int(positions.max()) + WINDOW + 1) + positions
    order = np.argsort(keys)
    keys, fused = keys[order], pool.fused[order]
    total = fused.copy()
    for step in range(1, min(WINDOW, len(keys) - 1) + 1):  # at most WINDOW candidates follow within the window
        away = keys[step:] - keys[:-step]
        share = np.where(away <= WINDOW, SHARES[np.minimum(away, WINDOW)], 0.0)
        total[:-step] += share * fused[step:]
        total[step:] += share * fused[:-step]
    last = np.zeros(parents.max() + 1, dtype=np.int64)
    np.maximum.at(last, parents, positions)
    side = np.cumsum(SHARES) - SHARES[0]
    mass = SHARES[0] + side[np.minimum(positions, WINDOW)] + side[np.minimum(last[parents] - positions, WINDOW)]
    means = np.empty(len(pool))
    means[order] = total / mass[order]
    return means


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
