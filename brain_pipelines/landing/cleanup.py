"""Removal of temporary files left by killed processes; they may hold data that should be encrypted or deleted."""

import shutil
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from brain_retrieval.home import Space

# Longer than reading any item or copying any file takes.
OLD = timedelta(days=1)


def remove_leftovers(space: Space, older_than: timedelta = OLD) -> int:
    """Delete old scratch files, unfinished blobs and unfinished inbox copies; return how many."""
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
        except FileNotFoundError:  # the process that owns it has just removed it
            continue
        removed += 1
    return removed


def _leftovers(space: Space) -> Iterator[Path]:
    if space.scratch.is_dir():
        yield from list(space.scratch.iterdir())
    if space.blobs.is_dir():
        yield from list(space.blobs.glob(".landing-*"))
    if space.inbox.is_dir():
        # hidden and ".part": only our own writes into the inbox use such names
        yield from list(space.inbox.rglob(".*.part"))
