"""Empty databases of Dagster's SQLite storage: made once in a process, copied for every other run and home.

Making one runs Dagster's table definitions and migration scripts, and so does the check whether one has been made:
an eighth of a second each time. A copy, and a look at the version that a database is stamped with, take a millisecond.
"""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

_made: dict[str, bytes] = {}  # by kind of database
_STAMPED = "SELECT count(*) FROM alembic_version"
_TABLE = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?"


def is_made(path: Path, table: str) -> bool:
    """Return whether a database exists and has its tables: it is stamped with a version and has `table`."""
    if not path.exists():
        return False
    with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(path, timeout=5)) as connection:
        (stamped,) = connection.execute(_STAMPED).fetchone()
        (present,) = connection.execute(_TABLE, [table]).fetchone()
        return bool(stamped and present)
    return False


def copy_empty(path: Path, kind: str, make: Callable[[Path], None]) -> None:
    """Write an empty database to `path`, unless another process makes one there meanwhile.

    Args:
        kind: what the database holds; databases of a kind are alike while they are empty.
        make: makes one at a path and closes it; called for the first of its kind in this process.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=path.parent) as folder:
        new = Path(folder) / path.name
        if kind in _made:
            new.write_bytes(_made[kind])
        else:
            make(new)
            with closing(sqlite3.connect(new)) as connection:
                _made[kind] = connection.serialize()
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with suppress(FileExistsError):
            os.link(new, path)
