"""The protocol of an embedding model, and the one place that chooses which implementation the settings mean."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import numpy as np

from brain_retrieval.home import default_home
from brain_retrieval.settings import EmbeddingSettings, load_settings

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


def build_embedder(settings: EmbeddingSettings, *, models_dir: Path | None = None) -> Embedder:
    """Return the embedder of these settings; the same settings give the same object in one process.

    `models_dir` None: that of this process's home. Nothing is downloaded.

    Raises:
        ModelMissingError: weights that are not here or not those of the manifest.
        InvalidSettingsError: a model nobody knows, or a remote one without its width.
        DimensionMismatchError: `dimensions` set to another width than the local model has.
    """
    return _build(settings, models_dir or load_settings(default_home()).models_dir)


def max_tokens_of(settings: EmbeddingSettings) -> int:
    """Return how many tokens of a text the model of these settings reads, special ones included."""
    if settings.max_tokens is not None:
        return settings.max_tokens
    if settings.provider == "openai":
        from brain_retrieval.models.openai_embedder import MAX_TOKENS
    else:
        from brain_retrieval.models.onnx_files import MAX_TOKENS
    return MAX_TOKENS


def release_embedders() -> None:
    """Forget every cached embedder, so that its memory goes as soon as nobody holds it."""
    _build.cache_clear()


@lru_cache(maxsize=4)
def _build(settings: EmbeddingSettings, models_dir: Path) -> Embedder:
    if settings.provider == "openai":
        from brain_retrieval.models.openai_embedder import OpenAIEmbedder

        return OpenAIEmbedder(settings)
    from brain_retrieval.models.onnx_embedder import OnnxEmbedder

    return OnnxEmbedder.from_settings(settings, models_dir)
