"""Factory of the embedding model configured in the settings. The interface is in `protocol.py`."""

from functools import lru_cache
from pathlib import Path

from brain_retrieval.home import default_home
from brain_retrieval.models.chat.metering import Meter
from brain_retrieval.models.embedding.protocol import Embedder
from brain_retrieval.settings import EmbeddingSettings, load_settings


def build_embedder(settings: EmbeddingSettings, *, models_dir: Path | None = None) -> Embedder:
    """Return the embedder of these settings; cached by settings.

    `models_dir` None: the models directory of the process's settings.

    Raises:
        ModelMissingError: weights are missing or do not match the manifest.
        InvalidSettingsError: unknown model, or a remote one without `dimensions`.
        DimensionMismatchError: `dimensions` set to another width than the local model has.
    """
    return _build(settings, models_dir or load_settings(default_home()).models_dir)


def metered(embedder: Embedder, meter: Meter) -> Embedder:
    """Return an embedder whose requests are counted by `meter`; a local one costs nothing and stays as it is."""
    if embedder.at_once is None:
        return embedder
    from brain_retrieval.models.embedding.openai_embedder import OpenAIEmbedder

    return embedder.metered(meter) if isinstance(embedder, OpenAIEmbedder) else embedder


def max_tokens_of(settings: EmbeddingSettings) -> int:
    """Return the maximum number of tokens per text of the configured model, including special tokens."""
    if settings.max_tokens is not None:
        return settings.max_tokens
    if settings.provider == "openai":
        from brain_retrieval.models.embedding.openai_embedder import MAX_TOKENS
    else:
        from brain_retrieval.models.embedding.onnx_files import MAX_TOKENS
    return MAX_TOKENS


def release_embedders() -> None:
    """Clear the cache of embedders, so that unused ones are freed."""
    _build.cache_clear()


@lru_cache(maxsize=4)
def _build(settings: EmbeddingSettings, models_dir: Path) -> Embedder:
    if settings.provider == "openai":
        from brain_retrieval.models.embedding.openai_embedder import OpenAIEmbedder

        return OpenAIEmbedder(settings)
    from brain_retrieval.models.embedding.onnx_embedder import OnnxEmbedder

    return OnnxEmbedder.from_settings(settings, models_dir)
