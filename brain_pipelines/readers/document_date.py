"""The date inside a document, found by its format: front matter, metadata, properties."""

from datetime import datetime, tzinfo
from pathlib import Path

from brain_pipelines.readers.detect import detect_format


def date_inside(path: Path, zone: tzinfo) -> tuple[datetime | None, str]:
    """Return (date, where it was found: "content" or "metadata"); (None, "") if the format has no date.

    Raises:
        OSError, ValueError: for damaged content; the caller falls back.
    """
    detected = detect_format(path)
    return (detected.date_of(path, zone), detected.date_from) if detected.date_of else (None, "")
