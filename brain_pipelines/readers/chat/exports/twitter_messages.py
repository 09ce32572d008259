"""Direct messages of Twitter's archive. It names people by the numbers of their accounts alone."""

import html
import re
from datetime import date, tzinfo
from typing import Any

from brain_pipelines.readers.chat.exports.export import Chat, Export
from brain_pipelines.readers.document.json_text import parse_json
from brain_pipelines.readers.json_values import listed, text_of

_FRONT = re.compile(r"\ufeff?\s*window\.YTD\.direct_messages?(?:_group)?\.part\d{1,4}\s*=\s*")


def _chats(text: str, _zone: tzinfo, _day: date | None) -> list[Chat]:
    front = _FRONT.match(text)
    value = parse_json(text[front.end() if front else 0 :])
    talks = (entry.get("dmConversation") for entry in listed({"all": value}, "all"))
    return [_chat(talk) for talk in talks if isinstance(talk, dict)]


def _chat(talk: dict[str, Any]) -> Chat:
    said = [one for entry in listed(talk, "messages") if isinstance(one := entry.get("messageCreate"), dict)]
    messages = [
        {
            "speaker": f"account {one.get('senderId')}",
            "content": html.unescape(text_of(one, "text")),
            "timestamp": one.get("createdAt"),
            "id": one.get("id"),
        }
        for one in said
    ]
    written = [one for one in messages if one["content"]]
    return {"id": text_of(talk, "conversationId"), "title": "Direct messages", "messages": written}


EXPORT = Export("Twitter", lambda head: _FRONT.match(head) is not None, _chats)
