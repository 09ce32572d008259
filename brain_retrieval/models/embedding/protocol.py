"""What an embedding model is to the rest of Brain. Implementations are beside it; `build.py` chooses one."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

Progress = Callable[[int], None]


class Embedder(Protocol):
    """Turns texts into vectors. `name` and `dim` identify the index the vectors belong to.

    `max_tokens` is where a text is cut, special tokens included; what lies beyond has no say in its vector.
    """

    name: str
    dim: int
    max_tokens: int

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> np.ndarray:
        """Return float32 of shape (len(texts), dim), rows of length 1 in the order of `texts`.

        `progress` is called with the number of texts finished since its last call.
        """
        ...
