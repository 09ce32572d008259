"""The date that a document carries inside: front matter, a page's metadata, Word and PDF properties.

Standard library only and at most 256 kB of a file are looked at: this runs at every landing, before any parser and
outside the sandbox. What is not found by these patterns counts as not there.
"""

import json
import re
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from brain_pipelines.readers.detect import detect_format
from brain_pipelines.readers.document.markdown import front_matter
from brain_pipelines.readers.event_time import parse_time

LOOK_BYTES = 128 << 10  # at the beginning and, for PDF, at the end
DATE_KEYS = ("date", "created", "created_at", "published", "published_at", "datetime", "timestamp")
# The ages of the templates of python-docx and python-pptx, which their files carry unless told otherwise.
TEMPLATE_DATES = (datetime(2013, 12, 23, 23, 15, tzinfo=UTC), datetime(2013, 1, 27, 9, 14, 16, tzinfo=UTC))

_NAMES = "article:published_time|og:published_time|datepublished|date|dc.date|dc.date.issued|dcterms.created|pubdate"
_META = re.compile(r"<meta\b[^>]{0,2000}>", re.I)
_DATED = re.compile(rf"""\b(?:name|property|itemprop)\s*=\s*["'](?:{_NAMES})["']""", re.I)
_CONTENT = re.compile(r"""\bcontent\s*=\s*["']([^"']{4,60})["']""", re.I)
_JSON_LD = re.compile(r'"datePublished"\s*:\s*"([^"]{4,60})"')
_TIME_TAG = re.compile(r"""<time\b[^>]{0,500}\bdatetime\s*=\s*["']([^"']{4,60})["']""", re.I)
_PDF = re.compile(
    rb"/CreationDate\s*\(\s*(?:D:)?(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?\s*(Z|[+-]\d{2}'?\d{0,2})?"
)
_XMP = re.compile(rb"<xmp:CreateDate>\s*([\dT:.+Z-]{10,40})\s*<|xmp:CreateDate=\"([\dT:.+Z-]{10,40})\"")
_ODF = re.compile(rb"<meta:creation-date>\s*([\dT:.+Z-]{10,40})\s*<")
_DC_DATE = re.compile(rb"<dc:date[^>]{0,500}>\s*(\d{4}-\d\d-\d\d[\dT:.+Z-]{0,30})\s*<")
_RTF = re.compile(rb"\\creatim\\yr(\d{4})\\mo(\d{1,2})\\dy(\d{1,2})(?:\\hr(\d{1,2}))?(?:\\min(\d{1,2}))?")
_CORE = re.compile(rb"<dcterms:created[^>]{0,500}>\s*([\dT:.+Z-]{10,40})\s*<")


def date_inside(path: Path, zone: tzinfo) -> tuple[datetime | None, str]:
    """Return the date that a file carries, or None, and "content" or "metadata".

    Raises:
        OSError, ValueError: for damaged content; the caller falls back.
    """
    look, origin = _LOOKS.get(detect_format(path).format, (None, ""))
    return (look(path, zone) if look else None), origin


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LOOK_BYTES)


def text_date(path: Path, zone: tzinfo) -> datetime | None:
    """Return the front matter's date of a text."""
    values = front_matter(_head(path).decode("utf-8", "replace"))
    return parse_time(values.one(*DATE_KEYS), zone)


def _json_date(path: Path, zone: tzinfo) -> datetime | None:
    head = _head(path)
    value = json.loads(head) if len(head) < LOOK_BYTES else None
    found = (parse_time(value.get(key), zone) for key in DATE_KEYS) if isinstance(value, dict) else iter(())
    return next((date for date in found if date), None)


def _html_date(path: Path, zone: tzinfo) -> datetime | None:
    text = _head(path).decode("utf-8", "replace")
    tags = (_CONTENT.search(tag) for tag in _META.findall(text) if _DATED.search(tag))
    candidates = [tag[1] for tag in tags if tag]
    candidates += [match[1] for pattern in (_JSON_LD, _TIME_TAG) for match in pattern.finditer(text)]
    return next((date for text in candidates if (date := parse_time(text, zone))), None)


def _pdf_date(path: Path, zone: tzinfo) -> datetime | None:
    with path.open("rb") as file:
        data = file.read(LOOK_BYTES)
        size = file.seek(0, 2)
        file.seek(max(LOOK_BYTES, size - LOOK_BYTES))
        data += file.read(LOOK_BYTES)
    if match := _PDF.search(data):
        year, month, day, hour, minute, second, offset = (g.decode() if g else "" for g in match.groups())
        clock = f"T{hour}:{minute or '00'}:{second or '00'}{_pdf_offset(offset)}" if hour else ""
        return parse_time(f"{year}-{month or '01'}-{day or '01'}{clock}", zone)
    match = _XMP.search(data)
    return parse_time((match[1] or match[2]).decode(), zone) if match else None


def _pdf_offset(text: str) -> str:
    digits = text.replace("'", "")
    return digits if digits in ("", "Z") else digits[:5].ljust(5, "0")


def _docx_date(path: Path, zone: tzinfo) -> datetime | None:
    found = _date_in(path, "docProps/core.xml", _CORE, zone)
    return None if found in TEMPLATE_DATES else found


def _opendocument_date(path: Path, zone: tzinfo) -> datetime | None:
    return _date_in(path, "meta.xml", _ODF, zone)


def _epub_date(path: Path, zone: tzinfo) -> datetime | None:
    with zipfile.ZipFile(path) as archive:
        name = next((name for name in archive.namelist() if name.endswith(".opf")), "")
    return _date_in(path, name, _DC_DATE, zone)


def _rtf_date(path: Path, zone: tzinfo) -> datetime | None:
    match = _RTF.search(_head(path))
    if not match:
        return None
    year, month, day, hour, minute = (int(group or 0) for group in match.groups())
    return parse_time(f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}", zone)


def _date_in(path: Path, member: str, pattern: re.Pattern[bytes], zone: tzinfo) -> datetime | None:
    try:
        with zipfile.ZipFile(path) as archive, archive.open(member) as file:
            match = pattern.search(file.read(LOOK_BYTES))
    except (zipfile.BadZipFile, KeyError, RuntimeError, EOFError, NotImplementedError):
        return None
    return parse_time(match[1].decode(), zone) if match else None


_LOOKS: dict[str, tuple[Callable[[Path, tzinfo], datetime | None], str]] = {
    "text": (text_date, "content"),
    "markdown": (text_date, "content"),
    "json": (_json_date, "content"),
    "html": (_html_date, "content"),
    "pdf": (_pdf_date, "metadata"),
    **dict.fromkeys(("docx", "pptx", "xlsx"), (_docx_date, "metadata")),
    **dict.fromkeys(("odt", "ods", "odp"), (_opendocument_date, "metadata")),
    "epub": (_epub_date, "metadata"),
    "rtf": (_rtf_date, "metadata"),
}
