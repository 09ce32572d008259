"""Which embedding model the settings mean. What it can be asked is in `protocol.py`."""

from functools import lru_cache
from pathlib import Path

from brain_retrieval.home import default_home
from brain_retrieval.models.embedding.protocol import Embedder
from brain_retrieval.settings import EmbeddingSettings, load_settings


def build_embedder(settings: EmbeddingSettings, *, models_dir: Path | None = None) -> Embedder:
    """Return the embedder of these settings; the same settings give the same object in one process.

    `models_dir` None: that of this process's home. Nothing is downloaded.

    Raises:
        ModelMissingError: weights that are not here or not those of the manifest.
        InvalidSettingsError: an unknown model, or a remote one without its width.
        DimensionMismatchError: `dimensions` set to another width than the local model has.
    """
    return _build(settings, models_dir or load_settings(default_home()).models_dir)


def max_tokens_of(settings: EmbeddingSettings) -> int:
    """Return how many tokens of a text the model of these settings reads, special ones included."""
    if settings.max_tokens is not None:
        return settings.max_tokens
    if settings.provider == "openai":
        from brain_retrieval.models.embedding.openai_embedder import MAX_TOKENS
    else:
        from brain_retrieval.models.embedding.onnx_files import MAX_TOKENS
    return MAX_TOKENS


def release_embedders() -> None:
    """Forget every cached embedder, so that its memory goes as soon as it is not in use."""
    _build.cache_clear()


@lru_cache(maxsize=4)
def _build(settings: EmbeddingSettings, models_dir: Path) -> Embedder:
    if settings.provider == "openai":
        from brain_retrieval.models.embedding.openai_embedder import OpenAIEmbedder

        return OpenAIEmbedder(settings)
    from brain_retrieval.models.embedding.onnx_embedder import OnnxEmbedder

    return OnnxEmbedder.from_settings(settings, models_dir)
