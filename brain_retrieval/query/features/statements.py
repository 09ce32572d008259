"""Statements of a question: evidence for each of them before more evidence for one.

"Which company was fined in Spain for its adverts, and sponsors the marathon that Ann ran in May?" has evidence in two
places, and ten passages about the fine leave the marathon out. Passages are placed one after the other: what a passage
gains by a statement is the less, the more the passages before it have of that statement. Where one passage has all of
them, the question asks for one thing, and they add the less, the more of all that passage has. Publishers that the
question names are treated alike: articles of each before more articles of one.
"""

from collections.abc import Sequence

import numpy as np

from brain_retrieval.query.features.pool import Pool
from brain_retrieval.query.features.presence import stems_of
from brain_retrieval.query.features.words import weighted_share

PLACED = 20  # passages placed one after the other; the order of those after them is that of what is left to gain
SPENT = 0.4  # share of a statement's gain that a passage takes which has all of it


def stated(pool: Pool) -> np.ndarray:
    """Return float64 (n, statements): the weighted share of a statement's words in a passage, over the highest.

    Statements of which no passage has a word are left out; without two others there is no column.
    """
    places = {stem: place for place, stem in enumerate(pool.stems)}
    columns = list[np.ndarray]()
    for statement in pool.question.statements:
        own = [places[stem] for stem in stems_of(statement) if stem in places]
        share = weighted_share(pool.inside[:, own], pool.rarity[own]) if own else np.zeros(len(pool))
        if highest := float(share.max(initial=0.0)):
            columns.append(share / highest)
    return np.stack(columns, axis=1) if len(columns) > 1 else np.empty((len(pool), 0))


def spread(scores: np.ndarray, shares: np.ndarray, ids: Sequence[str] | np.ndarray, weight: float) -> np.ndarray:
    """Return float64 (n,): what statements, or publishers, add to scores; the passage that comes first gains nothing.

    The sums descend in the order in which passages are placed, so they order them the same way again.

    Args:
        shares: float64 (n, statements), as `stated` returns them, or (n, groups), as `publishers` does.
        ids: of the passages; of equal ones that with the lower id is placed first.
    """
    added = np.zeros(len(scores))
    if not shares.size or not weight:
        return added
    weight *= 1.0 - float(shares.min(axis=1).max())
    by_id = np.argsort(np.array(ids))
    base, share = scores[by_id], shares[by_id]
    left, waiting, gained = np.ones(share.shape[1]), np.ones(len(base), dtype=bool), np.zeros(len(base))
    gain = weight * share.max(axis=1)
    first = gain[(base + gain).argmax()]
    for _ in range(min(PLACED, len(base))):
        row = int(np.where(waiting, base + gain, -np.inf).argmax())
        waiting[row], gained[row] = False, gain[row]
        left *= 1.0 - SPENT * share[row]
        gain = weight * (share * left).max(axis=1)
    added[by_id] = np.where(waiting, gain, gained) - first
    return added
