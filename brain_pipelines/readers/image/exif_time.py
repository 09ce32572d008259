"""Capture time of a picture from its EXIF data. Standard library and bounded, because it runs at every landing.

Only the two directories that may hold the time are read, each entry once, so circular references cannot loop.
"""

import re
import struct
from datetime import datetime, tzinfo
from pathlib import Path

from brain_pipelines.readers.event_time import parse_time

LOOK_BYTES = 256 << 10  # at the beginning and at the end
MAX_ENTRIES = 256
EXIF_POINTER = 0x8769
# DateTimeOriginal and DateTimeDigitized, each with its OffsetTime (EXIF 2.32, section 4.6.6)
TIMES = ((0x9003, 0x9011), (0x9004, 0x9012))
_STAMP = re.compile(r"(\d{4}):(\d\d):(\d\d)[ T](\d\d:\d\d:\d\d)")
_OFFSET = re.compile(r"[+-]\d\d:\d\d|Z")
# Markers before EXIF data: "Exif" in JPEG and HEIC, a chunk in PNG and in WebP; a TIFF begins with it.
_STARTS = re.compile(rb"(?:Exif\0\0|eXIf|EXIF....(?:Exif\0\0)?)(?=II\*\0|MM\0\*)", re.S)


def exif_time(path: Path, zone: tzinfo) -> datetime | None:
    """Return when the picture at `path` was taken; a time without an offset is in `zone`."""
    with path.open("rb") as file:
        head = file.read(LOOK_BYTES)
        size = file.seek(0, 2)
        file.seek(max(len(head), size - LOOK_BYTES))
        tail = file.read(LOOK_BYTES)
    for data in (head, tail):
        starts = [0] if data[:4] in (b"II*\0", b"MM\0*") and data is head else []
        starts += [match.end() for match in list(_STARTS.finditer(data))[:3]]
        for start in starts:
            if found := _time_of(data[start:], zone):
                return found
    return None


def _time_of(tiff: bytes, zone: tzinfo) -> datetime | None:
    order = "<" if tiff[:2] == b"II" else ">"
    try:
        (first,) = struct.unpack_from(order + "I", tiff, 4)
        pointer = _entries(tiff, first, order).get(EXIF_POINTER)
        details = _entries(tiff, pointer[2], order) if pointer else {}
    except struct.error:
        return None
    for stamp, offset in TIMES:
        match = _STAMP.match(_ascii(tiff, details.get(stamp)))
        if match:
            known = _OFFSET.match(_ascii(tiff, details.get(offset)))
            return parse_time(f"{match[1]}-{match[2]}-{match[3]}T{match[4]}{known[0] if known else ''}", zone)
    return None


def _entries(tiff: bytes, start: int, order: str) -> dict[int, tuple[int, int, int]]:
    """Return tag -> (type, count, value or offset) of the entries of a directory (TIFF 6.0, section 2)."""
    (count,) = struct.unpack_from(order + "H", tiff, start)
    rows = (struct.unpack_from(order + "HHII", tiff, start + 2 + 12 * i) for i in range(min(count, MAX_ENTRIES)))
    return {tag: (kind, length, value) for tag, kind, length, value in rows}


def _ascii(tiff: bytes, entry: tuple[int, int, int] | None) -> str:
    # Type 2 is ASCII; up to 4 bytes would be stored in the entry itself, but no time is that short.
    if entry is None or entry[0] != 2 or not 5 <= entry[1] <= 64:
        return ""
    return tiff[entry[2] : entry[2] + entry[1]].rstrip(b"\0 ").decode("ascii", "replace")
