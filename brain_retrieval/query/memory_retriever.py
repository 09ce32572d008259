"""The retriever of memories: passages by the sentence worth keeping in them that fits the question best.

A passage of several topics has one vector; each memory (`knowledge/memories/`) has its own, made when it was extracted.
How a memory fits is its cosine on a line through 1 at the best and 0.5 at the 200th, times the fourth root of its
chance of being worth keeping; a passage has the best of its memories. The memories are those of passages that the other
retrievers found, so every filter of the search holds for them, and they were received by `known_at`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from brain_retrieval.home import Space
from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.knowledge.memories.stored import has_memories, memory_index, visible
from brain_retrieval.knowledge.memories.vectors import aligned, has_vectors, memory_vectors
from brain_retrieval.query.candidates import Arm, Candidates
from brain_retrieval.query.fusion import by_spread
from brain_retrieval.query.hits import Clocks
from brain_retrieval.stores.catalog import Catalog

NAME = "memories"
KEEP_POWER = 0.25  # of the chance of being worth keeping
DEPTH = 200  # memories that are compared with each other: the best has 1, the last of them 0.5


@dataclass(frozen=True)
class _Places:
    """Where the memories of an index lie: number of the source, first character, chance of being worth keeping."""

    numbers: Mapping[str, int]
    source: np.ndarray
    start: np.ndarray
    keep: np.ndarray


def memories_arm(
    candidates: Candidates,
    vector: np.ndarray,
    *,
    space: Space,
    model: str,
    clocks: Clocks,
    catalog: Catalog | None = None,
) -> Arm | None:
    """Return how well the memories of each candidate fit; None if no memory has a vector of this model.

    Args:
        vector: of the question, unit length, by `model`.

    Raises:
        StoreError: if the lake cannot be read.
    """
    vectors = memory_vectors(space, catalog).get(model)
    index = memory_index(space, catalog)
    if vectors is None or not index.rows.height or not len(candidates):
        return None
    memories, rows = lying(index, candidates)
    place = aligned(index, vectors)[memories]
    counted = place >= 0
    if (seen := visible(index, until=clocks.known_at)) is not None:
        counted &= seen[memories]
    memories, rows, place = memories[counted], rows[counted], place[counted]
    scores = np.full(len(candidates), np.nan)
    if len(place):
        best = np.full(len(candidates), -np.inf)
        np.maximum.at(best, rows, fitting(vectors.cosines(place, vector), _places(index).keep[memories]))
        scores = np.where(np.isfinite(best), best, np.nan)
    return Arm(NAME, scores, _ranks(scores, candidates))


def in_memory(space: Space, catalog: Catalog) -> bool:
    """Return whether nothing has to be read for `memories_arm`."""
    return has_memories(space, catalog) and has_vectors(space, catalog)


def fitting(cosines: np.ndarray, keep: np.ndarray) -> np.ndarray:
    """Return float64 (n,) in [0, 1]: how well memories fit, by their cosines and chances of being worth keeping."""
    depth = min(DEPTH, len(cosines))
    lowest = float(-np.partition(-cosines, depth - 1)[depth - 1])
    return by_spread(cosines.astype(np.float64), lowest=lowest) * keep**KEEP_POWER


def lying(index: MemoryIndex, candidates: Candidates) -> tuple[np.ndarray, np.ndarray]:
    """Return the memories that begin in a candidate, and the row of the candidate that each begins in last."""
    places = _places(index)
    numbers = np.array([places.numbers.get(key, -1) for key in candidates.listed("source_id")], dtype=np.int64)
    starts, ends = (candidates.rows.column(name).to_numpy(zero_copy_only=False) for name in ("start", "end"))
    wanted = np.zeros(len(places.numbers) + 1, dtype=bool)
    wanted[numbers] = True
    wanted[-1] = False
    memories = np.flatnonzero(wanted[places.source])
    width = max(int(ends.max(initial=0)), int(places.start.max(initial=0))) + 1
    keys = numbers * width + starts
    order = np.argsort(keys, kind="stable")
    asked = places.source[memories] * width + places.start[memories]
    row = order[np.maximum(np.searchsorted(keys[order], asked, side="right") - 1, 0)]
    inside = (numbers[row] == places.source[memories]) & (starts[row] <= places.start[memories])
    inside &= places.start[memories] < ends[row]
    return memories[inside], row[inside]


def _ranks(scores: np.ndarray, candidates: Candidates) -> np.ndarray:
    """Return int64 (n,): places from 1 by score, equal ones by id; 0 for those after the first DEPTH or without one."""
    order = candidates.best_first(np.nan_to_num(scores, nan=-np.inf))
    order = order[: min(DEPTH, int(np.isfinite(scores).sum()))]
    ranks = np.zeros(len(scores), dtype=np.int64)
    ranks[order] = np.arange(1, len(order) + 1)
    return ranks


def _places(index: MemoryIndex) -> _Places:
    if (known := index.kept.get("places")) is None:
        numbers, column = index.sources.numbered(index.rows.height)
        known = _Places(numbers, column, index.rows["start"].to_numpy(), index.rows["keep"].to_numpy())
        index.kept["places"] = known
    return known
