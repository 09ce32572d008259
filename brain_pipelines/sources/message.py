"""message: a message the user sends to Brain, one per file, as plain text or JSON; and captures of a device.

A message is one item. Pictures, recordings and documents inside it are child items with their own bytes, each read by
its format. A capture (`{"type": "capture", …}`) is a single medium: it is read like such a child, and its metadata
become its attributes. `ingest/message.py` takes in messages as they are sent.
"""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from brain_pipelines.readers.chat.message_json import Envelope, read_envelope
from brain_pipelines.readers.contract import Delivery, Issue, Item, Reading, ReadResult
from brain_pipelines.readers.detect import detect_format
from brain_pipelines.readers.document.json_text import parse_json
from brain_pipelines.readers.encoding import read_decoded
from brain_pipelines.readers.event_time import FUTURE_SLACK, from_outside
from brain_pipelines.readers.extracted import Block, Extracted
from brain_pipelines.readers.registry import text_formats
from brain_pipelines.sources.conversation import fragment_of
from brain_pipelines.sources.parts import parts_config, read_part
from brain_pipelines.sources.result import to_result
from brain_pipelines.sources.source import Source
from brain_retrieval.errors import BadInputError
from brain_retrieval.ids import content_id
from brain_retrieval.settings import ChunkingConfig, Limits

_PACKED = ("json", "jsonl", "mbox")  # an envelope, or many messages
PLAIN = (*(name for name in text_formats() if name not in _PACKED), "html")
TITLE_CHARS = 80
# A truncated or invalid JSON envelope must not be read as plain text.
_BEGINS = re.compile(r'\s*\{.{0,400}"type"\s*:\s*"(?:user_input|capture)"', re.DOTALL)


def locate(delivery: Delivery, zone: tzinfo, limits: Limits) -> list[Item]:
    """Return the item of a message and one for each medium in it; for a capture only the medium."""
    try:
        envelope = _envelope(delivery.path, zone, limits)
    except Exception:  # the file still lands; the read stage reports what is wrong with it
        envelope = Envelope("", [])
    event_at, origin = _time(envelope, delivery, zone)
    children = []
    for number, medium in enumerate(envelope.media, 1):
        known = {"part": medium.kind, "attributes": json.dumps(envelope.attributes, sort_keys=True)}
        fragment, parent = fragment_of(f"{number}~{medium.name}"), None if envelope.capture else delivery.uri
        content, name = medium.content, medium.name
        children.append(Item(fragment, event_at, origin, content=content, name=name, parent=parent, meta=known))
    return children if envelope.capture else [Item("", event_at, origin), *children]


def _time(envelope: Envelope, delivery: Delivery, zone: tzinfo) -> tuple[datetime, str]:
    if delivery.event_time is not None:
        return delivery.event_time.astimezone(UTC), "given"
    if envelope.time and envelope.time <= delivery.received_at + FUTURE_SLACK:
        return envelope.time, "content"
    return from_outside(delivery, zone)


def _envelope(path: Path, zone: tzinfo, limits: Limits) -> Envelope:
    detected = detect_format(path)
    if detected.name in PLAIN:
        text = read_decoded(path, limits).text
        if _BEGINS.match(text):
            parse_json(text)  # raises with the position of the fault
        return Envelope(text, [])
    if detected.name == "jsonl":
        raise BadInputError("several messages in one file; drop it under 'conversation'")
    if detected.name not in ("json", "empty"):
        raise BadInputError(f"it is {detected.label}, not a message in plain text or JSON")
    try:
        return read_envelope(parse_json(read_decoded(path, limits).text), zone, limits.max_parts)
    except RecursionError:
        raise BadInputError("JSON nested too deeply") from None


def read(raw_row: dict[str, Any], path: Path, reading: Reading) -> ReadResult:
    """Return the words of a message, or the content of a medium in it.

    Raises:
        BadInputError: if there is no content, or no reader supports the medium.
    """
    meta = json.loads(raw_row["meta"] or "{}")
    if "part" in meta:
        found = read_part(raw_row, path, reading, SOURCE.name)
        return replace(found, attributes={**found.attributes, **json.loads(meta["attributes"])})
    envelope = _envelope(path, reading.zone, reading.limits)
    result = to_result(raw_row, _extract(envelope, raw_row))
    result.issues.extend(Issue(raw_row["source_id"], raw_row["uri"], p, "rejected") for p in envelope.problems[:20])
    return result


def _extract(envelope: Envelope, raw_row: dict[str, Any]) -> Extracted:
    plain = raw_row["format"] in PLAIN
    text = envelope.text.strip()
    start = envelope.text.index(text) if plain else None
    block = Block(
        text,
        "message",
        start,
        None if start is None else start + len(text),
        message_id=content_id("message", raw_row["uri"], text),
        speaker=envelope.speaker,
        time=raw_row["event_at"],
    )
    line = " ".join(text.split("\n", 1)[0].split())
    title = line if len(line) <= TITLE_CHARS else line[:TITLE_CHARS].rsplit(" ", 1)[0] + " …"
    people = [envelope.speaker] if envelope.speaker else []
    return Extracted(raw_row["format"], [block], title, people, attributes=envelope.attributes)


SOURCE = Source(
    name="message",
    context_type="message",
    description="Messages of the user as they are sent, with the media in them, and captures of a device.",
    suffixes=(".json", ".txt", ".md"),
    formats=("json", *PLAIN),
    locate=locate,
    read=read,
    chunking=ChunkingConfig(strategy="recursive", max_size=512, overlap=50, min_size=100),
    text_config=parts_config,
    json_types=("user_input", "capture"),
    aliases=("user_input", "capture"),
    own_voice=True,
)
