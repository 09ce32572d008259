"""Annotations of Hypothesis: passages of pages, each with the note of the reader below it."""

from collections.abc import Callable, Iterator
from datetime import tzinfo
from typing import Any

from brain_pipelines.readers.event_time import parse_time
from brain_pipelines.readers.json_values import listed, names_in, text_of
from brain_pipelines.readers.notes.apps.app import App, Found, marked_first
from brain_pipelines.readers.notes.note import Note


def _notes(value: Any, zone: tzinfo) -> Iterator[Found]:
    for entry in listed(value, "annotations") or listed(value, "rows"):
        selectors = (one for target in listed(entry, "target") for one in listed(target, "selector"))
        passage = next((text_of(one, "exact") for one in selectors if text_of(one, "exact")), "")
        quote = "".join(f"> {line}\n" for line in passage.splitlines())
        address = text_of(entry, "uri")
        titles = names_in(entry.get("document"), "title")
        title = titles[0] if titles else ""
        quote += f"> Source: {title} {address}\n" if quote else ""
        yield (
            Note(
                text="\n".join(filter(None, (quote, text_of(entry, "text")))),
                title=title,
                key=text_of(entry, "id"),
                time=parse_time(entry.get("created"), zone),
                tags=names_in(entry, "tags"),
                url=address,
            ),
            entry,
        )


def _alone(_value: Any) -> Callable[[list[Any]], Any]:
    return lambda entries: {"annotations": [marked_first(one, "uri", "target") for one in entries]}


APP = App("Hypothesis", b"{", (b'"uri"', b'"target"', b'"selector"'), _notes, _alone)
