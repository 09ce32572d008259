"""Questions to Gemini and its answers, as Google's Takeout writes them (MyActivity.json): those of a day are a chat."""

import re
from datetime import date, tzinfo
from typing import Any

from brain_pipelines.readers.chat.exports.export import Chat, Export
from brain_pipelines.readers.document.html_fragment import to_markdown
from brain_pipelines.readers.document.json_text import parse_json
from brain_pipelines.readers.event_time import parse_time
from brain_pipelines.readers.json_values import listed, text_of

_MARK = re.compile(r'\s*\[\s*\{\s*"header"\s*:\s*"(?:Gemini Apps|Bard)"')
_ASKED = re.compile(r"(?:Prompted|Asked|Said)\s+", re.IGNORECASE)


def _chats(text: str, zone: tzinfo, _day: date | None) -> list[Chat]:
    days: dict[str, list[dict[str, Any]]] = {}
    for entry in reversed(listed({"all": parse_json(text)}, "all")):  # newest first
        title = text_of(entry, "title")
        if not title:
            continue
        time = parse_time(entry.get("time"), zone)
        said = days.setdefault(time.astimezone(zone).date().isoformat() if time else "", [])
        question = _ASKED.sub("", title, count=1)
        said.append({"speaker": "user", "content": question, "timestamp": time})
        answers = [to_markdown(text_of(one, "html")) for one in listed(entry, "safeHtmlItem")]
        if answer := "\n\n".join(filter(None, answers)):
            said.append({"speaker": "assistant", "content": answer, "timestamp": time})
    return [{"id": day, "title": "Gemini", "messages": said} for day, said in days.items()]


EXPORT = Export("Gemini", lambda head: _MARK.match(head.lstrip("\ufeff")) is not None, _chats)
