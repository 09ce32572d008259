"""Features from the words of the question that a candidate contains, weighted by how rare they are among candidates."""

from collections.abc import Sequence

import numpy as np

from brain_retrieval.query.features.pool import Features, Pool
from brain_retrieval.query.features.presence import contained, stems_of
from brain_retrieval.query.features.texts import Texts


def words(pool: Pool) -> Features:
    """Return the shares of the question's words in the text and title, of its best clause, and of its word pairs."""
    inside, rarity = pool.inside, pool.rarity
    titled = pool.candidates.titled
    places = np.empty(len(pool), dtype=np.int64)
    for place, rows in enumerate(titled.values()):
        places[rows] = place
    titles = contained(pool.stems, Texts([title.lower() for title in titled]))[places]
    return {
        "coverage": weighted_share(inside, rarity),
        "title_coverage": weighted_share(titles, rarity),
        "rarest": (inside * rarity).max(axis=1, initial=0.0) / max(float(rarity.max(initial=0.0)), 1e-9),
        "clause": best_clause(pool.stems, inside, rarity, pool.question.clauses),
        "pairs": adjacent(inside),
    }


def weighted_share(inside: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return float64 (n,) in [0, 1]: the share of the words contained, by weight."""
    total = float(weights.sum())
    return np.array(inside @ weights / total, ndmin=1) if total else np.zeros(len(inside))


def best_clause(stems: Sequence[str], inside: np.ndarray, weights: np.ndarray, clauses: Sequence[str]) -> np.ndarray:
    """Return float64 (n,): the weighted share of the words of the clause that a candidate covers best."""
    parts = [[stems.index(s) for s in stems_of(c) if s in stems] for c in clauses]
    shares = [weighted_share(inside[:, part], weights[part]) for part in parts if part]
    return np.maximum.reduce(shares) if shares else weighted_share(inside, weights)


def adjacent(inside: np.ndarray) -> np.ndarray:
    """Return float64 (n,): the share of the question's successive word pairs of which both words are contained."""
    if inside.shape[1] < 2:
        return np.asarray(inside.any(axis=1), dtype=np.float64)
    both = (inside[:, 1:] & inside[:, :-1]).astype(np.float64)
    return np.asarray(both.mean(axis=1))
