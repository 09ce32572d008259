"""Standard Notes: a decrypted backup, whose tags name the notes that have them; an encrypted one is refused."""

from collections.abc import Callable, Iterator
from datetime import tzinfo
from typing import Any

from brain_pipelines.readers.document.html_fragment import to_markdown
from brain_pipelines.readers.event_time import parse_time
from brain_pipelines.readers.json_values import listed, text_of
from brain_pipelines.readers.notes.apps.app import App, Found, marked_first
from brain_pipelines.readers.notes.note import Note
from brain_retrieval.errors import BadInputError


def _notes(value: Any, zone: tzinfo) -> Iterator[Found]:
    items = listed(value, "items")
    notes = [one for one in items if one.get("content_type") == "Note"]
    if notes and not any(isinstance(one.get("content"), dict) for one in notes):
        raise BadInputError("an encrypted backup of Standard Notes; export a decrypted one")
    tags = _tags(items)
    for entry in notes:
        content = entry.get("content")
        if not isinstance(content, dict) or content.get("trashed") is True:
            continue
        text = text_of(content, "text")
        key = text_of(entry, "uuid")
        yield (
            Note(
                text=to_markdown(text) if text_of(content, "noteType") == "rich-text" else text,
                title=text_of(content, "title"),
                key=key,
                time=parse_time(entry.get("created_at"), zone) or parse_time(entry.get("updated_at"), zone),
                tags=tags.get(key, []),
            ),
            entry,
        )


def _tags(items: list[dict[str, Any]]) -> dict[str, list[str]]:
    tags: dict[str, list[str]] = {}
    for item in items:
        if item.get("content_type") == "Tag" and (title := text_of(item, "content", "title")):
            for reference in listed(item, "content", "references"):
                tags.setdefault(text_of(reference, "uuid"), []).append(title)
    return tags


def _alone(value: Any) -> Callable[[list[Any]], Any]:
    tags, version = _tags(listed(value, "items")), value.get("version")

    def alone(entries: list[Any]) -> Any:
        keys = [text_of(entry, "uuid") for entry in entries]
        named = [
            {"content_type": "Tag", "content": {"title": title, "references": [{"uuid": key}]}}
            for key in keys
            for title in tags.get(key, ())
        ]
        return {"version": version, "items": [*(marked_first(one, "content_type") for one in entries), *named]}

    return alone


APP = App("Standard Notes", b"{", (b'"items"', b'"content_type"', b'"version"'), _notes, _alone)
