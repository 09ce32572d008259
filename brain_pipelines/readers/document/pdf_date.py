"""Creation date of a PDF: from its document information, else its XMP metadata. Standard library only."""

import re
from datetime import datetime, tzinfo
from pathlib import Path

from brain_pipelines.readers.dates import LOOK_BYTES
from brain_pipelines.readers.event_time import parse_time

_INFO = re.compile(
    rb"/CreationDate\s*\(\s*(?:D:)?(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?\s*(Z|[+-]\d{2}'?\d{0,2})?"
)
_XMP = re.compile(rb"<xmp:CreateDate>\s*([\dT:.+Z-]{10,40})\s*<|xmp:CreateDate=\"([\dT:.+Z-]{10,40})\"")


def pdf_date(path: Path, zone: tzinfo) -> datetime | None:
    """Return the date in the first or the last 128 kB."""
    with path.open("rb") as file:
        data = file.read(LOOK_BYTES)
        size = file.seek(0, 2)
        file.seek(max(LOOK_BYTES, size - LOOK_BYTES))
        data += file.read(LOOK_BYTES)
    if match := _INFO.search(data):
        year, month, day, hour, minute, second, offset = (g.decode() if g else "" for g in match.groups())
        clock = f"T{hour}:{minute or '00'}:{second or '00'}{_offset(offset)}" if hour else ""
        return parse_time(f"{year}-{month or '01'}-{day or '01'}{clock}", zone)
    match = _XMP.search(data)
    return parse_time((match[1] or match[2]).decode(), zone) if match else None


def _offset(text: str) -> str:
    digits = text.replace("'", "")
    return digits if digits in ("", "Z") else digits[:5].ljust(5, "0")
