"""The files of a user as of one moment, without holding up writers for longer than it takes to link them."""

import os
import shutil
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from brain_pipelines.landing.archive.manifest import DERIVED, INBOX, TRUTH, USER, Entry
from brain_pipelines.landing.archive.writing import places_of
from brain_pipelines.landing.inbox import FileState
from brain_retrieval.home import Space
from brain_retrieval.stores.locking import writer_lock

# Below these, files are written once under a new name and never changed, so a second link keeps them as they are.
WRITTEN_ONCE = tuple(f"{USER}/{name}/" for name in ("raw/blobs", "lake", "index", "knowledge"))
LOCK_SECONDS = 3600.0
LANDED = f"{USER}/raw/landing.sqlite"


@dataclass(frozen=True)
class Frozen:
    """The files of a user: path in the archive -> place on disk.

    Args:
        files: below the user's directory; they no longer change.
        inbox: they may change at any time.
        landed: inbox uri -> (size, mtime_ns, ctime_ns, sha256) of what was landed.
        folder: where copies may be written until the end.
        seconds: for how long writers were held up.
    """

    files: Mapping[str, Path]
    inbox: Mapping[str, Path]
    landed: Mapping[str, tuple[int, int, int, str]]
    folder: Path
    seconds: float

    def known(self, path: str, space: Space) -> Entry | None:
        """Return the entry of an inbox file if it is as it was landed, without reading it."""
        place = self.inbox[path]
        try:
            state = FileState.of(place, space.inbox)
        except FileNotFoundError:
            return None
        size, mtime_ns, ctime_ns, sha256 = self.landed.get(state.uri, (-1, 0, 0, ""))
        if (size, mtime_ns, ctime_ns) != (state.size, state.mtime_ns, state.ctime_ns):
            return None
        return Entry(path, size, mtime_ns, sha256)


@contextmanager
def frozen(space: Space, *, derived: bool, moved: bool = False) -> Iterator[Frozen]:
    """Yield the files of a user as of now; a database is copied as of one moment, other files are linked or copied.

    Args:
        derived: with lake, index and snapshots.
        moved: also if the user is marked as moved, for the last backup.

    Raises:
        WriterBusyError: another process has been writing for an hour.
        sqlite3.DatabaseError: a database is damaged.
    """
    folder = space.scratch / f"backup-{os.urandom(8).hex()}"
    try:
        with writer_lock(space, timeout=LOCK_SECONDS, moved=moved):
            began = time.perf_counter()
            folder.mkdir(parents=True, mode=0o700)
            files, inbox = dict[str, Path](), dict[str, Path]()
            for path, place in places_of(space, folder, TRUTH + DERIVED if derived else TRUTH):
                if path.startswith(f"{INBOX}/"):
                    inbox[path] = place
                else:
                    files[path] = _held(path, place, folder, len(files))
        seconds = time.perf_counter() - began
        yield Frozen(files, inbox, _landed(files.get(LANDED)), folder, seconds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _held(path: str, place: Path, folder: Path, number: int) -> Path:
    if place.parent == folder:  # the copy of a database
        return place
    held = folder / str(number)
    if path.startswith(WRITTEN_ONCE):
        try:
            os.link(place, held)
        except OSError:  # a disk without links: it is copied
            shutil.copy2(place, held)
    else:
        shutil.copy2(place, held)
    return held


def _landed(path: Path | None) -> dict[str, tuple[int, int, int, str]]:
    if path is None:
        return {}
    sql = "SELECT uri, size, mtime_ns, ctime_ns, sha256 FROM delivery WHERE reason IS NULL"
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        return {uri: tuple(rest) for uri, *rest in connection.execute(sql)}
