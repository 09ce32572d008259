"""What the vector of a memory tells of its use: that a sentence is about a new job, or about what was for lunch.

The numbers of the vector are weighted like the other features of `usefulness.py`, and were fitted with them; the
weights, `meaning.toml`, hold for the vectors of one model.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.knowledge.memories.postings import Rows
from brain_retrieval.knowledge.memories.vectors import MemoryVectors, aligned

WEIGHTS = Path(__file__).with_name("meaning.toml")
FAINT = 0.02  # probabilities nearer to 0 and 1 count alike
UNIT = 0.001  # of the stored weights, which are whole numbers


@dataclass(frozen=True)
class Direction:
    """The weights of the numbers of a vector of length 1: float32 (dim,)."""

    model: str
    weights: np.ndarray

    def of(self, vectors: np.ndarray) -> np.ndarray:
        """Return float32 (n,): what vectors (n, dim) of any length add to the log odds."""
        plain = vectors.astype(np.float32)
        lengths = np.maximum(np.linalg.norm(plain, axis=1, keepdims=True), 1e-9)
        return (plain / lengths) @ self.weights


@cache
def direction() -> Direction:
    """Return the fitted weights."""
    stored = tomllib.loads(WEIGHTS.read_text("utf-8"))
    return Direction(stored["model"], np.array(stored["weights"], np.float32) * UNIT)


def meanings(index: MemoryIndex, vectors: Mapping[str, MemoryVectors], rows: Rows) -> dict[str, float]:
    """Return by memory id what the vectors of these rows add to the log odds; without a vector of the model, nothing.

    Args:
        index: of the memories.
        vectors: by model, as `memory_vectors` returns them.
        rows: numbers of rows of the index.
    """
    fitted = direction()
    own = vectors.get(fitted.model)
    if own is None or not len(rows) or own.rows.shape[1] != len(fitted.weights):
        return {}
    place = aligned(index, own)[rows]
    known = place >= 0
    ids = index.rows["memory_id"][rows[known]].to_list()
    return dict(zip(ids, fitted.of(own.rows[place[known]]).tolist(), strict=True))


def promising(index: MemoryIndex, vectors: Mapping[str, MemoryVectors], rows: Rows, *, most: int) -> Rows:
    """Return the `most` rows that may be useful, by their probability of being kept and by their vectors, in order."""
    if len(rows) <= most:
        return rows
    found = meanings(index, vectors, rows)
    ids = index.rows["memory_id"][rows].to_list()
    kept = np.clip(index.rows["keep"][rows].to_numpy(), FAINT, 1 - FAINT)
    added = np.array([found.get(key, 0.0) for key in ids])
    order = np.argsort(-(np.log(kept / (1 - kept)) + added), kind="stable")[:most]
    return np.sort(rows[order])
