"""`SameFile`: a file as the key of what was parsed from it, so that a file of many items is parsed once for all."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class SameFile:
    """The bytes at `path`. Two are equal if the bytes are: a decrypted copy lies elsewhere for each item."""

    path: Path = field(compare=False)
    sha256: str


def file_of(raw_row: dict[str, Any], path: Path) -> SameFile:
    """Return the file of an item, a row of RAW, whose bytes lie at `path`."""
    return SameFile(path, raw_row["sha256"])
