"""Chats that programs export as a web page: which program wrote it, and its messages."""

from typing import Any

from brain_pipelines.readers.chat.discord_html import discord_value, is_discord_page
from brain_pipelines.readers.chat.telegram_html import is_telegram_page, telegram_value


def is_chat_page(text: str) -> bool:
    """Return whether a text begins as a page of an exported chat."""
    return is_discord_page(text) or is_telegram_page(text)


def chat_of_page(text: str) -> dict[str, Any] | None:
    """Return title and messages of a page of an exported chat, None for other texts.

    Raises:
        BadInputError: it is such a page, and has no message with words.
    """
    if is_discord_page(text):
        return discord_value(text)
    return telegram_value(text) if is_telegram_page(text) else None
