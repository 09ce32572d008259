"""Embedding of a question with the model that the user's index was built with. Models live in `models/embedding/`."""

from typing import TYPE_CHECKING

from brain_retrieval.errors import BrainError, DimensionMismatchError
from brain_retrieval.home import Space
from brain_retrieval.models.chat.metering import open_meter
from brain_retrieval.settings import Settings
from brain_retrieval.stores.index.protocol import SearchIndex

if TYPE_CHECKING:
    import numpy as np

    from brain_retrieval.models.embedding.protocol import Embedder
    from brain_retrieval.models.embedding.word_codes import WordCodes


def embed_question(
    text: str, index: SearchIndex, settings: Settings, space: Space
) -> "tuple[np.ndarray, WordCodes | None]":
    """Return float32 (dim,), unit length, comparable with the vectors of `index`, and the codes of the words.

    A remote model gives no codes.

    The request to a remote model is counted for the user of `space`. A spent budget does not stop it, since search has
    to go on; a budget of 0 does.

    Raises:
        ModelMissingError: if the weights are not on this machine.
        DimensionMismatchError: if no model of that name and width can be built.
        ModelCallError: if a remote model fails.
    """
    from brain_retrieval.models.embedding.build import metered
    from brain_retrieval.models.embedding.protocol import CodingEmbedder

    embedder = index_embedder(index, settings)
    if embedder.at_once is not None:
        price = settings.embedding.input_price if embedder.name == settings.embedding.model else None
        embedder = metered(embedder, open_meter(space, settings, "search", "question", price, holds=False))
    if not isinstance(embedder, CodingEmbedder):
        return embedder.embed([text], questions=True)[0], None
    vectors, codes = embedder.embed_coded([text], questions=True)
    return vectors[0], codes[0]


def index_embedder(index: SearchIndex, settings: Settings) -> "Embedder":
    """Return the embedder that `index` was built with: that of the settings, or one of its name at the same endpoint or
    on this machine.

    They differ while an index for a new model is built beside the old one.
    """
    from brain_retrieval.models.embedding.build import build_embedder

    before = settings.embedding.model_copy(update={"model": index.model, "dimensions": index.dim})
    local = before.model_copy(update={"provider": "onnx", "dimensions": None})
    candidates = [settings.embedding, local]
    if settings.embedding.provider == "openai":
        candidates.append(before)
    failure: BrainError | None = None
    for candidate in candidates:
        try:
            embedder = build_embedder(candidate, models_dir=settings.models_dir)
        except BrainError as error:
            failure = failure or error
            continue
        if (embedder.name, embedder.dim) == (index.model, index.dim):
            return embedder
    message = f"no embedder makes the vectors of the index, {index.model} with {index.dim} numbers"
    raise failure or DimensionMismatchError(message)
