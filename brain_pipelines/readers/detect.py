"""Format detection from a file's bytes. The name is ignored, because people rename files.

Magic numbers decide first, then the members of a container, then the shape of a text; each `Format` declares its own
signatures. Whether a source reads the format, and whether the name agrees, is decided in `by_format.py`. Standard
library only, because it runs at every landing.
"""

import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path

from brain_pipelines.readers.compound_file import top_level_names
from brain_pipelines.readers.document.plain_text import FORMAT as TEXT
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.registry import FORMATS
from brain_pipelines.readers.text_shape import text_start
from brain_pipelines.readers.unread import BINARY, EMPTY, OLE, ZIP

HEAD_BYTES = 1 << 16
_ZIP_MAGIC, _OLE_MAGIC, _GZIP_MAGIC = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"\x1f\x8b"
_OFFICE_PARTS = "[Content_Types].xml"


def detect_format(path: Path) -> Format:
    """Return the format of the file at `path`. Reads at most 64 kB, and the directory of a container."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    if head.startswith(_ZIP_MAGIC):
        return _zip_format(path)
    if head.startswith(_OLE_MAGIC):
        return _ole_format(path)
    if head.startswith(_GZIP_MAGIC) and (packed := _packed_format(head)):
        return packed
    found = FORMATS[format_of_bytes(head, complete=len(head) < HEAD_BYTES)]
    return FORMATS[found.narrow(path, head)] if found.narrow else found


def format_of_bytes(head: bytes, *, complete: bool = True) -> str:
    """Return the format name of a file that begins with `head`; zip and OLE containers are not opened."""
    if not head:
        return EMPTY.name
    formats = FORMATS.values()
    found = next((one for one in formats if one.begins(head)), None)
    found = found or next((one for one in formats if one.structure and one.structure(head)), None)
    return found.name if found else text_format(head, complete)


def text_format(head: bytes, complete: bool) -> str:
    """Return the format name of a text file that begins with `head`, "binary" if it is not text."""
    start = text_start(head)
    if start is None:
        return BINARY.name
    if not start:
        return TEXT.name
    return next((one.name for one in FORMATS.values() if one.fits_text(start, complete)), TEXT.name)


def _zip_format(path: Path) -> Format:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()[:10_000]
            mime = archive.open("mimetype").read(80) if "mimetype" in names else b""
    except Exception:  # zipfile passes on the errors of four compression libraries
        return _damaged_zip_format(path)
    folders = {one.zip_folder: one for one in FORMATS.values() if one.zip_folder}
    if _OFFICE_PARTS in names:
        for folder, one in folders.items():
            if any(name.startswith(folder) for name in names):
                return one
    return _first((one for one in FORMATS.values() if one.zip_mimetype and one.zip_mimetype in mime), ZIP)


def _damaged_zip_format(path: Path) -> Format:
    """Return the likely format of a zip without a central directory, from its first members: a truncated docx."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    if _OFFICE_PARTS.encode() not in head:
        return ZIP
    return _first((one for one in FORMATS.values() if one.zip_folder and one.zip_folder.encode() in head), ZIP)


def _ole_format(path: Path) -> Format:
    """Return the format of a compound file from the names at its top level, or near its beginning if it is damaged."""
    streams = [(one, stream) for one in FORMATS.values() for stream in one.ole_streams]
    top = top_level_names(path)
    if found := next((one for one, stream in streams if any(name.startswith(stream) for name in top)), None):
        return found
    with path.open("rb") as file:
        names = file.read(1 << 20)
    return _first((one for one, stream in streams if stream.encode("utf-16-le") in names), OLE)


def _packed_format(head: bytes) -> Format | None:
    try:
        start = zlib.decompressobj(31).decompress(head, 16)
    except zlib.error:
        return None
    return next((one for one in FORMATS.values() if one.in_gzip and start.startswith(one.in_gzip)), None)


def _first(found: Iterable[Format], otherwise: Format) -> Format:
    return next(iter(found), otherwise)
