"""Guard: how far the trained correction counts, by how much a question's candidates look like those it was trained on.

What the trees learned on one kind of data helps less on another (docs/retrieval.md). So each set of questions that they
were trained on leaves its profile, the mean features of its candidates; far from all profiles a part of the correction
counts.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Guard:
    """Profiles of the training sets.

    Args:
        profiles: float64 (sets, features), the mean features of the candidates of a set's questions.
        spread: float64 (features,), how much the mean features of questions of one set differ.
        near, far: distances up to which the correction counts in full, and from which only `least` of it does.
        least: share in [0, 1].
    """

    profiles: np.ndarray
    spread: np.ndarray
    near: float
    far: float
    least: float = 0.0

    @classmethod
    def of_json(cls, content: Mapping[str, Any]) -> "Guard":
        """Return the guard of a parsed file."""
        profiles, spread = (np.array(content[name], dtype=np.float64) for name in ("profiles", "spread"))
        return cls(profiles, spread, content["near"], content["far"], content.get("least", 0.0))

    def distance(self, profile: np.ndarray) -> float:
        """Return how many spreads, as the root of the mean square, a question is away from the nearest set."""
        return float(np.sqrt(np.min(np.mean(((profile - self.profiles) / self.spread) ** 2, axis=1))))

    def share(self, rows: np.ndarray) -> float:
        """Return in [least, 1] how much the correction counts for a question with these candidates, (n, features)."""
        if not len(rows):
            return 0.0
        share = (self.far - self.distance(rows.mean(axis=0))) / (self.far - self.near)
        return float(np.clip(share, self.least, 1.0))
