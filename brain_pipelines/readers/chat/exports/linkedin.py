"""Messages of LinkedIn's archive (messages.csv): a row a message, its text perhaps with HTML."""

import csv
import io
from datetime import date, tzinfo

from brain_pipelines.readers.chat.exports.export import Chat, Export
from brain_pipelines.readers.document.html_fragment import to_markdown

_HEAD = "CONVERSATION ID,CONVERSATION TITLE,FROM,"


def _chats(text: str, _zone: tzinfo, _day: date | None) -> list[Chat]:
    chats: dict[str, Chat] = {}
    rows = csv.DictReader(io.StringIO(text.removeprefix("\ufeff").replace("\0", "")))
    for row in rows:
        words = row.get("CONTENT") or ""
        words = to_markdown(words) if "<" in words else words
        if not words.strip():
            continue
        key = row.get("CONVERSATION ID") or ""
        title = row.get("CONVERSATION TITLE") or row.get("SUBJECT") or "Messages on LinkedIn"
        chat = chats.setdefault(key, {"id": key, "title": title, "messages": []})
        chat["messages"].append({"speaker": row.get("FROM"), "content": words, "timestamp": row.get("DATE")})
    return list(chats.values())


EXPORT = Export("LinkedIn", lambda head: head.lstrip("\ufeff").replace('"', "").startswith(_HEAD), _chats)
