"""The interface of embedding models. The implementations are in this folder, `build.py` is the factory."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np

    from brain_retrieval.models.embedding.word_codes import WordCodes

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

    def embed(self, texts: Sequence[str], *, questions: bool = False, progress: Progress | None = None) -> "np.ndarray":
        """Return float32 of shape (len(texts), dim), rows of length 1 in the order of `texts`.

        `questions` says that they are questions to be compared with texts; some models want them marked as such.

        `progress` is called with the number of texts finished since its last call.
        """
        ...


@runtime_checkable
class CodingEmbedder(Protocol):
    """An embedder that also gives codes of tokens, for late interaction; remote models do not show their tokens."""

    def embed_coded(
        self, texts: Sequence[str], *, questions: bool = False, progress: Progress | None = None
    ) -> "tuple[np.ndarray, list[WordCodes]]":
        """Return what `Embedder.embed` does, and the codes of the tokens of each text."""
        ...
