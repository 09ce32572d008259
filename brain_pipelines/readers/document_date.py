"""The date that a document carries inside, as its format finds it: front matter, metadata, properties."""

from datetime import datetime, tzinfo
from pathlib import Path

from brain_pipelines.readers.detect import detect_format


def date_inside(path: Path, zone: tzinfo) -> tuple[datetime | None, str]:
    """Return the date that a file carries, or None, and "content" or "metadata".

    Raises:
        OSError, ValueError: for damaged content; the caller falls back.
    """
    detected = detect_format(path)
    return (detected.date_of(path, zone), detected.date_from) if detected.date_of else (None, "")
