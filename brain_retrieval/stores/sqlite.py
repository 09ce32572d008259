"""One SQLite file in WAL mode, opened lazily, with short transactions. Tables and queries live in the callers."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from brain_retrieval.errors import StoreError, UnusableHomeError, home_error, sqlite_error
from brain_retrieval.stores.durable import make_folder, sync_file
from brain_retrieval.stores.unwritten import is_read_only, open_unwritten

BUSY_SECONDS = 60.0


class Database:
    """A SQLite file shared by threads of this process (one connection, one lock) and by other processes (WAL)."""

    synchronous = "NORMAL"
    busy_seconds = BUSY_SECONDS  # how long to wait for another process
    remedy = "it holds derived data only: move it aside and re-run the partitions of this user"

    damage: type[StoreError] = StoreError  # raised if the file is damaged

    def __init__(self, path: Path, schema: str) -> None:
        self.path = path
        self._schema = schema
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._inode = 0
        self._opened = object()  # another one for each connection

    def state(self) -> tuple[object, int, int]:
        """Return what is equal as long as nothing has been written to the file, by this process or another one.

        It is cheaper than any query of a table, and another one after the file was opened again.
        """
        with self._lock, self._errors():
            connection = self._open()
            version = connection.execute("PRAGMA data_version").fetchone()[0]  # counts what other connections write
            return self._opened, version, connection.total_changes

    def rows(self, sql: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query.

        Raises:
            StoreError: if the file is damaged.
        """
        with self._lock, self._errors():
            return self._open().execute(sql, parameters).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection inside `BEGIN IMMEDIATE`; commit at the end, roll back on any exception.

        Compute rows before entering: every other writer of the file waits for this block.
        """
        with self._lock, self._errors():
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    def checkpoint(self) -> None:
        """Move the write-ahead log into the file, sync it and shorten the log to nothing if no reader needs it."""
        self.rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def sync(self) -> None:
        """Wait until every commit so far is on disk; with `synchronous` NORMAL a commit alone does not.

        Only the write-ahead log is opened: closing a second handle of the file itself would drop SQLite's locks.
        """
        with self._lock, self._errors():
            if (log := self.path.with_name(f"{self.path.name}-wal")).is_file():
                sync_file(log)

    def is_sound(self) -> bool:
        """Return whether SQLite finds no damage in the file; reads all of it."""
        try:
            return self.rows("PRAGMA quick_check(1)") == [("ok",)]
        except UnusableHomeError:
            raise
        except StoreError:
            return False

    def close(self) -> None:
        """Close the connection; the next call opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and not self._connection.in_transaction and self._is_replaced():
            self.close()
        if self._connection is None:
            if self.path.is_file() and is_read_only(self.path.parent):
                self._connection = open_unwritten(self.path)
            else:
                self._connection = self._open_for_writing()
            self._inode = self.path.stat().st_ino
            self._opened = object()
        return self._connection

    def _open_for_writing(self) -> sqlite3.Connection:
        make_folder(self.path.parent)
        wait = self.busy_seconds
        connection = sqlite3.connect(self.path, timeout=wait, isolation_level=None, check_same_thread=False)
        try:
            _enter_wal_mode(connection, wait)
            connection.execute(f"PRAGMA synchronous={self.synchronous}")
            self._create_tables(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _is_replaced(self) -> bool:
        """Return whether a run has moved the file aside as damaged: a reader that has it open would go on with it."""
        try:
            return self.path.stat().st_ino != self._inode
        except FileNotFoundError:
            return True

    def _create_tables(self, connection: sqlite3.Connection) -> None:
        # Check first: BEGIN IMMEDIATE would make a reader wait for a writer. Two processes may both get past this
        # line, so the schema uses IF NOT EXISTS throughout.
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            return
        connection.executescript(f"BEGIN IMMEDIATE; {self._schema}; COMMIT;")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.IntegrityError:
            raise
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
                raise StoreError(
                    f"{self.path} has been locked for {self.busy_seconds:g} s by another process"
                ) from error
            if (unusable := sqlite_error(error, self.path)) is not None:
                raise unusable from error
            raise self.damage(f"{self.path} cannot be read ({error}); {self.remedy}") from error
        except OSError as error:
            if (unusable := home_error(error)) is not None:
                raise unusable from error
            raise


def _enter_wal_mode(connection: sqlite3.Connection, wait: float) -> None:
    # The switch to WAL ignores the busy timeout, so concurrent first openers must retry explicitly.
    deadline = time.monotonic() + wait
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
