"""Factory of the chat model configured in the settings. The interface is in `protocol.py`."""

from functools import lru_cache

from brain_retrieval.models.chat.protocol import ChatModel
from brain_retrieval.settings import Settings
from brain_retrieval.settings.language import LlmSettings


def build_chat(settings: Settings) -> ChatModel | None:
    """Return the chat model of these settings, None if none is set; cached by settings.

    Raises:
        InvalidSettingsError: OpenAI's own endpoint without a key.
    """
    return _build(settings.llm) if settings.llm.model else None


@lru_cache(maxsize=4)
def _build(settings: LlmSettings) -> ChatModel:
    from brain_retrieval.models.chat.openai_chat import OpenAIChat

    return OpenAIChat(settings)
