"""Listing of an inbox, and comparison with the previous scan and the landed files.

Files are not opened, hashed or stored here; `landing.py` does that for the files this module reports as ready.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote

from brain_retrieval.home import USER_PATTERN, Home, Space

# Names that other programs use for files they are still writing; such files are never read.
UNFINISHED_SUFFIXES = (".part", ".tmp", ".crdownload", ".partial")


@dataclass(frozen=True)
class FileState:
    """One inbox file as the file system reports it; times in nanoseconds since the epoch.

    `ctime_ns` reveals an edit that kept size and mtime; a mere change of permissions costs one more hash but no run.
    """

    uri: str
    size: int
    mtime_ns: int
    ctime_ns: int = 0

    @classmethod
    def of(cls, path: Path, inbox: Path, stat: os.stat_result | None = None) -> "FileState":
        """Return the current state of a file below `inbox`."""
        stat = stat or path.stat(follow_symlinks=False)
        return cls(to_uri(path.relative_to(inbox)), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)


@dataclass(frozen=True)
class Changes:
    """Differences between a listing and the landed files, as uris; `waiting` files may still be growing."""

    new: list[FileState] = field(default_factory=list)
    modified: list[FileState] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    waiting: list[FileState] = field(default_factory=list)

    @property
    def ready(self) -> list[FileState]:
        """Return new and modified files, oldest first, so that a time-limited scan is fair."""
        return sorted([*self.new, *self.modified], key=lambda f: (f.mtime_ns, f.uri))


def to_uri(relative: Path) -> str:
    """Return `inbox:<source>/<path>` for a path below the user's inbox, percent-encoded and reversible."""
    return "inbox:" + quote(os.fsencode(relative.as_posix()), safe="/~.-_")


def to_path(inbox: Path, uri: str) -> Path:
    """Return the inbox path of a uri made by `to_uri`, with or without an item fragment.

    Raises:
        ValueError: if the uri is not an inbox uri, or its path leaves the inbox.
    """
    if not uri.startswith("inbox:"):
        raise ValueError("not an inbox uri")
    relative = Path(unquote(uri.removeprefix("inbox:").split("#", 1)[0], errors="surrogateescape"))
    if relative.is_absolute() or ".." in relative.parts:
        raise ValueError("uri leads out of the inbox")
    return inbox / relative


def source_of(uri: str) -> str:
    """Return the source type named by the first directory of a uri ("" for a file outside any source)."""
    head, slash, _ = uri.removeprefix("inbox:").partition("/")
    return unquote(head) if slash else ""


def inbox_users(home: Home) -> list[str]:
    """Return the users with an inbox or a data directory, sorted."""
    named = [p.name for p in home.inbox.iterdir() if p.is_dir()] if home.inbox.is_dir() else []
    names = {*home.users(), *(name for name in named if USER_PATTERN.fullmatch(name))}
    return sorted(name for name in names if not home.space(name).root.is_symlink())


def has_own_inbox(space: Space) -> bool:
    """Return whether a user's inbox is there, and is not a link to data of another user of the same home.

    A missing inbox is an unmounted disk or a fresh home: nothing has been deleted from it. One that is being imported
    is not complete yet.
    """
    if space.arriving.is_dir():
        return False
    if not space.inbox.is_symlink():
        return space.inbox.is_dir()
    target, home = space.inbox.resolve(), space.home.resolve()
    return space.inbox.is_dir() and not any(target.is_relative_to(home / name) for name in ("inbox", "users"))


def list_files(inbox: Path) -> Iterator[FileState]:
    """Yield every regular file below a user's inbox.

    Links are skipped, because they could lead into another user's files; so are hidden and unfinished files.
    """
    stack = [inbox] if inbox.is_dir() else []
    while stack:
        with os.scandir(stack.pop()) as entries:
            for entry in entries:
                if entry.name.startswith(".") or entry.name.lower().endswith(UNFINISHED_SUFFIXES):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    stack.append(Path(entry.path))
                elif entry.is_file(follow_symlinks=False):
                    try:
                        stat = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:  # deleted between listing and stat
                        continue
                    yield FileState.of(Path(entry.path), inbox, stat)


def compare(
    files: Iterable[FileState],
    landed: Mapping[str, FileState],
    seen: Mapping[str, FileState],
    *,
    now_ns: int,
    settle_ns: int,
) -> Changes:
    """Return the changes between `landed` and the current `files`.

    A file is ready if two consecutive scans saw the same size and times, or if its mtime is at least `settle_ns` old;
    until then it may be half written. A clock that runs backwards only delays a file to the second scan.

    Args:
        files: the current listing.
        landed: the state of each file when it was landed, by uri.
        seen: the listing of the previous scan, by uri.
        now_ns: current time, nanoseconds since the epoch.
        settle_ns: age after which one scan is enough, nanoseconds.
    """
    changes = Changes()
    present: set[str] = set()
    for file in files:
        present.add(file.uri)
        before = landed.get(file.uri)
        if before == file:
            continue
        if seen.get(file.uri) != file and now_ns - file.mtime_ns < settle_ns:
            changes.waiting.append(file)
        elif before is None:
            changes.new.append(file)
        else:
            changes.modified.append(file)
    changes.deleted.extend(sorted(uri for uri in landed if uri not in present))
    return changes
