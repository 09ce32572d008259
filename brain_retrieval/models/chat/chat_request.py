"""Messages of a chat request: the response format it specifies, the repair of an answer, the limit of its length."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from brain_retrieval.models.chat.chat_schema import strict_schema
from brain_retrieval.models.chat.protocol import Content

Messages = list[dict[str, Any]]
# Response formats, strictest first.
WAYS = ("schema", "schema without limits", "tool", "object", "text")
CUT_OFF = "[… {} characters left out …]"


def demand(way: str, schema: type[BaseModel], messages: Messages, name: str) -> dict[str, Any]:
    """Return the part of the request that specifies the response format."""
    if way.startswith("schema"):
        form = {"name": name, "strict": True, "schema": strict_schema(schema, limits=way == "schema")}
        return {"messages": messages, "response_format": {"type": "json_schema", "json_schema": form}}
    plain = strict_schema(schema)
    if way == "tool":
        function = {"name": name, "description": "Give the answer.", "parameters": plain}
        choice = {"type": "function", "function": {"name": name}}
        return {"messages": messages, "tools": [{"type": "function", "function": function}], "tool_choice": choice}
    ask = f"{messages[0]['content']}\n\nAnswer with one JSON object that fits this schema:\n{json.dumps(plain)}"
    messages_with_schema = [{**messages[0], "content": ask}, *messages[1:]]
    form = {"response_format": {"type": "json_object"}} if way == "object" else {}
    return {"messages": messages_with_schema, **form}


def repair(fault: str) -> dict[str, Any]:
    """Return the message that asks for another answer because of `fault`."""
    text = f"That answer cannot be used: {fault}. Give the whole answer again, corrected, and nothing else."
    return {"role": "user", "content": text}


def bounded(user: Content, most: int) -> Content:
    """Return the content with texts cut in the middle, to at most `most` characters in total."""
    if isinstance(user, str):
        return _cut(user, most)
    parts: list[Mapping[str, Any]] = []
    for part in user:
        if part.get("type") == "text":
            part = {**part, "text": _cut(part["text"], most)}
            most = max(0, most - len(part["text"]))
        parts.append(part)
    return parts


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    mark = CUT_OFF.format(len(text) - most)
    head = max(0, most - len(mark)) * 2 // 3
    tail = max(0, most - len(mark) - head)
    return (text[:head] + mark + text[len(text) - tail :])[:most]
