"""Empty databases of Dagster's SQLite storage: made once in a process, copied for every other run and home.

Making one runs Dagster's table definitions and migration scripts, and so does the check whether one has been made:
an eighth of a second each time. A copy, and a look at the version that a database is stamped with, take a millisecond.
Of the databases of which each run has one, an empty one stays beside them for later processes.
"""

import hashlib
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from dagster.version import __version__ as dagster_version

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


def copy_empty(path: Path, kind: str, make: Callable[[Path], None], *, keeps: bool = False) -> None:
    """Write an empty database to `path`, unless another process makes one there meanwhile.

    Args:
        kind: what the database holds; databases of a kind are alike while they are empty.
        make: makes one at a path and closes it; called for the first of its kind in this process.
        keeps: keep an empty one in the folder of `path`, and copy the one that an earlier process has kept.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if keeps and kind not in _made and (found := _kept(path.parent, kind)):
        _made[kind] = found
    with TemporaryDirectory(dir=path.parent) as folder:
        new = Path(folder) / path.name
        if kind in _made:
            new.write_bytes(_made[kind])
        else:
            make(new)
            with closing(sqlite3.connect(new)) as connection:
                _made[kind] = connection.serialize()
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            if keeps:
                _keep(path.parent, Path(folder), kind, _made[kind])
        with suppress(FileExistsError):
            os.link(new, path)


def _kept(folder: Path, kind: str) -> bytes | None:
    """Return the empty database that an earlier process has kept; None if there is none of this Dagster, or damaged."""
    for path in folder.glob(_name(kind, "*")):
        with suppress(OSError):
            content = path.read_bytes()
            if path.name == _name(kind, _checksum(content)):
                return content
    return None


def _keep(folder: Path, drafts: Path, kind: str, content: bytes) -> None:
    with suppress(OSError):  # it only saves time
        for old in folder.glob(f".empty-{kind}-*"):
            old.unlink()
        draft = drafts / "kept"
        draft.write_bytes(content)
        draft.replace(folder / _name(kind, _checksum(content)))


def _name(kind: str, checksum: str) -> str:
    return f".empty-{kind}-{dagster_version}-{checksum}"  # Dagster lists *.db


def _checksum(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=10).hexdigest()
