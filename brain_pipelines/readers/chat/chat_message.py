"""Parsing of one chat message in the JSON of any export tool: speaker, text, time. No grouping, no repair."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

from brain_pipelines.readers.event_time import parse_time

TEXT_KEYS = ("content", "text", "message", "body", "utterance", "value")
SPEAKER_KEYS = ("speaker", "name", "author", "sender", "from", "user", "username", "role")
TIME_KEYS = ("timestamp", "time", "created_at", "create_time", "datetime", "date", "sent_at", "ts")
SESSION_KEYS = ("session", "session_id", "sessionId", "conversation_id", "conversationId", "thread_id", "chat_id")
ID_KEYS = ("message_id", "id", "uuid", "dia_id", "msg_id")
# Voices without a name, as programs that transcribe write them: "SPEAKER_00", "spk_1".
_VOICE = re.compile(r"(?:SPEAKER|spk|speaker)_(\d{1,3})")
RESULT_KEYS = ("tool_results", "tool_result", "results")
MAX_SPEAKER = 80  # characters


class NotAMessageError(ValueError):
    """The value is not a message; the error's text is the reason."""


@dataclass(frozen=True)
class Message:
    """A message as exported. `raw_start`/`raw_end` span its line in the decoded file, None inside a JSON export."""

    speaker: str
    text: str
    time: datetime | None = None  # aware UTC
    message_id: str | None = None
    session: str | None = None
    raw_start: int | None = None
    raw_end: int | None = None
    line: int = 0


def read_message(value: Any, zone: tzinfo) -> Message:
    """Return the message in a JSON value.

    Args:
        value: an object with a text under one of TEXT_KEYS, or tool calls or results.
        zone: the user's, for times without an offset.

    Raises:
        NotAMessageError: if there is no such text.
    """
    if not isinstance(value, Mapping):
        raise NotAMessageError("not an object")
    if isinstance(inner := value.get("message"), Mapping):  # an envelope around the message
        value = {**value, "message": None, **inner}
    if not any(key in value for key in (*TEXT_KEYS, *RESULT_KEYS, "tool_calls")):
        keys = ", ".join(str(key)[:30] for key in sorted(value)[:6])
        raise NotAMessageError(f"no content, only {keys or 'an empty object'}")
    text = message_text(value)
    if not text:
        raise NotAMessageError("empty content")
    return Message(
        speaker=_speaker(value),
        text=text,
        time=next((t for key in TIME_KEYS if (t := parse_time(value.get(key), zone))), None),
        message_id=_scalar(value, ID_KEYS),
        session=_scalar(value, SESSION_KEYS),
    )


def message_text(value: Mapping[str, Any]) -> str:
    """Return the readable text of a message: its content, then tool calls and tool results."""
    parts = [next((text for key in TEXT_KEYS if (text := _flatten(value.get(key)))), "")]
    parts += [_call(call) for call in _as_list(value.get("tool_calls"))]
    parts += [_result(result) for key in RESULT_KEYS for result in _as_list(value.get(key))]
    return "\n".join(part for part in parts if part).strip()


def _flatten(content: Any) -> str:
    """Return the text of content that is a string, one part, or a list of parts."""
    if isinstance(content, str):
        return content.strip()
    if isinstance(content, list):
        return "\n".join(text for part in content if (text := _flatten(part)))
    if not isinstance(content, Mapping):
        return ""
    kind = content.get("type") or content.get("content_type")
    if kind in ("thinking", "reasoning", "thoughts"):
        return ""
    if kind in ("tool_use", "function_call"):
        return _call(content)
    if kind in ("tool_result", "function_call_output"):
        return _result(content)
    for key in ("text", "parts", "content", "value"):
        if text := _flatten(content.get(key)):
            return text
    return f"[{kind}]" if isinstance(kind, str) and "image" in kind else ""


def _call(call: Any) -> str:
    if not isinstance(call, Mapping):
        return f"[tool call] {_compact(call)}" if call else ""
    function = call.get("function")
    inner = function if isinstance(function, Mapping) else call
    given = next((inner[key] for key in ("arguments", "input", "args", "parameters") if inner.get(key)), "")
    return f"[tool call {inner.get('name') or 'tool'}] {_compact(given)}".strip()


def _result(result: Any) -> str:
    if not isinstance(result, Mapping):
        return f"[tool result] {_compact(result)}" if result else ""
    name = result.get("name") or result.get("tool") or result.get("tool_name") or ""
    found = next((result[key] for key in ("content", "output", "result", "text") if result.get(key)), "")
    text = _flatten(found) or (_compact(found) if found else "")
    return f"[tool result{f' {name}' if name else ''}] {text}" if text else ""


def _compact(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _speaker(value: Mapping[str, Any]) -> str:
    role = str(value.get("role") or "")
    for key in SPEAKER_KEYS:
        found = value.get(key)
        if isinstance(found, Mapping):
            found = next((found[k] for k in ("name", "display_name", "role") if isinstance(found.get(k), str)), "")
        if key == "speaker" and isinstance(found, int) and not isinstance(found, bool):
            return f"Speaker {found}"
        if isinstance(found, str) and found.strip():
            name = " ".join(found.split())[:MAX_SPEAKER]
            if voice := _VOICE.fullmatch(name):
                return f"Speaker {int(voice[1])}"
            return f"tool {name}" if role in ("tool", "function") and name != role else name
    return "unknown"


def _scalar(value: Mapping[str, Any], keys: Iterable[str]) -> str | None:
    for key in keys:
        found = value.get(key)
        if isinstance(found, str | int) and not isinstance(found, bool) and str(found).strip():
            return str(found).strip()
    return None
