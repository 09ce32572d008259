"""Files that are whole after a power cut: written under a hidden name, synced, renamed, and their folder synced.

Without the first sync a file may be empty after a power cut, without the last one it may be missing, although the
program that wrote it has long reported success.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from brain_retrieval.home import make_folder, sync_folder

__all__ = [
    "DRAFT",
    "make_folder",
    "move_aside",
    "move_into_place",
    "sync_changes",
    "sync_file",
    "sync_folder",
    "write_bytes",
    "writing",
]

DRAFT = ".part"  # suffix of files that are being written; scans skip them and maintenance removes old ones
MANY = 100  # files from which on they are synced by several threads
CLOCK_STEP_NS = 100_000_000  # file systems stamp files with a clock that may lag behind by some milliseconds


def sync_file(path: Path) -> None:
    """Wait until the bytes of a file are on disk."""
    _sync(path)


def move_into_place(draft: Path, target: Path) -> None:
    """Rename a file that is on disk already, and wait until the rename is on disk too."""
    draft.replace(target)
    sync_folder(target.parent)


@contextmanager
def writing(target: Path) -> Iterator[BinaryIO]:
    """Yield a file to write to; it appears as `target` at the end of the block, complete and on disk, or not at all."""
    make_folder(target.parent)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=DRAFT)
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        move_into_place(draft, target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def write_bytes(target: Path, content: bytes) -> None:
    """Write a small file so that it is complete and on disk, or as it was before."""
    with writing(target) as file:
        file.write(content)


def move_aside(path: Path, folder: Path) -> None:
    """Move a damaged file or directory into a folder, under its name and the time, for a person to look at."""
    make_folder(folder)
    moment = datetime.now(UTC).strftime("%Y-%m-%dT%H%M%S.%f")
    with suppress(FileNotFoundError):
        path.rename(folder / f"{moment}-{path.name}")
        sync_folder(path.parent)


def sync_changes(folder: Path, since_ns: int) -> int:
    """Sync every file below a folder that was written since, and the folders that hold one; return the number of files.

    For libraries that write files themselves and sync none.

    Args:
        folder: where the library writes.
        since_ns: when it began, nanoseconds since the epoch by this machine's clock.
    """
    paths = list(_changed(folder, since_ns - CLOCK_STEP_NS))
    synced = sum(path.is_file() for path in paths)
    if len(paths) < MANY:
        for path in paths:
            _sync_if_there(path)
    else:  # the disk writes several at once
        with ThreadPoolExecutor(16) as threads:
            list(threads.map(_sync_if_there, paths))
    return synced


def _sync_if_there(path: Path) -> None:
    with suppress(FileNotFoundError):  # replaced in the meantime
        _sync(path)


def _changed(folder: Path, since_ns: int) -> Iterable[Path]:
    for place, _, names in os.walk(folder):
        for path in (*(Path(place, name) for name in names), Path(place)):
            try:
                changed = path.stat().st_mtime_ns
            except FileNotFoundError:
                continue
            if changed >= since_ns:
                yield path


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
