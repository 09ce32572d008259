"""email: messages as .eml, Outlook's .msg or a mailbox (mbox), with their attachments.

Each message is one item: the whole file, or in a mailbox a part of it with its Message-ID as fragment. Every
attachment, and every attached message, is a child item with its own bytes, read like a file of its name; its fragment
is its position, "part-2", or "part-2.1" for the first attachment of an attached message.
"""

import json
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from brain_pipelines.readers.contract import Delivery, Item, Reading, ReadResult
from brain_pipelines.readers.detect import detect_format
from brain_pipelines.readers.email import eml, outlook
from brain_pipelines.readers.encoding import check_size
from brain_pipelines.readers.event_time import from_outside
from brain_pipelines.readers.formats import Reader
from brain_pipelines.readers.parts import LEFT_OUT
from brain_pipelines.readers.registry import readers_of, suffixes_of, text_formats
from brain_pipelines.sources.mailbox import MAILS, items_of_mail, items_of_mailbox, outlook_bytes
from brain_pipelines.sources.parts import parts_config, read_part
from brain_pipelines.sources.result import read_whole
from brain_pipelines.sources.source import Source
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import ChunkingConfig, Limits

# A mail with too few headers is detected as text; a file that was sent as a mail is read as one.
READERS: dict[str, Reader] = {**dict.fromkeys(text_formats(), eml.READ), "msg": outlook.READ}


def locate(delivery: Delivery, zone: tzinfo, limits: Limits) -> list[Item]:
    """Return the messages of a file and their attachments; the whole file as one item if it cannot be read."""
    try:
        items = _items(delivery, zone, limits)
    except Exception:  # the file still lands; the read stage reports what is wrong with it
        items = []
    if items:
        return items
    given = delivery.event_time
    at, origin = (given.astimezone(UTC), "given") if given else from_outside(delivery, zone)
    return [Item("", at, origin)]


def _items(delivery: Delivery, zone: tzinfo, limits: Limits) -> list[Item]:
    form = detect_format(delivery.path).name
    if form == "mbox":
        return items_of_mailbox(delivery, zone, limits)
    check_size(delivery.path, limits.max_file_bytes)
    if form == "msg":
        return items_of_mail(outlook_bytes(delivery.path, limits), delivery, zone, limits)
    return items_of_mail(delivery.path.read_bytes(), delivery, zone, limits) if form in READERS else []


def read(raw_row: dict[str, Any], path: Path, reading: Reading) -> ReadResult:
    """Return the text of a message without its quotes, or of an attachment.

    Raises:
        BadInputError: if the message is encrypted or not a message, or no reader supports the attachment; for the
            item that stands for what a limit left out.
    """
    meta = json.loads(raw_row["meta"] or "{}")
    if reason := meta.get(LEFT_OUT):
        raise BadInputError(reason)
    if meta.get("part"):
        # an attached message, as in a digest, may have too few headers to be recognised by them
        if meta.get("declared") in MAILS and raw_row["format"] in text_formats():
            return read_whole(raw_row, path, reading, readers=READERS, source=SOURCE.name)
        return read_part(raw_row, path, reading, SOURCE.name)
    if raw_row["format"] == "mbox" and not raw_row["item"]:
        raise BadInputError("a mailbox without a mail, or larger than is taken at once; split it")
    found = read_whole(raw_row, path, reading, readers=READERS, source=SOURCE.name)
    return replace(found, segments=_dated(found.segments, raw_row)) if raw_row["event_from"] == "content" else found


def _dated(segments: list[dict[str, Any]], raw_row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the segments with the item's event time, which takes a Date without an offset in the user's zone."""
    at: datetime = raw_row["event_at"]
    return [segment if segment["section"] == "forwarded" else {**segment, "time": at} for segment in segments]


SOURCE = Source(
    name="email",
    context_type="correspondence",
    description="E-mail as .eml, Outlook .msg or mbox; quotes and signatures are left out, attachments are read.",
    suffixes=suffixes_of("email"),
    formats=tuple(readers_of("email")),
    locate=locate,
    read=read,
    usual_for=tuple(readers_of("email")),
    aliases=("mail", "gmail"),
    chunking=ChunkingConfig(strategy="recursive", max_size=512, overlap=50, min_size=100),
    trust="external",
    text_config=parts_config,
)
