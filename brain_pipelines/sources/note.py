"""note: personal notes as Markdown or plain text, and those that apps of notes, diaries and blogs export.

Front matter gives date, title, tags, author, retention and sensitivity; headings become sections. One file is one item;
of an export each note is one, with its own bytes and day, and its attachments are children.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any

from brain_pipelines.readers.contract import Delivery, Issue, Item, Reading, ReadResult
from brain_pipelines.readers.detect import detect_format
from brain_pipelines.readers.document.markdown import read_markdown_file
from brain_pipelines.readers.document.plain_text import read_plain
from brain_pipelines.readers.document_date import date_inside
from brain_pipelines.readers.event_time import FUTURE_SLACK, from_outside, locate_whole
from brain_pipelines.readers.formats import Parts, Reader
from brain_pipelines.readers.parts import LEFT_OUT, Part
from brain_pipelines.readers.registry import FORMATS, readers_of, text_formats
from brain_pipelines.readers.source_policy import stated_in
from brain_pipelines.readers.text_reader import TextReader
from brain_pipelines.sources.conversation import fragment_of
from brain_pipelines.sources.parts import parts_config, read_part
from brain_pipelines.sources.result import read_whole
from brain_pipelines.sources.source import Source
from brain_retrieval.errors import BadInputError
from brain_retrieval.ids import stable_hash
from brain_retrieval.settings import ChunkingConfig, Limits

# Other text formats that are sent as a note are kept verbatim.
READERS: dict[str, Reader] = {
    **dict.fromkeys(text_formats(), TextReader(read_plain)),
    "markdown": TextReader(read_markdown_file),
    **readers_of("contact", "notes"),
}


def locate(delivery: Delivery, zone: tzinfo, limits: Limits) -> list[Item]:
    """Return the notes of an export, else the one item of a note with the retention and sensitivity it states."""
    try:
        parts = detect_format(delivery.path).parts
        items = list(_items(parts, delivery, zone, limits)) if parts else []
    except Exception:  # the file still lands; the read stage reports what is wrong with it
        items = []
    if items:
        return items
    item = locate_whole(delivery, zone, lambda: date_inside(delivery.path, zone))
    return [replace(item, meta=stated_in(delivery.path)[0].to_meta())]


def _items(parts: Parts, delivery: Delivery, zone: tzinfo, limits: Limits) -> Iterator[Item]:
    """Yield the items of an export; of two notes with one key the second has a number behind it."""
    outside = from_outside(delivery, zone)
    fragments: dict[str, str] = {}
    taken: set[str] = set()
    for part in _until_damaged(parts(delivery.path, zone, limits)):
        fragment = base = fragment_of(part.key)
        number = 2
        while fragment in taken:
            fragment, number = f"{base}~{number}", number + 1
        taken.add(fragment)
        parent = None
        if part.parent:
            parent = f"{delivery.uri}#{fragments.get(part.parent, fragment_of(part.parent))}"
        else:
            fragments[part.key] = fragment
        time = part.time if part.time and part.time <= delivery.received_at + FUTURE_SLACK else None
        at, origin = (time, "content") if time else outside
        if delivery.event_time is not None:
            at, origin = delivery.event_time.astimezone(UTC), "given"
        digest = "" if part.content is not None else stable_hash(part.meta)
        yield Item(fragment, at, origin, digest, part.content, part.name, parent, part.meta)


def _until_damaged(parts: Iterator[Part]) -> Iterator[Part]:
    """Yield the parts of a file, and in the place of those behind a damage one that says so."""
    any_found = False
    try:
        for part in parts:
            yield part
            any_found = True
    except BadInputError as error:
        if not any_found:
            raise
        yield Part(LEFT_OUT, "", None, meta={LEFT_OUT: f"{error}; what stands behind that is left out"})


def read(raw_row: dict[str, Any], path: Path, reading: Reading) -> ReadResult:
    """Return the sections of a note, or the content of a file that is attached to one.

    Raises:
        BadInputError: if it is not a text, or no reader supports the attachment; for the item that stands for what
            could not be taken of an export.
    """
    meta = json.loads(raw_row["meta"] or "{}")
    if reason := meta.get(LEFT_OUT):
        raise BadInputError(reason)
    if "part" in meta:
        return read_part(raw_row, path, reading, SOURCE.name)
    result = read_whole(raw_row, path, reading, readers=READERS, source=SOURCE.name)
    problems = stated_in(path)[1]
    result.issues.extend(Issue(raw_row["source_id"], raw_row["uri"], said, "repaired") for said in problems)
    return result


SOURCE = Source(
    name="note",
    context_type="note",
    description="Notes in Markdown or plain text, and what apps of notes, diaries and blogs export.",
    suffixes=(".md", ".txt"),
    formats=tuple(READERS),
    locate=locate,
    read=read,
    usual_for=tuple(readers_of("text", "contact", "notes")),
    aliases=("text-note", "memory_file"),
    own_voice=True,
    text_config=parts_config,
    claims=lambda _path, detected, _head: FORMATS[detected].family == "notes",
    chunking=ChunkingConfig(strategy="document", max_size=800, overlap=80, min_size=150),
)
