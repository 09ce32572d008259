"""What a file is, told from its bytes. The name is never asked: people rename things.

Magic numbers decide first, then the members of a zip, then the shape of a text. Whether a source reads the format,
and whether the name agrees, is decided elsewhere. Standard library only: it runs at every landing.
"""

import json
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

HEAD_BYTES = 1 << 16


@dataclass(frozen=True)
class Detected:
    """A format's short name, its media type and what people call it."""

    format: str
    mime: str
    label: str


def _known(*rows: tuple[str, str, str]) -> dict[str, Detected]:
    return {name: Detected(name, mime, label) for name, mime, label in rows}


FORMATS = _known(
    ("empty", "application/x-empty", "an empty file"),
    ("binary", "application/octet-stream", "binary data of no known format"),
    ("text", "text/plain", "plain text"),
    ("markdown", "text/markdown", "Markdown"),
    ("html", "text/html", "a web page (HTML)"),
    ("json", "application/json", "JSON"),
    ("jsonl", "application/x-ndjson", "JSON lines"),
    ("xml", "application/xml", "XML"),
    ("rtf", "application/rtf", "rich text (RTF)"),
    ("pdf", "application/pdf", "a PDF"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "a Word document (.docx)"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "an Excel workbook (.xlsx)"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation", "PowerPoint slides (.pptx)"),
    ("odt", "application/vnd.oasis.opendocument.text", "an OpenDocument text"),
    ("ods", "application/vnd.oasis.opendocument.spreadsheet", "an OpenDocument spreadsheet"),
    ("epub", "application/epub+zip", "an e-book (EPUB)"),
    ("zip", "application/zip", "a zip archive"),
    ("office-encrypted", "application/vnd.ms-office", "an encrypted Office document"),
    ("ole", "application/x-ole-storage", "an Office file of before 2007 (.doc, .xls, .ppt or .msg)"),
    ("png", "image/png", "a PNG image"),
    ("jpeg", "image/jpeg", "a JPEG image"),
    ("gif", "image/gif", "a GIF image"),
    ("webp", "image/webp", "a WebP image"),
    ("tiff", "image/tiff", "a TIFF image"),
    ("bmp", "image/bmp", "a BMP image"),
    ("wav", "audio/wav", "a WAV recording"),
    ("mp3", "audio/mpeg", "an MP3 recording"),
    ("flac", "audio/flac", "a FLAC recording"),
    ("ogg", "audio/ogg", "an Ogg recording"),
    ("mp4", "video/mp4", "an MP4 or M4A recording"),
    ("mkv", "video/x-matroska", "a Matroska or WebM video"),
    ("gzip", "application/gzip", "a gzip archive"),
    ("bzip2", "application/x-bzip2", "a bzip2 archive"),
    ("xz", "application/x-xz", "an xz archive"),
    ("7z", "application/x-7z-compressed", "a 7-Zip archive"),
    ("rar", "application/vnd.rar", "a RAR archive"),
    ("elf", "application/x-elf", "a Linux program"),
    ("exe", "application/vnd.microsoft.portable-executable", "a Windows program"),
    ("sqlite", "application/vnd.sqlite3", "an SQLite database"),
    ("parquet", "application/vnd.apache.parquet", "a Parquet table"),
)

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
    (b"II*\0", "tiff"),
    (b"MM\0*", "tiff"),
    (b"fLaC", "flac"),
    (b"OggS", "ogg"),
    (b"ID3", "mp3"),
    (b"\x1aE\xdf\xa3", "mkv"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
    (b"\x7fELF", "elf"),
    (b"SQLite format 3\0", "sqlite"),
    (b"PAR1", "parquet"),
    (b"{\\rtf", "rtf"),
)
_OFFICE = (("word/", "docx"), ("xl/", "xlsx"), ("ppt/", "pptx"))
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_HTML = re.compile(rb"(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S)
_HTML_BLOCK = re.compile(rb"<(?:article|div|main|section|table|p|h[1-6]|ul|title|meta)\b[^>]*>", re.I)
_MARKDOWN = re.compile(
    rb"^(?:#{1,6} \S|```|[-*] \[[ xX]\] )|\[[^\]\n]+\]\([^)\s]+\)|\A---\n(?:\w[\w -]*:.*\n)+---\n", re.M
)


def detect_format(path: Path) -> Detected:
    """Return what the file at `path` holds. Reads at most 64 kB, and the directory of a zip."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    if head[:4] == b"PK\x03\x04":
        return FORMATS[_zip_format(path)]
    if head[:8] == _OLE:
        return FORMATS["office-encrypted" if _is_encrypted_office(path) else "ole"]
    return FORMATS[format_of_bytes(head, complete=len(head) < HEAD_BYTES)]


def format_of_bytes(head: bytes, *, complete: bool = True) -> str:
    """Return the format of a file that begins with `head`; zip and OLE containers are not looked into."""
    if not head:
        return "empty"
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return name
    return _by_structure(head) or _text_format(head, complete)


def _by_structure(head: bytes) -> str | None:
    if b"%PDF-" in head[:1024] and (head.lstrip()[:5] == b"%PDF-" or b"\nendobj" in head or b"\rendobj" in head):
        return "pdf"  # the standard allows 1 kB of anything before the header
    if head[:4] == b"RIFF" and head[8:12] in (b"WAVE", b"WEBP"):
        return "wav" if head[8:12] == b"WAVE" else "webp"
    if head[4:8] == b"ftyp":
        return "mp4"
    if head[:2] == b"BM" and head[6:10] == b"\0\0\0\0":
        return "bmp"
    if head[:2] == b"MZ" and b"\0" in head[:256]:
        return "exe"
    if head[0] == 0xFF and len(head) > 2 and head[1] in (0xFB, 0xF3, 0xF2, 0xFA) and not head.startswith(_BOMS):
        return "mp3"
    return None


def _zip_format(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()[:10_000]
            mime = archive.open("mimetype").read(80) if "mimetype" in names else b""
    except Exception:  # zipfile lets errors of four compression libraries through
        return _damaged_zip_format(path)
    for start, name in _OFFICE:
        if "[Content_Types].xml" in names and any(n.startswith(start) for n in names):
            return name
    for part, name in ((b"opendocument.text", "odt"), (b"opendocument.spreadsheet", "ods"), (b"epub+zip", "epub")):
        if part in mime:
            return name
    return "zip"


def _damaged_zip_format(path: Path) -> str:
    """Return the format that the first members of a zip without a directory speak for: half a docx is one."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    return next((name for start, name in _OFFICE if b"[Content_Types].xml" in head and start.encode() in head), "zip")


def _is_encrypted_office(path: Path) -> bool:
    with path.open("rb") as file:
        return "EncryptedPackage".encode("utf-16-le") in file.read(1 << 20)


def _text_format(head: bytes, complete: bool) -> str:
    if not is_text(head):
        return "binary"
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        head = head.decode("utf-16", "ignore").encode()
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start:
        return "text"
    if _HTML.match(start) or (start[:1] == b"<" and len(_HTML_BLOCK.findall(start[:4096])) >= 3):
        return "html"
    if start[:5] == b"<?xml":
        return "xml"
    return _json_format(start, complete) or ("markdown" if _MARKDOWN.search(start.replace(b"\r\n", b"\n")) else "text")


def _json_format(start: bytes, complete: bool) -> str | None:
    if start[:1] not in b"{[":
        return None
    lines = [line for line in start.split(b"\n") if line.strip()]
    objects = [_is_object(line) for line in (lines if complete else lines[:-1])[:50]]
    # One broken line does not make a transcript something else; a pretty-printed value has no whole object a line.
    if len(objects) > 1 and sum(objects) * 2 > len(objects):
        return "jsonl"
    if not complete:
        return "json" if re.match(rb'\{\s*"|\[\s*[\[{"\d\-tfn\]]', start) else None
    try:
        json.loads(start)
    except RecursionError:
        return "json"  # so deep that it can be nothing else
    except ValueError:
        return "jsonl" if any(objects) else None
    return "json"


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def is_text(head: bytes) -> bool:
    """Tell text in any common encoding from binary data: hardly a control character, and next to no NUL.

    A log that a crash has padded with a few NULs is still a text.
    """
    if head.startswith(_BOMS) or utf16_without_mark(head):
        return True
    controls = sum(head.count(bytes([c])) for c in range(32) if c not in (9, 10, 12, 13, 27))
    return controls * 50 <= len(head) and head.count(0) * 500 <= len(head)


def utf16_without_mark(head: bytes) -> str | None:
    """Return "utf-16-le" or "utf-16-be" if every other byte of the beginning is NUL, as in Latin text."""
    sample = head[: min(len(head), 2048) // 2 * 2]
    if len(sample) < 8:
        return None
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd > half * 0.6 and even == 0:
        return "utf-16-le"
    return "utf-16-be" if even > half * 0.6 and odd == 0 else None
