"""The interface of embedding models. The implementations are in this folder, `build.py` is the factory."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np

Progress = Callable[[int], None]


class Embedder(Protocol):
    """Turns texts into vectors. `name` and `dim` identify the index the vectors belong to.

    Texts are truncated at `max_tokens`, including special tokens; the rest does not affect the vector. `at_once` is
    the number of texts in a request to a remote model, after which what is done can be kept; None for a local model,
    which is fastest with all texts in one call.
    """

    name: str
    dim: int
    max_tokens: int

    @property
    def at_once(self) -> int | None:
        """The number of texts in a request."""
        ...

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> "np.ndarray":
        """Return float32 of shape (len(texts), dim), rows of length 1 in the order of `texts`.

        `progress` is called with the number of texts finished since its last call.
        """
        ...
