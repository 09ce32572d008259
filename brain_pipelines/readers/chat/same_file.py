"""`SameFile`: a file as the key of what was parsed from it, so that a file of many items is parsed once for all."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class SameFile:
    """The bytes at `path`. Two are equal if the bytes are: a decrypted copy lies elsewhere for each item."""

    path: Path = field(compare=False)
    state: tuple[str | int, ...]


def file_of(raw_row: dict[str, Any], path: Path) -> SameFile:
    """Return the file of an item: known by the hash of a row of RAW, else by its place, size and time of change."""
    if sha256 := raw_row.get("sha256"):
        return SameFile(path, (sha256,))
    stat = path.stat()
    return SameFile(path, (str(path), stat.st_size, stat.st_mtime_ns))
