"""The retriever of memories: passages by the sentence worth keeping in them that fits the question best.

A passage of several topics has one vector; each memory (`knowledge/memories/`) has its own, made when it was extracted.
How a memory fits is its cosine on a line through 1 at the best and 0.5 at the 200th, times the fourth root of its
chance of being worth keeping; a passage has the best of its memories. The memories are those of passages that the other
retrievers found, so every filter of the search holds for them, and they were received by `known_at`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from brain_retrieval.home import Space
from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.knowledge.memories.stored import memory_index, visible
from brain_retrieval.query.candidates import Arm, Candidates
from brain_retrieval.query.fusion import by_spread
from brain_retrieval.query.hits import Clocks
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake_cache import Change, LakeCache

NAME = "memories"
_KEYS = ["memory_id", "source", "day"]
KEEP_POWER = 0.25  # of the chance of being worth keeping
DEPTH = 200  # memories that are compared with each other: the best has 1, the last of them 0.5
MOST_CACHED = 500_000  # vectors of all users that one process keeps; 0.4 KB each


@dataclass(frozen=True)
class MemoryVectors:
    """The vectors of a user's memories by one model: int8 (n, dim) of any length, and whose they are, in that order."""

    keys: pl.DataFrame  # memory_id, source and day
    rows: np.ndarray

    @classmethod
    def by_model(cls, stored: pl.DataFrame) -> Mapping[str, "MemoryVectors"]:
        """Return the vectors of each model from rows of MEMORY_VECTORS."""
        parts = stored.partition_by("model", as_dict=True)
        return {str(model): cls(part.select(_KEYS), _matrix(part["vector"])) for (model,), part in parts.items()}

    @classmethod
    def renewed(cls, vectors: Mapping[str, "MemoryVectors"], change: Change) -> Mapping[str, "MemoryVectors"]:
        """Return the vectors of each model after a change."""
        fresh = cls.by_model(change.rows)
        kept = {model: own.only(change.unchanged()) for model, own in vectors.items()}
        both = {model: kept[model].joined(fresh[model]) for model in kept.keys() & fresh.keys()}
        return {model: own for model, own in {**kept, **fresh, **both}.items() if len(own.keys)}

    def only(self, wanted: pl.Expr) -> "MemoryVectors":
        """Return the vectors whose keys are wanted."""
        chosen = self.keys.select(wanted).to_series()
        return MemoryVectors(self.keys.filter(chosen), self.rows[chosen.to_numpy()])

    def joined(self, others: "MemoryVectors") -> "MemoryVectors":
        """Return these vectors and others of the same model."""
        return MemoryVectors(pl.concat([self.keys, others.keys]), np.concatenate([self.rows, others.rows]))

    def cosines(self, places: np.ndarray, vector: np.ndarray) -> np.ndarray:
        """Return float32 (places,): the cosine of each of these rows with a vector of length 1."""
        chosen = self.rows[places].astype(np.float32)
        return (chosen @ vector.astype(np.float32)) / np.maximum(np.linalg.norm(chosen, axis=1), 1e-9)


_VECTORS = LakeCache(
    "memory_vectors",
    MemoryVectors.by_model,
    most_rows=MOST_CACHED,
    columns=[*_KEYS, "model", "vector"],
    renew=MemoryVectors.renewed,
)


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
    vectors = _VECTORS.of(space, catalog).get(model)
    index = memory_index(space, catalog)
    if vectors is None or not index.rows.height or not len(candidates):
        return None
    memories, rows = lying(index, candidates)
    place = _aligned(index, vectors)[memories]
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
    order = np.lexsort((np.array(candidates.ids), -np.nan_to_num(scores, nan=-np.inf)))
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


def _aligned(index: MemoryIndex, vectors: MemoryVectors) -> np.ndarray:
    """Return int64: for each memory the row of its vector, -1 without one."""
    kept = index.kept.get("vectors")
    if kept is None or kept[0] is not vectors:
        rows = pl.DataFrame({"memory_id": vectors.keys["memory_id"], "row": np.arange(len(vectors.keys))})
        joined = index.rows.select("memory_id").join(rows, on="memory_id", how="left", maintain_order="left")
        kept = (vectors, joined["row"].fill_null(-1).to_numpy())
        index.kept["vectors"] = kept
    return kept[1]


def _matrix(lists: pl.Series) -> np.ndarray:
    flat = lists.explode().to_numpy()
    return flat.reshape(len(lists), -1) if len(lists) else np.empty((0, 0), np.int8)
