"""Registry of the exports of chats that have a form of their own, and the format that tells them from other texts."""

from datetime import date, tzinfo
from typing import Any

from brain_pipelines.readers.chat.exports import (
    gemini,
    imessage,
    line,
    linkedin,
    matrix,
    sms,
    transcript,
    twitter_messages,
)
from brain_pipelines.readers.chat.exports.export import Export
from brain_pipelines.readers.document.plain_text import read_plain
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.text_reader import TextReader

EXPORTS: tuple[Export, ...] = (
    twitter_messages.EXPORT,
    sms.EXPORT,
    linkedin.EXPORT,
    gemini.EXPORT,
    matrix.EXPORT,
    imessage.EXPORT,
    line.EXPORT,
    transcript.EXPORT,
)
LOOKED_AT = 1 << 16  # characters


def export_of(text: str) -> Export | None:
    """Return the form in which a text holds chats, None if it is none of these."""
    return next((one for one in EXPORTS if one.fits(text[:LOOKED_AT])), None)


def exported_chats(text: str, zone: tzinfo, day: date | None) -> dict[str, Any] | None:
    """Return the chats of a text in one of these forms as `{"chats": […]}`, None for another text.

    Raises:
        BadInputError: if it is damaged.
    """
    found = export_of(text)
    return {"chats": [chat for chat in found.chats(text, zone, day) if chat["messages"]]} if found else None


FORMAT = Format(
    "chat-export",
    "text/plain",
    "a chat that a program exported",
    family="chat",
    suffixes=(".json", ".js", ".xml", ".csv", ".txt", ".md"),
    as_text=True,
    shape=lambda start, _complete: export_of(start.decode("utf-8", "replace")) is not None,
    read=TextReader(read_plain),
)
