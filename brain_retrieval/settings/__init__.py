"""All settings of Brain with defaults and limits. Nothing is opened or downloaded here.

The sections are loaded at their first use: checking settings needs pydantic, and most commands start without them.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from brain_retrieval.settings.cells import CellSettings
    from brain_retrieval.settings.connectors import ConnectorSettings
    from brain_retrieval.settings.evidence import EvidenceSettings, OnlineSettings
    from brain_retrieval.settings.home_partitions import (
        HomePartitions,
        PartitionUnit,
        keep_first_day,
        read_home_partitions,
        set_by_owner,
        write_home_partitions,
    )
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
    from brain_retrieval.settings.loading import Settings, default_models_dir
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
    from brain_retrieval.settings.storage import BackupSettings, DeletionSettings, WorkerSettings
    from brain_retrieval.settings.trust import TrustSettings
    from brain_retrieval.settings.web import CrawlSettings, FetchSettings

__all__ = [
    "MEGABYTE",
    "BackupSettings",
    "CellSettings",
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
    "EvidenceSettings",
    "ExtractionSettings",
    "FetchSettings",
    "GraphSettings",
    "HomePartitions",
    "IndexSettings",
    "KnowledgeSettings",
    "Limits",
    "LlmSettings",
    "LlmTask",
    "MemorySettings",
    "NlpSettings",
    "NotifySettings",
    "OcrSettings",
    "OnlineSettings",
    "OwnerSettings",
    "PartitionUnit",
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
    "TrustSettings",
    "Unit",
    "UserSettings",
    "VisionSettings",
    "WebhookNotice",
    "WorkerSettings",
    "default_models_dir",
    "keep_first_day",
    "load_settings",
    "read_home_partitions",
    "set_by_owner",
    "write_home_partitions",
]

# Module -> the names that it has.
_MODULES = {
    "cells": "CellSettings",
    "connectors": "ConnectorSettings",
    "evidence": "EvidenceSettings OnlineSettings",
    "home_partitions": "HomePartitions PartitionUnit keep_first_day read_home_partitions set_by_owner "
    "write_home_partitions",
    "knowledge": "CostSettings ExtractionSettings GraphSettings KnowledgeSettings MemorySettings OwnerSettings "
    "TeamSettings",
    "language": "EnrichmentSettings LlmSettings LlmTask NlpSettings PrivacySettings UserSettings",
    "loading": "Settings default_models_dir",
    "media": "OcrSettings SpeechSettings VisionSettings",
    "notify": "EmailNotice NotifySettings RecordSettings WebhookNotice",
    "recipes": "Recipe",
    "section": "Section",
    "sections": "MEGABYTE ChunkingConfig ChunkingOverride Cleaning EmbeddingSettings IndexSettings Limits "
    "RetrievalSettings Strategy Unit",
    "server": "ServerSettings",
    "storage": "BackupSettings DeletionSettings WorkerSettings",
    "trust": "TrustSettings",
    "web": "CrawlSettings FetchSettings",
}
_PLACES = {name: module for module, names in _MODULES.items() for name in names.split()}


def load_settings(home: Path | None = None) -> "Settings":
    """Return the settings of `home`: the environment over `<home>/brain.toml` over the defaults.

    Raises:
        InvalidSettingsError: unreadable file, unknown key or illegal value; values are never repeated in the message.
    """
    from brain_retrieval.settings.loading import load_settings as load

    return load(home)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
