"""Simplenote: all notes in one file; those in the bin are left out."""

from collections.abc import Iterator
from datetime import tzinfo
from typing import Any

from brain_pipelines.readers.event_time import parse_time
from brain_pipelines.readers.json_values import listed, names_in, text_of
from brain_pipelines.readers.notes.apps.app import App, Found
from brain_pipelines.readers.notes.note import Note


def _notes(value: Any, zone: tzinfo) -> Iterator[Found]:
    for entry in listed(value, "activeNotes"):
        yield (
            Note(
                text=text_of(entry, "content").replace("\r\n", "\n"),
                key=text_of(entry, "id"),
                time=parse_time(entry.get("creationDate"), zone) or parse_time(entry.get("lastModified"), zone),
                tags=names_in(entry, "tags"),
            ),
            entry,
        )


APP = App(
    "Simplenote",
    b"{",
    (b'"activeNotes"', b'"content"'),
    _notes,
    lambda _value: lambda entries: {"activeNotes": entries},
)
