"""What a file is, told from its bytes. The name is never asked: people rename things.

Magic numbers decide first, then the members of a zip, then the shape of a text. Whether a source reads the format,
and whether the name agrees, is decided elsewhere. Standard library only: it runs at every landing.
"""

import zipfile
import zlib
from pathlib import Path

from brain_pipelines.readers.detect_text import BOMS, text_format
from brain_pipelines.readers.formats import FORMATS, Detected

HEAD_BYTES = 1 << 16


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
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
    (b"\x7fELF", "elf"),
    (b"SQLite format 3\0", "sqlite"),
    (b"PAR1", "parquet"),
    (b"{\\rtf", "rtf"),
    (b"#!AMR", "amr"),
    (b"caff", "caf"),
    (b"FLV\x01", "flv"),
    (b"8BPS", "psd"),
    (b"\0\0\x01\xba", "mpeg"),
    (b"\0\0\x01\xb3", "mpeg"),
    (b"\0\0\0\x0cjP  \r\n", "jp2"),
    (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "asf"),
)
_OFFICE = (("word/", "docx"), ("xl/", "xlsx"), ("ppt/", "pptx"))
_CHUNKED = {b"WAVE": "wav", b"WEBP": "webp", b"AVI ": "avi", b"AIFF": "aiff", b"AIFC": "aiff"}
_BRANDS = {
    **dict.fromkeys((b"heic", b"heix", b"heim", b"hevc", b"mif1", b"msf1"), "heic"),
    **dict.fromkeys((b"avif", b"avis"), "avif"),
    **dict.fromkeys((b"m4a ", b"m4b "), "m4a"),
    b"qt  ": "mov",
}
_OLE_STREAMS = (
    ("EncryptedPackage", "office-encrypted"),
    ("__substg1.0_", "msg"),
    ("__properties_version1.0", "msg"),
    ("WordDocument", "doc"),
    ("PowerPoint Document", "ppt"),
    ("Workbook", "xls"),
)
DIRECTORY_BYTES = 1 << 14
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def detect_format(path: Path) -> Detected:
    """Return what the file at `path` holds. Reads at most 64 kB, and the directory of a zip."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    if head[:4] == b"PK\x03\x04":
        return FORMATS[_zip_format(path)]
    if head[:8] == _OLE:
        return FORMATS[_ole_format(path)]
    if head[:2] == b"\x1f\x8b" and _unpacked_start(head).startswith(b"WARC/"):
        return FORMATS["warc"]
    name = format_of_bytes(head, complete=len(head) < HEAD_BYTES)
    return FORMATS["m4a" if name == "mp4" and _has_sound_alone(path, head) else name]


def format_of_bytes(head: bytes, *, complete: bool = True) -> str:
    """Return the format of a file that begins with `head`; zip and OLE containers are not looked into."""
    if not head:
        return "empty"
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return name
    return _by_structure(head) or text_format(head, complete)


def _by_structure(head: bytes) -> str | None:
    if b"%PDF-" in head[:1024] and (head.lstrip()[:5] == b"%PDF-" or b"\nendobj" in head or b"\rendobj" in head):
        return "pdf"  # the standard allows 1 kB of anything before the header
    if head[:4] in (b"RIFF", b"RF64", b"FORM") and head[8:12] in _CHUNKED:
        return _CHUNKED[head[8:12]]
    if head[4:8] == b"ftyp":
        return _BRANDS.get(head[8:12].lower(), "mp4")
    if head[4:8] in (b"moov", b"wide", b"mdat") and head[:2] == b"\0\0":
        return "mov"
    if head[:4] == b"\x1aE\xdf\xa3":
        return "webm" if b"webm" in head[:64] else "mkv"
    if head[:4] == b"\0\0\x01\0" and 0 < int.from_bytes(head[4:6], "little") < 256 and len(head) > 22:
        return "ico"
    return _by_sync_words(head)


def _by_sync_words(head: bytes) -> str | None:
    if head[:2] == b"BM" and head[6:10] == b"\0\0\0\0":
        return "bmp"
    if head[:2] == b"MZ" and b"\0" in head[:256]:
        return "exe"
    if head[0] == 0xFF and len(head) > 2 and head[1] in (0xFB, 0xF3, 0xF2, 0xFA) and not head.startswith(BOMS):
        return "mp3"
    if head[0] == 0xFF and len(head) > 6 and head[1] in (0xF0, 0xF1, 0xF8, 0xF9):
        return "aac"
    if head[0] == 0x47 and len(head) > 376 and head[188] == head[376] == 0x47:
        return "mpeg"
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
    for part, name in (
        (b"opendocument.text", "odt"),
        (b"opendocument.spreadsheet", "ods"),
        (b"opendocument.presentation", "odp"),
        (b"epub+zip", "epub"),
    ):
        if part in mime:
            return name
    return "zip"


def _damaged_zip_format(path: Path) -> str:
    """Return the format that the first members of a zip without a directory speak for: half a docx is one."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    return next((name for start, name in _OFFICE if b"[Content_Types].xml" in head and start.encode() in head), "zip")


def _ole_format(path: Path) -> str:
    """Return what a compound file holds, from the names in its directory (MS-CFB, sections 2.2 and 2.6)."""
    with path.open("rb") as file:
        header = file.read(512)
        sector = 1 << min(int.from_bytes(header[30:32], "little"), 16)
        file.seek((int.from_bytes(header[48:52], "little") + 1) * sector)
        names = file.read(DIRECTORY_BYTES)
        file.seek(0)
        names += file.read(1 << 20)
    for stream, name in _OLE_STREAMS:
        if stream.encode("utf-16-le") in names:
            return name
    return "ole"


def _has_sound_alone(path: Path, head: bytes) -> bool:
    """Tell whether the tracks of an MP4 are all sound: its table of contents is at the beginning or the end."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - (1 << 20)))
        seen = head + file.read(1 << 20)
    return b"moov" in seen and b"soun" in seen and b"vide" not in seen


def _unpacked_start(head: bytes) -> bytes:
    try:
        return zlib.decompressobj(31).decompress(head, 16)
    except zlib.error:
        return b""
