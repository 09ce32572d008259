"""Chunking configuration of a source: its preset, the user's settings, and the window of the embedder.

An embedder silently truncates input beyond its window, so the tail of a larger chunk would not affect its vector.
Presets are therefore upper bounds: with the small local model (256 tokens) all sizes shrink in proportion.
"""

from brain_pipelines.sources.source import Source
from brain_retrieval.models.embedding.build import max_tokens_of
from brain_retrieval.settings import ChunkingConfig, Settings

MAX_CONTEXT_TOKENS = 38  # 120 characters of English are some 30, of Chinese 120
# Room in the window for the context header and the two special tokens.
RESERVED_TOKENS = MAX_CONTEXT_TOKENS + 2


def chunking_for(source: Source, settings: Settings, text_format: str = "") -> ChunkingConfig:
    """Return the chunking configuration for a source's texts of a format."""
    preset = source.chunking_by_format.get(text_format, source.chunking)
    config = settings.chunking_for(source.name, preset)
    return fit(config, max_tokens_of(settings.embedding) - RESERVED_TOKENS)


def fit(config: ChunkingConfig, window: int) -> ChunkingConfig:
    """Return `config` with its sizes scaled so that a chunk is at most `window` tokens; characters stay as they are."""
    if config.unit != "tokens" or config.max_size <= window or window < 1:
        return config
    scale = window / config.max_size
    sizes = {"overlap": int(config.overlap * scale), "min_size": int(config.min_size * scale)}
    return config.model_copy(update={"max_size": window, **sizes})
