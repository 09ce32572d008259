"""Parsers for chat exports: ChatGPT and Claude archives, OpenAI messages, chats of phone apps, LoCoMo sessions, lists
of messages.

Each becomes a list of drafts: the messages of one conversation or session, in its order. Times and days are assigned
in `chat.py`.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import tzinfo
from typing import Any

from brain_pipelines.readers.chat.app_chat import is_app_chat, messages_of_app, title_of_app
from brain_pipelines.readers.chat.chat_days import by_day
from brain_pipelines.readers.chat.chat_message import (
    RESULT_KEYS,
    SESSION_KEYS,
    SPEAKER_KEYS,
    TEXT_KEYS,
    Message,
    NotAMessageError,
    read_message,
)
from brain_pipelines.readers.chat.draft import Draft
from brain_pipelines.readers.chat.instructions import said_once, with_instructions
from brain_pipelines.readers.event_time import parse_time
from brain_retrieval.ids import stable_hash

LIST_KEYS = ("messages", "turns", "dialogue", "dialog", "utterances", "conversation", "transcript", "segments")
MANY_KEYS = ("conversations", "sessions", "chats", "threads", "data")
START_KEYS = ("create_time", "created_at", "started_at", "date", "timestamp", "session_date")
NAME_KEYS = ("title", "name", "topic", "subject")
_LOCOMO = re.compile(r"session_(\d+)")


def drafts_of(value: Any, zone: tzinfo) -> list[Draft] | None:
    """Return the conversations in a JSON value, or None if it is in none of the known formats.

    A plain list of messages is not one conversation: `chat.py` treats it like JSON lines.
    """
    if isinstance(value, Mapping):
        return _of_object(value, zone)
    if not isinstance(value, list) or not value:
        return None
    found = [drafts for entry in value if (drafts := drafts_of(entry, zone)) is not None]
    if not found or any(is_message(entry) for entry in value):
        lists = [entry for entry in value if isinstance(entry, list) and any(map(is_message, entry))]
        return [_draft({"messages": entry}, entry, zone) for entry in lists] or None
    return said_once([draft for drafts in found for draft in drafts])


def is_message(value: Any) -> bool:
    """Return whether a value is a single message and not a conversation."""
    if not isinstance(value, Mapping) or any(isinstance(value.get(key), list) for key in ("messages", "chat_messages")):
        return False
    has_text = any(key in value for key in (*TEXT_KEYS, *RESULT_KEYS, "tool_calls"))
    return has_text and any(key in value for key in (*SPEAKER_KEYS, "type"))


def _of_object(value: Mapping[str, Any], zone: tzinfo) -> list[Draft] | None:
    if isinstance(value.get("mapping"), Mapping):
        path = _chatgpt_path(value)
        return [with_instructions(_draft(value, path, zone), path)]
    if isinstance(value.get("chat_messages"), list):
        return [_draft(value, value["chat_messages"], zone)]
    if is_message(value):
        return None
    inner = value.get("conversation")
    if sessions := _locomo_sessions(inner if isinstance(inner, Mapping) else value):
        holder = inner if isinstance(inner, Mapping) else value
        return [_locomo_draft(value, holder, name, zone) for name in sessions]
    for key in (*LIST_KEYS, *MANY_KEYS):
        entries = value.get(key)
        if isinstance(entries, list) and is_app_chat(entries):
            chat = {**value, "title": title_of_app(value)}
            return by_day(_draft(chat, messages_of_app(entries), zone), zone)
        if isinstance(entries, list) and any(map(is_message, entries)):
            draft = _draft(value, entries, zone)
            return [draft] if any(key in value for key in SESSION_KEYS) else by_day(draft, zone)
    for key in MANY_KEYS:
        inner = value.get(key)
        if isinstance(inner, Mapping):  # of all chats of Telegram: {"chats": {"about": …, "list": […]}}
            inner = inner.get("list")
        if isinstance(inner, list) and (found := drafts_of(inner, zone)):
            return found
    return None


def _draft(value: Mapping[str, Any], entries: list[Any], zone: tzinfo, *, start: Any = None) -> Draft:
    messages: list[Message] = []
    problems: list[str] = []
    for number, entry in enumerate(entries, 1):
        try:
            messages.append(read_message(entry, zone))
        except NotAMessageError as error:
            if str(error) != "empty content":  # exports contain many empty system messages
                problems.append(f"message {number}: {error}")
    named = next((str(value[k]) for k in (*SESSION_KEYS, "id", "uuid") if isinstance(value.get(k), str | int)), "")
    title = next((" ".join(value[k].split()) for k in NAME_KEYS if isinstance(value.get(k), str)), "")
    starts = (parse_time(value.get(key), zone) for key in START_KEYS)
    begin = parse_time(start, zone) or next((time for time in starts if time), None)
    return Draft(named, title, messages, begin, stable_hash(list(entries)), problems)


def _chatgpt_path(value: Mapping[str, Any]) -> list[Any]:
    """Return the messages of the branch last shown: from the current node up to the root, reversed."""
    mapping = value["mapping"]
    node = value.get("current_node")
    if not isinstance(node, str) or node not in mapping:
        node = next(reversed(list(mapping)), None)  # exports list nodes in the order of creation
    path: list[Any] = []
    visited: set[str] = set()
    while isinstance(node, str) and node in mapping and node not in visited:
        visited.add(node)
        entry = mapping[node] if isinstance(mapping[node], Mapping) else {}
        if isinstance(entry.get("message"), Mapping):
            path.append(entry["message"])
        node = entry.get("parent")
    return path[::-1]


def _locomo_sessions(value: Mapping[str, Any]) -> list[str]:
    names = [key for key in value if isinstance(key, str) and _LOCOMO.fullmatch(key) and isinstance(value[key], list)]
    return sorted((name for name in names if value[name]), key=lambda name: int(name.split("_")[1]))


def _locomo_draft(outer: Mapping[str, Any], holder: Mapping[str, Any], name: str, zone: tzinfo) -> Draft:
    sample = outer.get("sample_id") or outer.get("id")
    date = holder.get(f"{name}_date_time") or holder.get(f"{name}_date")
    draft = _draft({}, holder[name], zone, start=date)
    key = f"{sample}/{name}" if isinstance(sample, str | int) else name
    title = f"{sample} {name}".replace("_", " ") if sample else ""
    return Draft(key, title, draft.messages, draft.start, stable_hash([holder[name], date]), draft.problems)


def walk_messages(value: Any, zone: tzinfo) -> Iterator[tuple[int, Message | NotAMessageError]]:
    """Yield (number from 1, message or error) for the entries of a plain list of messages."""
    for number, entry in enumerate(value, 1):
        try:
            yield number, read_message(entry, zone)
        except NotAMessageError as error:
            yield number, error
