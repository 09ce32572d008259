"""Helpers that find the date inside a file, with the standard library, reading at most 256 kB.

They run at every landing, before any parser and outside the sandbox. A date they do not find counts as missing.
"""

import re
import zipfile
from datetime import datetime, tzinfo
from pathlib import Path

from brain_pipelines.readers.event_time import parse_time

LOOK_BYTES = 128 << 10
DATE_KEYS = ("date", "created", "created_at", "published", "published_at", "datetime", "timestamp")


def beginning(path: Path) -> bytes:
    """Return the first 128 kB of a file."""
    with path.open("rb") as file:
        return file.read(LOOK_BYTES)


def date_in_member(path: Path, member: str, pattern: re.Pattern[bytes], zone: tzinfo) -> datetime | None:
    """Return the date that `pattern` finds at the beginning of a zip's member, None if there is none."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open(member) as file:
            match = pattern.search(file.read(LOOK_BYTES))
    except (zipfile.BadZipFile, KeyError, RuntimeError, EOFError, NotImplementedError):
        return None
    return parse_time(match[1].decode(), zone) if match else None
