"""All settings of Brain with defaults and limits. Nothing is opened or downloaded here."""

from brain_retrieval.settings.connectors import ConnectorSettings
from brain_retrieval.settings.knowledge import (
    CostSettings,
    ExtractionSettings,
    GraphSettings,
    KnowledgeSettings,
    MemorySettings,
    OwnerSettings,
    TeamSettings,
)
from brain_retrieval.settings.language import (
    EnrichmentSettings,
    LlmSettings,
    LlmTask,
    NlpSettings,
    PrivacySettings,
    UserSettings,
)
from brain_retrieval.settings.loading import Settings, default_models_dir, load_settings
from brain_retrieval.settings.media import OcrSettings, SpeechSettings, VisionSettings
from brain_retrieval.settings.notify import EmailNotice, NotifySettings, RecordSettings, WebhookNotice
from brain_retrieval.settings.recipes import Recipe
from brain_retrieval.settings.section import Section
from brain_retrieval.settings.sections import (
    MEGABYTE,
    ChunkingConfig,
    ChunkingOverride,
    Cleaning,
    EmbeddingSettings,
    IndexSettings,
    Limits,
    RetrievalSettings,
    Strategy,
    Unit,
)
from brain_retrieval.settings.server import ServerSettings
from brain_retrieval.settings.storage import BackupSettings, DeletionSettings
from brain_retrieval.settings.web import CrawlSettings, FetchSettings

__all__ = [
    "MEGABYTE",
    "BackupSettings",
    "ChunkingConfig",
    "ChunkingOverride",
    "Cleaning",
    "ConnectorSettings",
    "CostSettings",
    "CrawlSettings",
    "DeletionSettings",
    "EmailNotice",
    "EmbeddingSettings",
    "EnrichmentSettings",
    "ExtractionSettings",
    "FetchSettings",
    "GraphSettings",
    "IndexSettings",
    "KnowledgeSettings",
    "Limits",
    "LlmSettings",
    "LlmTask",
    "MemorySettings",
    "NlpSettings",
    "NotifySettings",
    "OcrSettings",
    "OwnerSettings",
    "PrivacySettings",
    "Recipe",
    "RecordSettings",
    "RetrievalSettings",
    "Section",
    "ServerSettings",
    "Settings",
    "SpeechSettings",
    "Strategy",
    "TeamSettings",
    "Unit",
    "UserSettings",
    "VisionSettings",
    "WebhookNotice",
    "default_models_dir",
    "load_settings",
]
