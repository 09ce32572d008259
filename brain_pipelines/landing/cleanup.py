"""Removal of temporary files left by killed processes; they may hold data that should be encrypted or deleted.

Stores that were moved aside as damaged go after a month.
"""

import shutil
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from brain_retrieval.home import Space
from brain_retrieval.stores.durable import DRAFT

# Longer than reading any item or copying any file takes.
OLD = timedelta(days=1)
OLD_DAMAGE = timedelta(days=30)


def remove_leftovers(space: Space, older_than: timedelta = OLD) -> int:
    """Delete old scratch files, drafts of every store and of the inbox, and old damaged stores; return how many."""
    limit = time.time() - older_than.total_seconds()
    removed = 0
    for path in _leftovers(space):
        try:
            if path.lstat().st_mtime > limit - (OLD_DAMAGE.total_seconds() if path.parent == space.damaged else 0):
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
    if space.damaged.is_dir():
        yield from list(space.damaged.iterdir())
    if space.root.is_dir():
        yield from list(space.root.glob(".taken-*"))
        yield from list(space.backups.glob(".*"))
    # hidden and ".part": only our own writes use such names
    for folder in (space.inbox, space.root):
        if folder.is_dir():
            yield from list(folder.rglob(f".*{DRAFT}"))
