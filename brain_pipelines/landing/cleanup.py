"""Files that a killed process left half done: they are in nobody's way, but may hold what was to be protected."""

import shutil
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from brain_retrieval.home import Space

# Longer than any item is read and any file is copied.
OLD = timedelta(days=1)


def remove_leftovers(space: Space, older_than: timedelta = OLD) -> int:
    """Delete what lies in scratch, unfinished blobs and unfinished inbox copies of our own; return how many."""
    limit = time.time() - older_than.total_seconds()
    removed = 0
    for path in _leftovers(space):
        try:
            if path.lstat().st_mtime > limit:
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        except FileNotFoundError:  # its owner was only slow
            continue
        removed += 1
    return removed


def _leftovers(space: Space) -> Iterator[Path]:
    if space.scratch.is_dir():
        yield from list(space.scratch.iterdir())
    if space.blobs.is_dir():
        yield from list(space.blobs.glob(".landing-*"))
    if space.inbox.is_dir():
        # such names are hidden and unfinished at once: only `drop_into_inbox` makes them
        yield from list(space.inbox.rglob(".*.part"))
