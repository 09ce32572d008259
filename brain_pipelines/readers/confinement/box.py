"""The directory that a reader's process works in: the file to read, and room for the pictures and sound it makes.

The process may read nothing else of its user's files. What it leaves is taken over as plain files only, since it may
have been taken over by the file that it read.
"""

import contextlib
import os
import shutil
import stat
import tempfile
from pathlib import Path

from brain_retrieval.errors import BadInputError

OURS = ("blobs", "scratch")  # directories whose files may get a second name; a link changes the time of a file
NAME = "brain-reader-"  # and the id of the process that made it
MOST_BYTES, MOST_FILES = 4 << 30, 20_000  # of what is written for one file


class Box:
    """A private directory with `inside`, which the process can read, and `outside`, which it can write."""

    def __init__(self, root: Path) -> None:
        self.root, self.inside, self.outside = root, root / "in", root / "out"

    @classmethod
    def make(cls, folder: Path) -> "Box":
        """Return a new box in a folder; those of processes that were killed are removed, with the files in them."""
        for left in folder.glob(f"{NAME}*"):
            if _is_abandoned(left):
                shutil.rmtree(left, ignore_errors=True)
        box = cls(Path(tempfile.mkdtemp(prefix=f"{NAME}{os.getpid()}-", dir=folder)))
        box.inside.mkdir()
        box.outside.mkdir()
        return box

    @staticmethod
    def place(path: Path, scratch: Path | None) -> Path:
        """Return the folder in which a box for a file is made: one on its file system, so that links are possible."""
        folder = Path(tempfile.gettempdir())
        device = path.stat().st_dev
        if folder.stat().st_dev != device and scratch is not None and scratch.parent.stat().st_dev == device:
            return scratch.parent
        return folder

    def put(self, path: Path, scratch: Path | None = None) -> Path:
        """Return the path of the file inside: a second name of ours, where the file system allows, else a copy.

        What `scratch` already holds, as the zone of a calendar, is copied to where the reader writes.

        Raises:
            OSError: if the file cannot be read or there is no room for a copy.
        """
        for entry in os.scandir(scratch) if scratch is not None else ():
            if entry.is_file(follow_symlinks=False):
                shutil.copyfile(entry.path, self.outside / entry.name)
        to = self.inside / path.name
        if any(part in OURS for part in path.parts):
            with contextlib.suppress(OSError):  # another file system, or one without links
                os.link(path, to, follow_symlinks=True)
                return to
        shutil.copyfile(path, to)
        return to

    def excess(self) -> str | None:
        """Return what is too much of what was written so far, None if nothing is."""
        size = files = 0
        for folder, _, names in os.walk(self.outside):
            files += len(names)
            if files > MOST_FILES:
                return f"its reader wrote more than {MOST_FILES} files"
            for name in names:
                with contextlib.suppress(OSError):
                    size += os.lstat(f"{folder}/{name}").st_blocks * 512
        return f"its reader wrote more than {MOST_BYTES >> 20} MB" if size > MOST_BYTES else None

    def take(self, scratch: Path | None) -> None:
        """Move what was written to `scratch`; None discards it.

        Raises:
            BadInputError: if something else than a plain file was written.
        """
        for entry in sorted(os.scandir(self.outside), key=lambda e: e.name):
            status = entry.stat(follow_symlinks=False)
            if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
                raise BadInputError("its reader wrote something else than a plain file")
            if scratch is not None:
                shutil.move(entry.path, scratch / entry.name)

    def clear(self) -> None:
        """Remove the file and what was written."""
        for folder in (self.inside, self.outside):
            for entry in os.scandir(folder):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    Path(entry.path).unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the box."""
        shutil.rmtree(self.root, ignore_errors=True)


def _is_abandoned(root: Path) -> bool:
    """Return whether the process that made a box of this user has ended."""
    process = root.name.removeprefix(NAME).partition("-")[0]
    try:
        if not process.isdigit() or root.stat().st_uid != os.getuid():
            return False
        os.kill(int(process), 0)
    except (ProcessLookupError, OverflowError):
        return True
    except OSError:
        return False
    return False
