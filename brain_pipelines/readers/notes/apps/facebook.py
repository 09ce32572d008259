"""Posts of Facebook's export (your_posts_1.json), whose texts have each byte of UTF-8 as a character of its own."""

from collections.abc import Callable, Iterator
from datetime import tzinfo
from typing import Any

from brain_pipelines.readers.chat.app_chat import repaired
from brain_pipelines.readers.event_time import parse_time
from brain_pipelines.readers.json_values import listed, text_of
from brain_pipelines.readers.notes.apps.app import App, Found, marked_first
from brain_pipelines.readers.notes.note import Note


def _notes(value: Any, zone: tzinfo) -> Iterator[Found]:
    for entry in value if isinstance(value, list) else ():
        if not isinstance(entry, dict):
            continue
        said = [text_of(one, "post") for one in listed(entry, "data")]
        for attachment in listed(entry, "attachments"):
            for one in listed(attachment, "data"):
                said.append(text_of(one, "media", "description"))
                said.append(text_of(one, "external_context", "name"))
        text = "\n\n".join(dict.fromkeys(filter(None, said)))
        if text:
            yield Note(text=repaired(text), time=parse_time(entry.get("timestamp"), zone)), entry


def _alone(_value: Any) -> Callable[[list[Any]], Any]:
    return lambda entries: [marked_first(one, "timestamp", "data") for one in entries]


APP = App(
    "Facebook",
    b"[",
    (b'"timestamp"', b'"data"'),
    _notes,
    _alone,
    by_day=True,
    either=(b'"post"', b'"update_timestamp"', b'"attachments"'),
)
