"""Folder connector: copies new and changed files of a directory into an inbox. It never writes to the directory."""

import os
import stat
import time
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from brain_pipelines.connectors.connector import ConnectorError, PollRun
from brain_pipelines.connectors.delivery import TooLargeError, safe_name, target_of, write_into_inbox
from brain_retrieval.settings.connectors import FolderSettings

READ_BYTES = 1 << 20


def poll(run: PollRun, name: str, settings: FolderSettings) -> None:
    """Copy files that are new or changed since the last poll.

    Raises:
        ConnectorError: the directory is missing, or overlaps Brain's home.
    """
    root = settings.path.expanduser()
    check_outside(root, run.space.home)
    if not root.is_dir():
        raise ConnectorError(f"folder {name}: the directory is not there (or not mounted)")
    known: dict[str, list[int]] = run.state.setdefault("files", {})
    present: set[str] = set()
    files = sorted(_files(root, settings), key=lambda pair: (pair[1].st_mtime_ns, pair[0]))
    for relative, seen in files:
        present.add(relative)
        if known.get(relative) == [seen.st_size, seen.st_mtime_ns]:
            continue
        if time.time() - seen.st_mtime < settings.settle_seconds and seen.st_mtime <= time.time():
            run.waiting += 1
        elif not run.time_is_up():
            _take(run, name, settings, root, relative, seen)
    if not run.more:
        _forget(run, name, settings, present)


def check_outside(root: Path, home: Path) -> None:
    """Refuse a directory inside Brain's home or containing it, because copies would be found and copied again.

    Raises:
        ConnectorError: if the two overlap.
    """
    real, own = Path(os.path.realpath(root)), Path(os.path.realpath(home))
    if real.is_relative_to(own) or own.is_relative_to(real):
        raise ConnectorError("it leads into Brain's own home")


def _files(root: Path, settings: FolderSettings) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the matching regular files below `root`; links are not followed, because they could point anywhere."""
    stack = [root]
    while stack:
        with os.scandir(stack.pop()) as entries:
            for entry in entries:
                relative = Path(entry.path).relative_to(root).as_posix()
                if entry.is_dir(follow_symlinks=False):
                    if settings.recursive and not entry.name.startswith("."):
                        stack.append(Path(entry.path))
                elif entry.is_file(follow_symlinks=False) and wanted(relative, settings.pattern, settings.suffixes):
                    try:
                        yield relative, entry.stat(follow_symlinks=False)
                    except FileNotFoundError:  # deleted since it was listed
                        continue


def wanted(relative: str, pattern: str, suffixes: tuple[str, ...]) -> bool:
    """Return whether a path matches the pattern and, if there are suffixes, one of them."""
    ends = not suffixes or relative.lower().endswith(tuple(suffix.lower() for suffix in suffixes))
    return ends and fnmatch(relative, pattern) and safe_name(relative) is not None


def _take(run: PollRun, name: str, settings: FolderSettings, root: Path, relative: str, seen: os.stat_result) -> None:
    target = f"{name}/{safe_name(relative)}"
    try:
        chunks = _chunks(root / relative, seen)
        write_into_inbox(run.space, settings.source, target, chunks, most=run.max_bytes, mtime=seen.st_mtime_ns / 1e9)
    except _ChangedError:
        run.waiting += 1
        return
    except (TooLargeError, ValueError) as error:
        run.add_failure(f"{relative}: {error}")
    except OSError as error:
        run.add_failure(f"{relative}: {error.strerror}")
        return
    else:
        run.count_taken()
    run.state["files"][relative] = [seen.st_size, seen.st_mtime_ns]


class _ChangedError(Exception):
    """The file was modified or replaced while it was being read."""


def _chunks(path: Path, seen: os.stat_result) -> Iterator[bytes]:
    try:
        # O_NONBLOCK: opening a named pipe that replaced the file must not block
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        raise _ChangedError from None
    with os.fdopen(handle, "rb") as file:
        opened = os.fstat(handle)
        if not stat.S_ISREG(opened.st_mode) or opened.st_ino != seen.st_ino:
            raise _ChangedError
        while chunk := file.read(READ_BYTES):
            yield chunk
        done = os.fstat(handle)
        if (done.st_size, done.st_mtime_ns) != (seen.st_size, seen.st_mtime_ns):
            raise _ChangedError


def _forget(run: PollRun, name: str, settings: FolderSettings, present: set[str]) -> None:
    """Drop deleted files from the state, and delete their copies if the inbox mirrors the directory."""
    known: dict[str, list[int]] = run.state["files"]
    gone = sorted(known.keys() - present)
    if gone and not present and settings.mirror:
        run.add_failure("the directory is empty now: nothing is removed, it may not be mounted")
        return
    for relative in gone:
        if settings.mirror:
            target_of(run.space, settings.source, f"{name}/{safe_name(relative)}").unlink(missing_ok=True)
            run.removed += 1
        del known[relative]
