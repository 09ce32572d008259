"""Day One: a journal with its entries, in Markdown with every full stop escaped."""

import re
from collections.abc import Callable, Iterator
from datetime import tzinfo
from typing import Any

from brain_pipelines.readers.event_time import parse_time
from brain_pipelines.readers.json_values import listed, names_in, text_of
from brain_pipelines.readers.notes.apps.app import App, Found, marked_first
from brain_pipelines.readers.notes.note import Note

_PICTURE = re.compile(r"!\[[^\]\n]{0,200}\]\(dayone-moment:[^()\s]{0,200}\)")
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!<>~|&^$:'\"-])")
_PLACE = ("placeName", "localityName", "country")


def _notes(value: Any, zone: tzinfo) -> Iterator[Found]:
    for entry in listed(value, "entries"):
        text = _ESCAPED.sub(r"\1", _PICTURE.sub("", text_of(entry, "text"))).strip()
        places = dict.fromkeys(text_of(entry, "location", key) for key in _PLACE)
        place = ", ".join(filter(None, places))
        yield (
            Note(
                text=f"{text}\n\nPlace: {place}" if place and text else text,
                key=text_of(entry, "uuid"),
                time=parse_time(entry.get("creationDate"), zone),
                tags=names_in(entry, "tags"),
            ),
            entry,
        )


def _alone(value: Any) -> Callable[[list[Any]], Any]:
    metadata = value.get("metadata")
    return lambda entries: {
        "entries": [marked_first(one, "creationDate", "uuid") for one in entries],
        "metadata": metadata,
    }


APP = App("Day One", b"{", (b'"entries"', b'"creationDate"', b'"uuid"', b'"metadata"'), _notes, _alone)
