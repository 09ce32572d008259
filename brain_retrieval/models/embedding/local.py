"""Vectors of short texts by a model on this machine, for what also works without one."""

from typing import TYPE_CHECKING

from brain_retrieval.errors import BrainError
from brain_retrieval.models.embedding.build import build_embedder
from brain_retrieval.settings import Settings

if TYPE_CHECKING:
    import numpy as np


def embed_locally(text: str, model: str, settings: Settings) -> "np.ndarray | None":
    """Return float32 (dim,), of length 1, comparable with the vectors of a model; None if it is not on this machine.

    A remote model is not asked.
    """
    local = settings.embedding.model_copy(update={"provider": "onnx", "model": model, "dimensions": None})
    own = settings.embedding
    try:
        found = build_embedder(own if own.provider == "onnx" else local, models_dir=settings.models_dir)
        embedder = found if found.name == model else build_embedder(local, models_dir=settings.models_dir)
        return embedder.embed([text], questions=True)[0] if embedder.name == model else None
    except BrainError:
        return None
