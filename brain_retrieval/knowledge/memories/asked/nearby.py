"""The memories that are read because they may be related to a question: beside its answers, about the same, or alike.

`related.py` says how much they are. They are bounded, by rules that depend on the rows alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from brain_retrieval.knowledge.memories.asked.related import AFTER, BEFORE, LEAST_ALIKE, MOST
from brain_retrieval.knowledge.memories.candidates import Visible, with_changes
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.knowledge.memories.matching import topic_words
from brain_retrieval.knowledge.memories.postings import Rows
from brain_retrieval.knowledge.memories.seen import Seen
from brain_retrieval.knowledge.memories.vectors import MemoryVectors, aligned

RARE = 20  # memories that have a rare word
_AT_ONCE = 20_000  # vectors that are compared together, 30 MB


@dataclass(frozen=True)
class Alike:
    """The vectors of the memories by one model, and that of a question: float32 (dim,), of length 1."""

    vectors: MemoryVectors
    question: np.ndarray

    def cosines(self, index: MemoryIndex, rows: Rows) -> np.ndarray:
        """Return float32 (rows,): the cosine of memories with the question, 0 for those without a vector."""
        places = aligned(index, self.vectors)[rows]
        known = np.flatnonzero(places >= 0)
        found = np.zeros(len(rows), np.float32)
        for start in range(0, len(known), _AT_ONCE):
            some = known[start : start + _AT_ONCE]
            found[some] = self.vectors.cosines(places[some], self.question)
        return found


def most_alike(index: MemoryIndex, alike: Alike, visible: Visible) -> list[str]:
    """Return the ids of the memories that are most like a question, of those that count."""
    rows = np.arange(index.rows.height) if visible is None else np.flatnonzero(visible)
    cosines = alike.cosines(index, rows)
    best = np.argsort(-cosines, kind="stable")[:MOST]
    return index.rows["memory_id"][rows[best[cosines[best] >= LEAST_ALIKE]]].to_list()


def with_related(
    index: MemoryIndex,
    facets: Sequence[Facet],
    found: Sequence[Seen],
    topic: str,
    alike: Alike | None,
    visible: Visible,
) -> tuple[list[Facet], dict[str, float]]:
    """Return memories with those that may be related to a question, and by id the cosines of all with the question.

    Args:
        index: of all memories.
        facets: that have been read for the question.
        found: of them those that match it.
        topic: the question.
        alike: None without vectors.
        visible: for each row of the index whether it counts.
    """
    counted = np.arange(index.rows.height) if visible is None else np.flatnonzero(visible)
    own = _numbers(index, (one.row["memory_id"] for one in found))
    rows = np.union1d(_beside(index, own), _sharing(index, found, topic))
    if alike is not None:
        cosines = alike.cosines(index, counted)
        best = np.argsort(-cosines, kind="stable")[:MOST]
        rows = np.union1d(rows, counted[best[cosines[best] >= LEAST_ALIKE]])
    rows = np.intersect1d(rows, counted).astype(np.int64)
    known = {facet.row["memory_id"] for facet in facets}
    added = [facet for facet in with_changes(index, rows, visible) if facet.row["memory_id"] not in known]
    every = [*facets, *added]
    return every, {} if alike is None else _cosines(index, every, alike)


def _cosines(index: MemoryIndex, facets: Sequence[Facet], alike: Alike) -> dict[str, float]:
    rows = _numbers(index, (facet.row["memory_id"] for facet in facets))
    return dict(zip(index.rows["memory_id"][rows].to_list(), alike.cosines(index, rows).tolist(), strict=True))


def _beside(index: MemoryIndex, rows: Rows) -> Rows:
    """Return the rows that stand right before and after these in their sources."""
    found: set[int] = set()
    for row in rows.tolist():
        own = index.sources.having(index.rows["source_id"][row])
        own = own[np.argsort(index.spans[own, 0], kind="stable")]
        place = int(np.flatnonzero(own == row)[0])
        found.update(own[max(0, place - len(BEFORE) - 1) : place + len(AFTER) + len(BEFORE) + 1].tolist())
    return np.array(sorted(found), np.int64)


def _sharing(index: MemoryIndex, found: Sequence[Seen], topic: str) -> Rows:
    """Return the rows that share a rare word with one of those found, besides the words of the question."""
    asked = frozenset(topic_words(topic))
    facets = [Facet(one.row) for one in found]
    words = frozenset[str]().union(*(facet.telling - asked - facet.voice for facet in facets))
    rows = [having for word in sorted(words) if len(having := index.words.having(word)) <= RARE]
    return np.unique(np.concatenate(rows)) if rows else np.empty(0, np.int64)


def _numbers(index: MemoryIndex, ids: Iterable[str]) -> Rows:
    return np.flatnonzero(index.rows["memory_id"].is_in(list(ids)).to_numpy())
