"""Google Keep, as Takeout writes it: a file a note, with its boxes, labels and links."""

from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from typing import Any

from brain_pipelines.readers.event_time import parse_time
from brain_pipelines.readers.json_values import listed, names_in, text_of
from brain_pipelines.readers.notes.apps.app import App, Found
from brain_pipelines.readers.notes.note import Note
from brain_retrieval.errors import BadInputError


def _notes(value: Any, _zone: tzinfo) -> Iterator[Found]:
    if not isinstance(value, dict):
        return
    if value.get("isTrashed") is True:
        raise BadInputError("a note in Keep's bin; restore it there if it shall be read")
    boxes = (
        f"- [{'x' if one.get('isChecked') is True else ' '}] {' '.join(text_of(one, 'text').split())}"
        for one in listed(value, "listContent")
        if text_of(one, "text")
    )
    links = (
        f"[{' '.join(text_of(one, 'title').split()) or text_of(one, 'url')}]({text_of(one, 'url')})"
        for one in listed(value, "annotations")
        if text_of(one, "url").startswith(("http://", "https://"))
        and text_of(one, "url") not in text_of(value, "textContent")
    )
    written = [text_of(value, "textContent"), "\n".join(boxes), "\n".join(links)]
    yield (
        Note(
            text="\n\n".join(part for part in written if part),
            title=text_of(value, "title"),
            time=_time(value),
            tags=names_in(value, "labels", "name"),
        ),
        value,
    )


def _time(value: dict[str, Any]) -> datetime | None:
    found = (parse_time(value.get(f"{key}TimestampUsec"), UTC) for key in ("created", "userEdited"))
    return next((time for time in found if time), None)


APP = App("Google Keep", b"{", (b'"isTrashed"', b'"isPinned"', b'"isArchived"', b'"color"'), _notes)
