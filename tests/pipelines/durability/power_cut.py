"""A simulated power cut: what was not synced when the power went is gone.

While the block runs, every `os.fsync` is recorded: of a file its inode and size, of a directory its names. Afterwards
each file of the users' data and of the inbox that was written in the block is emptied if its bytes were not synced, and
removed if its name was not. SQLite syncs by itself: a database with `synchronous` FULL stays, the log of one with
NORMAL is cut to what Brain synced of it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from stat import S_ISDIR
from typing import Any

FULL = ("landing.sqlite",)  # databases that sync every commit


class PowerLostError(BaseException):
    """The power has gone. No `except Exception` may continue after it."""


@dataclass
class Disk:
    """What is on the disk for certain."""

    after: int | None = None  # the power goes at this call of fsync; None: it stays
    calls: int = 0
    sizes: dict[int, int] = field(default_factory=dict)  # inode -> bytes synced
    names: dict[int, set[str]] = field(default_factory=dict)  # inode of a directory -> names synced

    def fsync(self, descriptor: Any) -> None:
        """Record what a sync makes durable, or lose the power instead."""
        self.calls += 1
        if self.after is not None and self.calls > self.after:
            raise PowerLostError
        stat = os.fstat(descriptor)
        if S_ISDIR(stat.st_mode):
            self.names.setdefault(stat.st_ino, set()).update(os.listdir(descriptor))
        else:
            self.sizes[stat.st_ino] = stat.st_size


@contextmanager
def power_cut(home: Path, *, after: int | None = None) -> Iterator[Disk]:
    """Run the block, then lose everything below `home` that it wrote and did not sync.

    Args:
        home: the home of Brain.
        after: lose the power at this call of fsync, within the block.
    """
    before = {path: path.stat() for path in home.rglob("*")}
    disk, real = Disk(after), os.fsync
    os.fsync = disk.fsync
    try:
        yield disk
    except PowerLostError:
        pass
    finally:
        os.fsync = real
    lose(home, disk, before)


def lose(home: Path, disk: Disk, before: dict[Path, os.stat_result]) -> None:
    """Empty and remove what is not on the disk."""
    folders = [home / "users", home / "inbox"]
    paths = [path for folder in folders if folder.is_dir() for path in folder.rglob("*")]
    for path in sorted(paths, reverse=True):  # children before their directory
        known, now = before.get(path), path.lstat()
        is_new = known is None or known.st_ino != now.st_ino
        if path.name.endswith((".lock", "-shm", "suspect")):
            path.unlink()
        elif ".sqlite" in path.name:
            if path.name.endswith("-wal") and not path.name.startswith(FULL):
                os.truncate(path, min(now.st_size, disk.sizes.get(now.st_ino, 0 if is_new else now.st_size)))
        elif is_new and path.name not in disk.names.get(path.parent.stat().st_ino, set()):
            path.rmdir() if path.is_dir() and not any(path.iterdir()) else path.is_dir() or path.unlink()
        elif path.is_file() and (is_new or known is None or known.st_mtime_ns != now.st_mtime_ns):
            os.truncate(path, now.st_size if disk.sizes.get(now.st_ino) == now.st_size else 0)
