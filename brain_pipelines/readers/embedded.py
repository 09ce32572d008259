"""Documents embedded in Office files, read by the readers of their own formats: a workbook in a letter.

The program that embedded a document keeps it as a file of its own or inside a compound file. Each is unpacked into the
scratch directory and read in the same child, under the same limits. What they have a place in is their own document,
so their blocks have their names as sections, and no pages; pictures in them are left out.
"""

import io
import os
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path

from brain_pipelines.readers.detect import detect_format
from brain_pipelines.readers.document.embedded_documents import embedded_members, remarks
from brain_pipelines.readers.extracted import Block, Extracted
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import Limits

MOST_READ, DEEPEST = 20, 2  # documents of one file; levels of documents in documents
MAX_EMBEDDED_BYTES, MAX_CHARS = 64 << 20, 4 << 20  # of one document, of the text of all in one file
_OLE, _WHOLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ("Package", "CONTENTS")  # streams that are the file
_PACKED = "\x01Ole10Native"
_BEGINNINGS = (b"PK\x03\x04", b"%PDF-", _OLE)


def read_embedded(found: Extracted, path: Path, limits: Limits, scratch: Path | None, level: int = 0) -> Extracted:
    """Return the content of a package with the blocks of the documents within it, and a remark on those not read.

    Args:
        found: what the reader of the package returned, which names the documents in `embedded`.
        path: the package, already checked by its reader.
        limits: those of the package; each document keeps them for itself.
        scratch: where documents are unpacked; without it none is read.
        level: how many packages this one lies in.

    Raises:
        BadInputError: if neither the package nor a document within it has text or a picture.
    """
    unread = list(found.embedded)
    blocks: list[Block] = []
    if scratch is not None and level < DEEPEST:
        with zipfile.ZipFile(path) as archive:
            for member, label in list(embedded_members(archive).items())[:MOST_READ]:
                inner = _read(archive, member, label, limits, scratch, level)
                if inner and sum(len(block.text) for block in (*blocks, *inner)) <= MAX_CHARS:
                    blocks += inner
                    unread.remove(label)
    blocks = [*found.blocks, *blocks]
    if not any(block.text.strip() or block.picture for block in blocks):
        raise BadInputError("; ".join(["no text in the document", *remarks(unread)]))
    attributes = {**found.attributes, "attachments": found.embedded}
    repairs = [*found.repairs, *remarks(unread)]
    return replace(found, blocks=blocks, repairs=repairs, attributes=attributes, embedded=[])


def _read(archive: zipfile.ZipFile, member: str, label: str, limits: Limits, scratch: Path, level: int) -> list[Block]:
    """Return the blocks of one document, none if it cannot be read."""
    if archive.getinfo(member).file_size > MAX_EMBEDDED_BYTES:
        return []
    data = _unpacked(archive.read(member))
    handle, name = tempfile.mkstemp(dir=scratch)  # a file, as the child may make no directories
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
    file = Path(name)
    kind = detect_format(file)
    read_file = getattr(kind.read, "read_file", None) if kind.family == "document" else None
    if read_file is None:
        return []
    try:
        # Without a directory for pictures, which would have the names of those of the package.
        found: Extracted = read_file(file, limits, None)
        if found.embedded:
            found = read_embedded(found, file, limits, scratch, level + 1)
    except BadInputError:  # named as not read
        return []
    finally:
        file.write_bytes(b"")
    return [_placed(block, label) for block in found.blocks if block.text.strip()]


def _placed(block: Block, label: str) -> Block:
    """Return a block of an embedded document as one of the outer one: its place becomes part of its section."""
    within = block.section or block.cells or (f"p. {block.page}" if block.page else "")
    kind = "section" if block.kind in ("body", "page") else block.kind
    return Block(block.text, kind, section=f"{label} > {within}" if within else label)


def _unpacked(data: bytes) -> bytes:
    """Return the document inside a compound file, or the bytes as they are."""
    if not data.startswith(_OLE):
        return data
    import olefile

    try:
        with olefile.OleFileIO(io.BytesIO(data)) as compound:
            for stream in _WHOLE:
                if compound.exists(stream):
                    return compound.openstream(stream).read()
            if compound.exists(_PACKED):
                packed = compound.openstream(_PACKED).read()
                starts = [at for mark in _BEGINNINGS if (at := packed.find(mark)) >= 0]
                return packed[min(starts) :] if starts else data
    except (OSError, ValueError, IndexError):  # damaged: its reader says what it is
        return data
    return data
