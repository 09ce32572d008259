"""A machine's copy of a user: which files it has, of which version, and whether it was left in the middle of work.

The files are those of a backup without the inbox. What a process killed in the middle has written is not believed: the
copy is then compared by hash. A file counts as unchanged by size and times only on the boot that noted them, so that
what a power cut lost is noticed.
"""

import json
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

from brain_pipelines.landing.archive.manifest import DERIVED, TRUTH, USER, Entry
from brain_pipelines.landing.archive.writing import NO_DATABASE
from brain_pipelines.landing.backup import copy_database
from brain_pipelines.landing.blobs import sha256_of
from brain_retrieval.home import Space
from brain_retrieval.stores.sqlite import BUSY_SECONDS

NAME = "copy.json"
# Written in the home only, by searches, connectors and crawls, which take no lock: a worker never replaces them.
_OF_HOME = ("access.sqlite", "requests.sqlite", "claims.sqlite", "crawl.sqlite", "agents/", "connectors/", "receipts/")
OF_HOME = tuple(f"{USER}/{name}" for name in _OF_HOME)
STAMP_NS = 100_000_000  # file systems stamp files with a clock that may lag behind by some milliseconds
Stamp = tuple[int, int, int]


@dataclass
class State:
    """What is known of a copy.

    Args:
        version: of the manifest that the files are of; 0 if there is none.
        manifest: sha256 of the stored manifest.
        clean: the files are those of the manifest; False while they are worked on.
        boot: of the machine, when this was noted.
        files: path -> size, mtime_ns, ctime_ns and sha256 as they were then.
        filled: databases that were filled instead of replaced -> hash of the file as it came to lie here.
        leaving: files that the newest manifest no longer has, and since when (seconds): readers may have them open.
    """

    version: int = 0
    manifest: str = ""
    clean: bool = True
    boot: str = ""
    files: dict[str, tuple[int, int, int, str]] = field(default_factory=dict)
    filled: dict[str, str] = field(default_factory=dict)
    leaving: dict[str, float] = field(default_factory=dict)

    def sha256(self, path: str, place: Path, *, before_ns: int | None = None) -> str | None:
        """Return the hash of a file that has not changed since it was noted, None if that is not certain.

        Args:
            before_ns: files written after this are not certain: two writes may have one time.
        """
        known = self.files.get(path)
        if known is None or self.boot != boot() or has_log(place):
            return None
        stamp = stamp_of(place)
        if stamp != tuple(known[:3]):
            return None
        return known[3] if before_ns is None or stamp[2] < before_ns - STAMP_NS else None


def read_state(space: Space) -> State:
    """Return what is known of the copy; of a damaged record, nothing."""
    try:
        return State(**json.loads((space.root / NAME).read_bytes()))
    except FileNotFoundError:
        return State()
    except (OSError, ValueError, TypeError):
        return State(clean=False)


def store_state(space: Space, state: State) -> None:
    """Store what is known of the copy, in place of what was known. Not synced: another boot believes nothing of it."""
    draft = space.root / f".{NAME}.part"
    draft.write_text(json.dumps(asdict(state)), "utf-8")
    draft.replace(space.root / NAME)


@cache
def boot() -> str:
    """Return what names the current boot of this machine."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return str(int(time.time() - time.monotonic()))


def stamp_of(place: Path) -> Stamp:
    """Return size, mtime_ns and ctime_ns; (-1, 0, 0) of a file that is not there."""
    try:
        found = place.stat()
    except FileNotFoundError:
        return (-1, 0, 0)
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns


def files_of(space: Space) -> Iterator[tuple[str, Path]]:
    """Yield the path in the manifest and the place of every file of a user, but those of the inbox."""
    for name in TRUTH + DERIVED:
        top = space.root / name
        if top.is_file() and not top.is_symlink():
            yield f"{USER}/{name}", top
        for folder, _, names in os.walk(top):
            for one in sorted(names):
                place = Path(folder, one)
                if one.endswith(NO_DATABASE) or one.startswith(".") or place.is_symlink():
                    continue
                yield f"{USER}/{place.relative_to(space.root).as_posix()}", place


def is_of_home(path: str) -> bool:
    """Return whether only the home that answers searches writes a file."""
    return path.startswith(OF_HOME)


def entry_of(path: str, place: Path, scratch: Path) -> tuple[Entry, Path]:
    """Return the entry of a file and where its content can be read: a database is brought into one file first.

    Raises:
        sqlite3.DatabaseError: a database is damaged.
    """
    content = place
    if place.suffix == ".sqlite" and not _settle(place):
        content = scratch / path.replace("/", "-")
        copy_database(place, content, durable=False)
    found = content.stat()
    return Entry(path, found.st_size, found.st_mtime_ns, sha256_of(content)), content


def put(place: Path, draft: Path, *, readers: bool) -> bool:
    """Move a fetched file to its place; a database that readers may have open is filled with it: return True then."""
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if place.suffix == ".sqlite" and place.is_file():
        if readers and _fill(place, draft):
            draft.unlink()
            return True
        for end in ("-wal", "-shm"):  # those of the database that is replaced would be read as those of the new one
            with suppress(FileNotFoundError):
                place.with_name(place.name + end).unlink()
    draft.replace(place)
    return False


def has_log(place: Path) -> bool:
    """Return whether a database has changes beside its file."""
    return place.suffix == ".sqlite" and stamp_of(place.with_name(place.name + "-wal"))[0] > 0


def _settle(place: Path) -> bool:
    """Bring a database into its one file; return False if others use it, so that it has to be copied."""
    if not has_log(place):
        return True
    with closing(sqlite3.connect(place, timeout=1.0)) as connection:
        busy, left, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy and left <= 0


def _fill(place: Path, draft: Path) -> bool:
    """Replace the content of a database in one transaction; return False if it is damaged."""
    try:
        with closing(sqlite3.connect(draft)) as new, closing(sqlite3.connect(place, timeout=BUSY_SECONDS)) as old:
            new.execute("PRAGMA journal_mode=DELETE")
            new.backup(old)
            old.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.DatabaseError:
        return False
    return True
