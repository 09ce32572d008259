"""The vectors of a user's memories, as stage `memory_vectors` has stored them, kept while they are unchanged."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from brain_retrieval.home import Space
from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake_cache import Change, LakeCache

MOST_CACHED = 500_000  # vectors of all users that one process keeps; 0.4 KB each
_KEYS = ["memory_id", "source", "day"]


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


def memory_vectors(space: Space, catalog: Catalog | None = None) -> Mapping[str, MemoryVectors]:
    """Return the vectors of a user's memories by the model that made them.

    Raises:
        StoreError: if the lake cannot be read.
    """
    return _VECTORS.of(space, catalog)


def has_vectors(space: Space, catalog: Catalog) -> bool:
    """Return whether the vectors of a user's memories as they are now are in memory."""
    return _VECTORS.has(space, catalog)


def aligned(index: MemoryIndex, vectors: MemoryVectors) -> np.ndarray:
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
