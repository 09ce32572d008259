"""Reader of Evernote's export (.enex): notes in ENML, a kind of HTML, with their tags, authors and attachments.

Each note is a part of the file with its own day; its attachments are files of their own. A note that was clipped from a
page is not written by its owner; of the others the name that Evernote gives as the author is the owner's account. Text
that Evernote has encrypted is left out.
"""

import base64
import binascii
import re
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from brain_pipelines.readers.document.html_fragment import to_markdown
from brain_pipelines.readers.document.ooxml import parse_xml
from brain_pipelines.readers.encoding import check_size
from brain_pipelines.readers.event_time import parse_time
from brain_pipelines.readers.extracted import Extracted
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.notes.note import Note, title_of, to_extracted
from brain_pipelines.readers.notes.xml_slices import bytes_of, elements, inner_bytes
from brain_pipelines.readers.parts import LEFT_OUT, Part
from brain_pipelines.readers.sandbox import Isolated
from brain_retrieval.ids import stable_hash
from brain_retrieval.settings import Limits

_UNTITLED = re.compile(r"untitled(?: note)?(?: \d{1,4})?", re.IGNORECASE)
_HEAD = b'<?xml version="1.0" encoding="UTF-8"?>\n<en-export>\n'
_FOOT = b"\n</en-export>\n"
_TEXTS = ("title", "created", "updated")
_CLIPPED = ("web.clip", "webclipper")
_SUFFIXES = {"image/jpeg": ".jpg", "image/png": ".png", "image/gif": ".gif", "image/webp": ".webp"}
_SUFFIXES |= {"application/pdf": ".pdf", "audio/mpeg": ".mp3", "audio/wav": ".wav", "audio/x-m4a": ".m4a"}


def read_file(path: Path, limits: Limits, _scratch: Path | None) -> Extracted:
    """Return the notes of an export, or of a part of one.

    Raises:
        BadInputError: if it is damaged, declares entities, or has no note with words.
    """
    check_size(path, limits.max_file_bytes)
    root = parse_xml(path.read_bytes())
    return to_extracted([_note(element) for element in root.iter("note")])


def _note(element: Any) -> Note:
    title = _text(element, "title")
    author, source = _text(element, "note-attributes/author"), _text(element, "note-attributes/source")
    address = _text(element, "note-attributes/source-url")
    application = _text(element, "note-attributes/source-application")
    return Note(
        text=to_markdown(element.findtext("content") or ""),
        title="" if _UNTITLED.fullmatch(title) else title,
        time=time_of(_text(element, "created")) or time_of(_text(element, "updated")),
        tags=[tag for one in element.findall("tag") if (tag := " ".join((one.text or "").split()))],
        attributes={"author": author} if author else {},
        url=address if address.startswith(("http://", "https://")) else "",
        quoted=bool(address) and any(word in f"{source} {application}" for word in _CLIPPED),
    )


def _text(element: Any, name: str) -> str:
    return " ".join((element.findtext(name) or "").split())


def time_of(written: str) -> datetime | None:
    """Return a time as Evernote writes it: 20230914T081500Z."""
    try:
        found = datetime.strptime(written, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        return None
    return parse_time(found, UTC)


def parts(path: Path, _zone: tzinfo, limits: Limits) -> Iterator[Part]:
    """Yield the notes of an export and their attachments; a damaged end is left to the reader.

    Raises:
        BadInputError: if it is not well-formed, or declares entities.
    """
    check_size(path, limits.max_archive_bytes)
    room, left_out = limits.max_archive_bytes, 0
    for element in elements(path, ("note",), _TEXTS, inner="resource"):
        content = _HEAD + bytes_of(path, element) + _FOOT
        time = time_of(element.one("created")) or time_of(element.one("updated"))
        # Evernote names no note: of one that is edited and exported again the time of its making stays.
        key = element.one("created") or stable_hash([element.one("title"), content.decode("utf-8", "replace")])
        yield Part(key, f"{title_of(Note('', element.one('title'))) or 'note'}.enex", content, time)
        for number, resource in enumerate(map(parse_resource, inner_bytes(path, element)), 1):
            if resource is None or number > limits.max_parts or len(resource[1]) > room:
                left_out += 1
                continue
            name, data = resource
            room -= len(data)
            yield Part(f"{key}.part-{number}", name, data, time, key, {"part": str(number)})
    if left_out:
        reason = f"{left_out:,} attachments are left out: damaged, or beyond the limits on their number and size"
        yield Part(LEFT_OUT, "", None, meta={LEFT_OUT: reason})


def parse_resource(data: bytes) -> tuple[str, bytes] | None:
    """Return name and bytes of an attached file, None if it is damaged or empty."""
    from xml.etree import ElementTree

    root = ElementTree.fromstring(data)  # noqa: S314 - a part of what expat has read without a declaration of entities
    try:
        content = base64.b64decode("".join((root.findtext("data") or "").split()), validate=True)
    except (binascii.Error, ValueError):
        return None
    mime = (root.findtext("mime") or "").strip()
    name = " ".join((root.findtext("resource-attributes/file-name") or "").split())
    return (name or f"attachment{_SUFFIXES.get(mime, '')}", content) if content else None


def first_time(path: Path, _zone: tzinfo) -> datetime | None:
    """Return when the first note was made."""
    first = next(elements(path, ("note",), _TEXTS), None)
    return time_of(first.one("created")) if first else None


FORMAT = Format(
    "enex",
    "application/enex+xml",
    "notes of Evernote (.enex)",
    family="notes",
    suffixes=(".enex",),
    promised=True,
    shape=lambda start, _complete: b"<en-export" in start[:2000] and start[:1] == b"<",
    read=Isolated(read_file, ("lxml.etree",)),
    parts=parts,
    date_of=first_time,
    date_from="content",
)
