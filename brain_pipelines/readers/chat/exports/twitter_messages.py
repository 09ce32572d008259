"""Direct messages of Twitter's archive. It names people by the numbers of their accounts alone."""

import html
import re
from datetime import date, tzinfo
from typing import Any

from brain_pipelines.readers.chat.exports.export import Chat, Export
from brain_pipelines.readers.document.json_text import parse_json

_FRONT = re.compile(r"\ufeff?\s*window\.YTD\.direct_messages?(?:_group)?\.part\d{1,4}\s*=\s*")


def _chats(text: str, _zone: tzinfo, _day: date | None) -> list[Chat]:
    front = _FRONT.match(text)
    value = parse_json(text[front.end() if front else 0 :])
    return [_chat(entry["dmConversation"]) for entry in value if isinstance(entry, dict) and "dmConversation" in entry]


def _chat(talk: Any) -> Chat:
    entries = talk.get("messages") if isinstance(talk, dict) else None
    said = [entry["messageCreate"] for entry in entries or () if isinstance(entry, dict) and "messageCreate" in entry]
    messages = [
        {
            "speaker": f"account {one.get('senderId')}",
            "content": html.unescape(str(one.get("text") or "")),
            "timestamp": one.get("createdAt"),
            "id": one.get("id"),
        }
        for one in said
    ]
    key = str(talk.get("conversationId") or "") if isinstance(talk, dict) else ""
    return {"id": key, "title": "Direct messages", "messages": [one for one in messages if one["content"].strip()]}


EXPORT = Export("Twitter", lambda head: _FRONT.match(head) is not None, _chats)
