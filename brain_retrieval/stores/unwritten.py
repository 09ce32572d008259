"""Reading a SQLite file of a home that is mounted read-only: without locks, log or index of it being written.

A file whose log is empty is opened as it is. Of one with a log that could not be merged, file and log are copied to a
temporary directory: SQLite needs to write beside the log before it can read it.
"""

import os
import shutil
import sqlite3
import tempfile
import weakref
from pathlib import Path
from urllib.parse import quote


def is_read_only(folder: Path) -> bool:
    """Return whether a folder lies on a file system that is mounted read-only."""
    try:
        return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except OSError:
        return False


def open_unwritten(path: Path) -> sqlite3.Connection:
    """Return a connection that only reads; a write raises `sqlite3.OperationalError`.

    Raises:
        sqlite3.Error: if the file cannot be read.
    """
    try:
        return _connected(path, "mode=ro")  # as long as another machine has it open, the index of the log is there
    except sqlite3.OperationalError:
        log = path.with_name(f"{path.name}-wal")
        if not log.is_file() or not log.stat().st_size:
            return _connected(path, "mode=ro&immutable=1")
        return _of_copy(path, log)


def _of_copy(path: Path, log: Path) -> sqlite3.Connection:
    folder = tempfile.mkdtemp(prefix="brain-reading-")
    try:
        copy = Path(shutil.copy(path, folder))
        shutil.copy(log, folder)
        connection = _connected(copy, "mode=rw")
        connection.execute("PRAGMA query_only=1")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(connection, shutil.rmtree, folder, ignore_errors=True)
    return connection


class _Connection(sqlite3.Connection):
    """A connection to which weak references can be made."""


def _connected(path: Path, options: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?{options}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        factory=_Connection,
    )
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection
