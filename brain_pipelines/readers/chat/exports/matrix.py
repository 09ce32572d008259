"""A room of Matrix as Element exports it (export.json): events, of which messages have words."""

import re
from datetime import date, tzinfo
from typing import Any

from brain_pipelines.readers.chat.exports.export import Chat, Export
from brain_pipelines.readers.document.json_text import parse_json
from brain_pipelines.readers.json_values import listed, text_of

_MARK = re.compile(r'"(?:room_name|room_creator|exported_by)"')
_WORDS = ("m.text", "m.notice", "m.emote")
_REPLY = re.compile(r"(?:> [^\n]*\n)+\n?")  # what is answered, quoted before the answer


def _chats(text: str, _zone: tzinfo, _day: date | None) -> list[Chat]:
    value = parse_json(text)
    events = [event for event in listed(value, "messages") if isinstance(event.get("content"), dict)]
    names: dict[str, str] = {}
    said = []
    for event in events:
        content, sender = event["content"], str(event.get("sender") or "")
        if event.get("type") == "m.room.member" and isinstance(content.get("displayname"), str):
            names[str(event.get("state_key") or sender)] = content["displayname"]
        if event.get("type") == "m.room.message" and content.get("msgtype") in _WORDS:
            said.append(_said(event, content, sender))
    messages = [{**one, "speaker": names.get(one["speaker"]) or _account(one["speaker"])} for one in said]
    return [{"id": "", "title": text_of(value, "room_name"), "messages": messages}]


def _said(event: dict[str, Any], content: dict[str, Any], sender: str) -> dict[str, Any]:
    words = str(content.get("body") or "")
    words = _REPLY.sub("", words, count=1) if "m.relates_to" in content and words.startswith("> ") else words
    return {
        "speaker": sender,
        "content": words,
        "timestamp": event.get("origin_server_ts"),
        "id": event.get("event_id"),
    }


def _account(sender: str) -> str:
    return sender.removeprefix("@").partition(":")[0] or sender


def _fits(head: str) -> bool:
    return head.lstrip("\ufeff \n\r\t").startswith("{") and _MARK.search(head) is not None and '"messages"' in head


EXPORT = Export("Matrix", _fits, _chats)
