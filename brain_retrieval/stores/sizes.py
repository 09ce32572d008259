"""Sizes of stores on disk."""

import os
from contextlib import suppress
from pathlib import Path


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of all files below a directory; 0 if there is nothing."""
    if path.is_file():
        return path.stat().st_size
    found = 0
    for folder, _, names in os.walk(path):
        for name in names:
            with suppress(FileNotFoundError):  # removed since, by a run that goes on
                found += os.stat(f"{folder}/{name}").st_size  # noqa: PTH116 — one path object fewer for each file
    return found
