"""Which extraction a source gets, and the settings of local extraction. It loads no parser and no prompt."""

from typing import Any

from brain_pipelines.sources.source import Source
from brain_retrieval.settings import Settings


def local_config(settings: Settings) -> list[Any]:
    """Return the settings that the rows of local extraction depend on."""
    return [settings.nlp.model, settings.time_zone]


def wants_llm(settings: Settings, source: Source) -> bool:
    """Return whether a chat model improves the extraction from this source."""
    return settings.extraction.provider == "llm" and not source.extract_locally
