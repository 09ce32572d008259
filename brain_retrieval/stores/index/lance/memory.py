"""`Memory`: which state of an index table is kept in memory, and when it is read.

A table is read when it is searched a second time in the same state, so that one search, or a search after each
write, does not pay for it; one that was kept and is not large is read again at once, as far as it is new. A large one
is read by a thread of its own, while searches go on in LanceDB.
"""

import os
import threading
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Any

from brain_retrieval.stores.index.lance.resident import Resident, Stamp

AT_ONCE = 50_000  # rows of a table that the search itself reads: 0.15 s of CPU
MOST_ROWS = 150_000  # rows of a table that is kept: about 4 kB each
MOST_OF_ALL = 400_000  # rows of all tables that one process keeps
AGAIN = 20_000  # rows of a table that is read again at once after a write: for no more than two queries to LanceDB
KNOWN = 1_500  # rows in memory from which on reading the new ones alone takes less than reading all
SEARCHES = 2  # in the same state before a table is read; one more for a table that a thread reads
NEWEST = (1 << 64) - 1  # LanceDB counts the names of manifests down from here, so that the newest is listed first

_KEPT: weakref.WeakSet[Resident] = weakref.WeakSet()


class Memory:
    """The rows of one table at its newest commit, once they have been read. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: Resident | None = None
        self._stamp: Stamp | None = None
        self._searches = 0
        self._reader: threading.Thread | None = None

    def clear(self) -> None:
        """Forget what is kept."""
        with self._lock:
            self._kept = self._stamp = None

    def current(self, table: Any, folder: Path) -> Resident | None:
        """Return the rows in memory if they are those of the newest commit."""
        kept = self._kept
        return kept if kept is not None and kept.stamp == stamp_of(table, folder) else None

    def searched(self, table: Any, folder: Path) -> Resident | None:
        """Return the rows in memory, as `current`; reads them if it is time for it."""
        stamp = stamp_of(table, folder)
        with self._lock:
            if self._kept is not None and self._kept.stamp == stamp:
                return self._kept
            before, self._kept = self._kept, None
            again = SEARCHES if before is not None and len(before) <= AGAIN else 1
            self._searches = self._searches + 1 if self._stamp == stamp else again
            self._stamp = stamp
            if self._searches < SEARCHES or self._is_reading():
                return None
            rows = table.count_rows()
            if not _has_room(rows):
                return None
            if rows <= AT_ONCE:
                return self._keep(self._read_again(before, table, folder, stamp) or Resident.of(table, stamp))
            if self._searches > SEARCHES:
                self._reader = threading.Thread(target=self._read, args=(table, stamp), name="index reader")
                self._reader.start()
            return None

    @staticmethod
    def _read_again(before: Resident | None, table: Any, folder: Path, stamp: Stamp) -> Resident | None:
        """Return the rows of which most are known; None if they are not, or a commit came in between."""
        if before is None or len(before) < KNOWN:
            return None
        try:
            found = before.renewed(table, stamp)
        except (RuntimeError, OSError, ValueError):  # a row was removed meanwhile; damage shows when all is read
            return None
        return found if found is not None and stamp_of(table, folder) == stamp else None

    def wait(self) -> None:
        """Wait for the thread that reads the table, if there is one."""
        if (reader := self._reader) is not None:
            reader.join()

    def _is_reading(self) -> bool:
        return self._reader is not None and self._reader.is_alive()

    def _read(self, table: Any, stamp: Stamp) -> None:
        with suppress(Exception):  # searches go on in LanceDB, and report what is wrong with the table
            found = Resident.of(table, stamp)
            with self._lock:
                if self._stamp == stamp:
                    self._keep(found)

    def _keep(self, found: Resident) -> Resident:
        self._kept = found
        _KEPT.add(found)
        return found


def stamp_of(table: Any, folder: Path) -> Stamp:
    """Return the state of a table: that of its folder, and the version of its newest commit."""
    state = folder.stat()
    return state.st_ino, state.st_mtime_ns, newest_version(table, folder)


def newest_version(table: Any, folder: Path) -> int:
    """Return the newest version of a table by the names of its manifests.

    `table.version` reads the same directory, but by way of another thread, which a busy process waits milliseconds for.
    """
    try:
        names = [name.removesuffix(".manifest") for name in os.listdir(folder / "_versions")]  # noqa: PTH208 — in each search
    except OSError:
        return table.version
    numbers = [int(name) for name in names if name.isdecimal()]
    counted_down = [NEWEST - number for number in numbers if number > NEWEST >> 1]
    return max(counted_down or numbers, default=0) or table.version


def _has_room(rows: int) -> bool:
    return rows <= MOST_ROWS and rows + sum(len(kept) for kept in list(_KEPT)) <= MOST_OF_ALL
