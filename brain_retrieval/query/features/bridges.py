"""Bridges: passages that share a rare name with the page which the question names.

"Which county borders the one that Ashby lies in?" names the page of Ashby, which names a county that no page is called;
what is asked for is on another page that names the same county. Names are compared whole and by their words, as texts
shorten them ("Rutgers University", "Rutgers"). Without a page that the question names there are no bridges: in news
and talk most passages share a rare name with some first one.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from brain_retrieval.language.folding import fold
from brain_retrieval.query.features.pool import Pool
from brain_retrieval.query.features.presence import has_word

STARTS = 5  # first passages that bridges may start from
START_POWER = 3
SHORTEST_NAME, SHORTEST_WORD = 3, 4  # letters
MOST_PAGES = 10  # that have a name which counts as rare
RARE_SHARE = 0.05  # of the pages among the candidates, at most


def bridges(
    pool: Pool, lists: Sequence[Iterable[str]], pages: np.ndarray, named: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return float64 (n,) twice: how strongly a first passage of another page leads to this one, and its row.

    The strength is the cubed score of that passage over the highest, divided by how many other pages have the name.

    Args:
        lists: the folded names of each candidate.
        pages: float64 (n,), as `pages_of` returns them.
        named: float64 (n,), 1 where the question names the title.
    """
    strength, starts = np.zeros(len(pool)), np.zeros(len(pool))
    most = min(float(MOST_PAGES), RARE_SHARE * float(pages.max(initial=-1) + 1))
    first = [row for row in pool.order[:STARTS].tolist() if named[row] and pool.fused[row] > 0]
    if most < 2 or not first:
        return strength, starts
    asked = fold(pool.question.text)
    own = {row: {name for name in _distinct(lists[row]) if not has_word(asked, name)} for row in first}
    holders = _holders(lists, set().union(*own.values()))
    highest = float(pool.fused.max())
    for start in first:
        weight = (pool.fused[start] / highest) ** START_POWER
        for name in sorted(own[start]):
            rows = np.array(holders[name], dtype=np.int64)
            count = len(np.unique(pages[rows]))
            if not 2 <= count <= most:
                continue
            others = rows[(pages[rows] != pages[start]) & (strength[rows] < weight / (count - 1))]
            strength[others], starts[others] = weight / (count - 1), start
    return strength, starts


def pages_of(pool: Pool) -> np.ndarray:
    """Return float64 (n,): a number for the page of each candidate; sources of one title are one page."""
    pairs = zip(pool.candidates.titles, pool.candidates.parents.tolist(), strict=True)
    keys: list[str | int] = [title or parent for title, parent in pairs]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return np.fromiter(map(numbers.__getitem__, keys), dtype=np.float64, count=len(keys))


def _holders(lists: Sequence[Iterable[str]], wanted: set[str]) -> dict[str, list[int]]:
    """Return the rows of the candidates that have each of the names wanted, ascending."""
    found: dict[str, list[int]] = {name: [] for name in wanted}
    for row, names in enumerate(lists):
        for name in wanted.intersection(_distinct(names)):
            found[name].append(row)
    return found


def _distinct(names: Iterable[str]) -> set[str]:
    return {part for name in names for part in _parts(name)}


@lru_cache(maxsize=20_000)
def _parts(name: str) -> tuple[str, ...]:
    """Return a name and its longer words."""
    words = (word for word in name.split() if len(word) >= SHORTEST_WORD)
    return tuple(part for part in (name, *words) if len(part) >= SHORTEST_NAME)
