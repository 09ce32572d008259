"""Chats that phone apps export as JSON: Telegram, Facebook Messenger, Instagram and Google Chat.

Their messages are brought into the form of all others (`chat_message.py`):

    Telegram       {"type": "message", "from": "Ann", "date": "2025-03-01T10:05:11", "date_unixtime": "1740823511",
                    "text": ["See ", {"type": "link", "text": "…"}]}
    Messenger      {"sender_name": "Ann", "timestamp_ms": 1740823511000, "content": "…"}, newest first
    Google Chat    {"creator": {"name": "Ann"}, "created_date": "Tuesday, 5 March 2024 at 10:05:11 UTC", "text": "…"}

What the app says itself (who joined, a call, a pinned message) and what has no words (a picture, a sticker) is left
out, as it is no message that could not be read.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from brain_pipelines.readers.event_time import parse_time

LOOKED_AT = 50  # entries that tell an app
_MARKS = (
    frozenset({"from", "from_id", "date", "type"}),
    frozenset({"sender_name", "timestamp_ms"}),
    frozenset({"creator", "created_date"}),
)


def is_app_chat(entries: Sequence[Any]) -> bool:
    """Return whether a list of messages is that of such an app."""
    keys = (entry.keys() for entry in entries[:LOOKED_AT] if isinstance(entry, Mapping))
    return any(mark <= found for found in keys for mark in _MARKS)


def title_of_app(value: Mapping[str, Any]) -> str:
    """Return the name of a chat, "" if it has none."""
    found = repaired(value.get("title") or value.get("name") or "")
    return found if isinstance(found, str) else ""


def messages_of_app(entries: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the messages with words, each with `speaker`, `content`, `timestamp` and, if it has one, `id`."""
    return [read for entry in entries if isinstance(entry, Mapping) and (read := _message(entry)) is not None]


def _message(entry: Mapping[str, Any]) -> dict[str, Any] | None:
    if entry.get("type") not in (None, "message", "Generic", "Share"):
        return None
    if "sender_name" in entry:
        text, speaker = repaired(entry.get("content")), repaired(entry["sender_name"])
        time = entry.get("timestamp_ms")
    elif "creator" in entry:
        text, speaker = entry.get("text"), entry["creator"]
        time = _time_of_google(str(entry.get("created_date")))
    else:
        text, speaker = _joined(entry.get("text")), entry.get("from")
        time = entry.get("date_unixtime") or entry.get("date")
    if not isinstance(text, str) or not text.strip():
        return None
    named = {key: entry[key] for key in ("id", "message_id") if key in entry}
    return {"speaker": speaker or "unknown", "content": text, "timestamp": time, **named}


def _joined(text: Any) -> str:
    """Return a text of Telegram, whose parts with a link or a style are objects."""
    parts = text if isinstance(text, list) else [text]
    found = (part.get("text") if isinstance(part, Mapping) else part for part in parts)
    return "".join(part for part in found if isinstance(part, str))


def repaired(text: Any) -> Any:
    """Return a text of Messenger, which writes each byte of UTF-8 as a character of its own."""
    if not isinstance(text, str):
        return text
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


def _time_of_google(written: str) -> datetime | None:
    """Return the time of "Tuesday, March 5, 2024 at 10:05:11 PM UTC", whichever order its country has."""
    bare = written.replace("\u202f", " ").strip().removesuffix("UTC")
    return parse_time(bare.replace(" at ", " ").strip(), UTC)
