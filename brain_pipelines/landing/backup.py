"""Backups of the databases of a user that cannot be computed again, each whole and checked by its hash.

users/<user>/backups/<time>/landing.sqlite    what was received and when
                            access.sqlite     what was recalled when
                            requests.sqlite   which team sources were requested
                            trust.jsonl       what was decided about trust
                            manifest.json     hashes, and what the landing record held

A database that has not changed since the last backup is a hard link to that copy.
"""

import json
import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from brain_pipelines.landing.blobs import sha256_of
from brain_retrieval.home import Space
from brain_retrieval.stores import trust_book
from brain_retrieval.stores.durable import make_folder, move_aside, sync_file, sync_folder, write_bytes, writing
from brain_retrieval.stores.sqlite import BUSY_SECONDS

MANIFEST = "manifest.json"
LANDING = "landing.sqlite"
TRUST = trust_book.FILE
LOGS = ("access.sqlite", "requests.sqlite")


@dataclass(frozen=True)
class Backup:
    """One backup. `files` maps the name of each database to the sha256 of its copy."""

    folder: Path
    made_at: str  # UTC, ISO 8601
    items: int
    newest: str  # when the newest item was received, "" if there is none
    files: dict[str, str]

    def is_sound(self, name: str = LANDING) -> bool:
        """Return whether the copy of a database exists and is the one that was made."""
        try:
            return name in self.files and sha256_of(self.folder / name) == self.files[name]
        except OSError:
            return False

    def to_json(self) -> dict[str, Any]:
        sizes = {name: (self.folder / name).stat().st_size for name in self.files if (self.folder / name).is_file()}
        return {**asdict(self), "folder": str(self.folder), "bytes": sizes, "sound": self.is_sound()}


def databases(space: Space) -> dict[str, Path]:
    """Return the databases of a user that cannot be computed again, and the record of trust, by name."""
    own = {LANDING: space.landing, TRUST: space.landing.parent / TRUST}
    own |= {name: space.root / name for name in LOGS}
    return {name: path for name, path in own.items() if path.is_file()}


def back_up(space: Space, *, kept: int, now: datetime | None = None) -> Backup | None:
    """Copy the databases of a user and remove backups beyond the newest `kept`; None if there is nothing to copy.

    Raises:
        sqlite3.DatabaseError: a database is damaged; earlier backups stay as they are.
    """
    found = databases(space)
    if LANDING not in found:
        return None
    moment = (now or datetime.now(UTC)).astimezone(UTC)
    last = next(iter(backups(space)), None)
    make_folder(space.backups)
    draft = space.backups / f".{os.urandom(8).hex()}"
    make_folder(draft)
    try:
        files: dict[str, str] = {}
        for name, path in found.items():
            if name == TRUST:
                write_bytes(draft / name, path.read_bytes())
            else:
                copy_database(path, draft / name)
            files[name] = sha256_of(draft / name)
            if last is not None and last.files.get(name) == files[name] and last.is_sound(name):
                (draft / name).unlink()
                os.link(last.folder / name, draft / name)
        items, newest = _holds(draft / LANDING)
        made = Backup(space.backups / moment.strftime("%Y-%m-%dT%H%M%S.%fZ"), moment.isoformat(), items, newest, files)
        content = {name: value for name, value in asdict(made).items() if name != "folder"}
        write_bytes(draft / MANIFEST, json.dumps(content, sort_keys=True).encode())
        draft.rename(made.folder)
        sync_folder(space.backups)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    for old in backups(space)[kept:]:
        shutil.rmtree(old.folder)
    return made


def backups(space: Space) -> list[Backup]:
    """Return the backups of a user, newest first; a folder without a readable manifest is left out."""
    found = []
    for path in space.backups.glob(f"*/{MANIFEST}"):
        if path.parent.name.startswith("."):
            continue
        try:
            found.append(Backup(path.parent, **json.loads(path.read_bytes())))
        except (OSError, ValueError, TypeError):
            continue
    return sorted(found, key=lambda one: one.made_at, reverse=True)


def newest_sound(space: Space, name: str = LANDING) -> Backup | None:
    """Return the newest backup whose copy of a database is as it was made."""
    return next((one for one in backups(space) if one.is_sound(name)), None)


def damaged_logs(space: Space) -> list[str]:
    """Return which of the logs that readers write SQLite finds damaged."""
    found = []
    for name, path in databases(space).items():
        if name in LOGS:
            with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
                try:
                    sound = connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
                except sqlite3.OperationalError:  # locked or out of reach: no damage
                    sound = True
                except sqlite3.DatabaseError:
                    sound = False
            found += [] if sound else [name]
    return found


def put_back(space: Space, backup: Backup, name: str = LANDING) -> None:
    """Replace a database by its copy; what is there now is moved to `damaged/`. Needs the writer lock."""
    target = space.landing.parent / name if name in (LANDING, TRUST) else space.root / name
    set_aside(space, target)
    with (backup.folder / name).open("rb") as origin, writing(target) as copy:
        shutil.copyfileobj(origin, copy)


def set_aside(space: Space, target: Path) -> None:
    """Move a database with its logs to `damaged/`."""
    for path in sorted(target.parent.glob(f"{target.name}*")):
        move_aside(path, space.damaged)


def drop_backups(space: Space) -> int:
    """Remove every backup, for what must not be kept in any; return how many."""
    found = backups(space)
    shutil.rmtree(space.backups, ignore_errors=True)
    return len(found)


def copy_database(path: Path, target: Path, *, durable: bool = True) -> None:
    """Copy a database that may be in use, as of one moment, into a new file without a log, and check it.

    Args:
        durable: wait until the copy is on disk; not needed of one that is read and removed at once.

    Raises:
        sqlite3.DatabaseError: if SQLite finds it damaged.
    """
    uri = f"{path.absolute().as_uri()}?mode=ro"
    with (
        closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)) as source,
        closing(sqlite3.connect(target, isolation_level=None)) as copy,
    ):
        copy.execute("PRAGMA synchronous=OFF")  # the whole file is synced at the end
        source.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
        if (said := copy.execute("PRAGMA quick_check(1)").fetchone()) != ("ok",):
            raise sqlite3.DatabaseError(f"{path} is damaged: {said}")
    target.chmod(0o600)
    if durable:
        sync_file(target)


def tombstones_of(path: Path) -> dict[str, str]:
    """Return the tombstones in a landing record, digest -> time; {} if it has none or cannot be read."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            return dict(connection.execute("SELECT digest, at FROM tombstone"))
    except sqlite3.DatabaseError:
        return {}


def _holds(path: Path) -> tuple[int, str]:
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        sql = "SELECT (SELECT count(*) FROM item), (SELECT coalesce(max(received_at), '') FROM received)"
        items, newest = connection.execute(sql).fetchone()
    return items, newest
