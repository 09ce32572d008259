"""Every setting of Brain, its default and its limits. Nothing is opened or downloaded here."""

from brain_retrieval.settings.connectors import ConnectorSettings
from brain_retrieval.settings.language import EnrichmentSettings, LlmSettings, PrivacySettings
from brain_retrieval.settings.loading import Settings, default_models_dir, load_settings
from brain_retrieval.settings.media import OcrSettings, SpeechSettings, VisionSettings
from brain_retrieval.settings.sections import (
    MEGABYTE,
    ChunkingConfig,
    ChunkingOverride,
    EmbeddingSettings,
    Limits,
    RetrievalSettings,
    Section,
    Strategy,
    Unit,
)
from brain_retrieval.settings.web import CrawlSettings, FetchSettings

__all__ = [
    "MEGABYTE",
    "ChunkingConfig",
    "ChunkingOverride",
    "ConnectorSettings",
    "CrawlSettings",
    "EmbeddingSettings",
    "EnrichmentSettings",
    "FetchSettings",
    "Limits",
    "LlmSettings",
    "OcrSettings",
    "PrivacySettings",
    "RetrievalSettings",
    "Section",
    "Settings",
    "SpeechSettings",
    "Strategy",
    "Unit",
    "VisionSettings",
    "default_models_dir",
    "load_settings",
]
