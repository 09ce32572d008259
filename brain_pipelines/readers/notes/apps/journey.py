"""Journey: a file an entry of the diary, in HTML."""

from collections.abc import Iterator
from datetime import tzinfo
from typing import Any

from brain_pipelines.readers.document.html_fragment import to_markdown
from brain_pipelines.readers.event_time import parse_time
from brain_pipelines.readers.json_values import names_in, text_of
from brain_pipelines.readers.notes.apps.app import App, Found
from brain_pipelines.readers.notes.note import Note


def _notes(value: Any, zone: tzinfo) -> Iterator[Found]:
    written = text_of(value, "text")
    text = to_markdown(written) if text_of(value, "type") == "html" or written.startswith("<") else written
    place = text_of(value, "address")
    yield (
        Note(
            text=f"{text}\n\nPlace: {place}" if place and text else text,
            time=parse_time(value.get("date_journal"), zone),
            tags=names_in(value, "tags"),
        ),
        value,
    )


APP = App("Journey", b"{", (b'"date_journal"', b'"preview_text"'), _notes)
