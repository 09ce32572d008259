"""Embedding of a question with the model that the user's index was built with. Models live in `models/embedding/`."""

from typing import TYPE_CHECKING

from brain_retrieval.errors import BrainError, DimensionMismatchError
from brain_retrieval.settings import Settings
from brain_retrieval.stores.index.protocol import SearchIndex

if TYPE_CHECKING:
    import numpy as np

    from brain_retrieval.models.embedding.protocol import Embedder


def embed_question(text: str, index: SearchIndex, settings: Settings) -> "np.ndarray":
    """Return float32 (dim,), unit length, comparable with the vectors of `index`.

    Raises:
        ModelMissingError: if the weights are not on this machine.
        DimensionMismatchError: if no model of that name and width can be built.
        ModelCallError: if a remote model fails.
    """
    return index_embedder(index, settings).embed([text])[0]


def index_embedder(index: SearchIndex, settings: Settings) -> "Embedder":
    """Return the embedder that `index` was built with: the one in the settings, or a local one of that name.

    The two differ while an index for a new model is built beside the old one.
    """
    from brain_retrieval.models.embedding.build import build_embedder

    local = settings.embedding.model_copy(update={"provider": "onnx", "model": index.model, "dimensions": None})
    failure: BrainError | None = None
    for candidate in (settings.embedding, local):
        try:
            embedder = build_embedder(candidate, models_dir=settings.models_dir)
        except BrainError as error:
            failure = failure or error
            continue
        if (embedder.name, embedder.dim) == (index.model, index.dim):
            return embedder
    message = f"no embedder makes the vectors of the index, {index.model} with {index.dim} numbers"
    raise failure or DimensionMismatchError(message)
