"""Read access to landed files and items and their first receipt times; `landing.py` writes them.

`raw/landing.sqlite` is the only database that cannot be rebuilt from other data.
"""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from brain_pipelines.landing.inbox import FileState
from brain_pipelines.landing.tombstones import Tombstones
from brain_pipelines.readers.event_time import file_name
from brain_pipelines.readers.source_policy import SourcePolicy
from brain_retrieval.errors import DamagedLandingError
from brain_retrieval.home import Space
from brain_retrieval.ids import combined_hash, stable_hash
from brain_retrieval.schemas.names import HELD_BACK
from brain_retrieval.stores.trust_book import TRUSTED, State

TABLES = """
CREATE TABLE IF NOT EXISTS received(digest TEXT PRIMARY KEY, received_at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS delivery(
  uri TEXT PRIMARY KEY, source TEXT NOT NULL, sha256 TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
  ctime_ns INTEGER NOT NULL, event_time TEXT, reason TEXT, policy TEXT NOT NULL DEFAULT '{}') WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS item(
  source_id TEXT PRIMARY KEY, source TEXT NOT NULL, file TEXT NOT NULL, fragment TEXT NOT NULL, sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL, event_at TEXT NOT NULL, event_from TEXT NOT NULL, received_at TEXT NOT NULL,
  event_day TEXT NOT NULL, digest TEXT NOT NULL, name TEXT NOT NULL, parent_id TEXT, meta TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS item_parent ON item(parent_id);
CREATE INDEX IF NOT EXISTS item_day ON item(source, event_day);
CREATE INDEX IF NOT EXISTS item_file ON item(file);
CREATE TABLE IF NOT EXISTS seen(
  uri TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS released(uri TEXT PRIMARY KEY) WITHOUT ROWID;
"""
_CALENDAR = "CREATE TABLE IF NOT EXISTS calendar(first_day TEXT NOT NULL)"
_ADD_PARTS = """
BEGIN IMMEDIATE;
ALTER TABLE item ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE item ADD COLUMN parent_id TEXT;
ALTER TABLE item ADD COLUMN meta TEXT NOT NULL DEFAULT '{}';
CREATE INDEX IF NOT EXISTS item_parent ON item(parent_id);
COMMIT;
"""
_ADD_TRUST = """
BEGIN IMMEDIATE;
ALTER TABLE item ADD COLUMN state TEXT NOT NULL DEFAULT '';
COMMIT;
"""
_TRUST = "CREATE TABLE IF NOT EXISTS trust(digest TEXT NOT NULL)"
_ITEM = "source_id, source, file, fragment, sha256, bytes, event_at, event_from, received_at, name, parent_id, meta"
_ITEM += ", state"
NO_POLICY = SourcePolicy()


@dataclass(frozen=True)
class LandedItem:
    """One landed item: the input row of the raw stage. Times are aware UTC; `bytes` is the size of its blob.

    `state` is "pending" or "untrusted" for an item that is held back, "" for one that is trusted.
    """

    source_id: str
    source: str
    file: str  # uri of the file
    fragment: str
    sha256: str
    bytes: int
    event_at: datetime
    event_from: str
    received_at: datetime
    name: str
    parent_id: str | None
    meta: Mapping[str, str]
    state: str = ""

    @property
    def uri(self) -> str:
        """The file's uri, with #fragment if the item is only a part of it."""
        return f"{self.file}#{self.fragment}" if self.fragment else self.file

    @property
    def hash(self) -> str:
        """Hash of everything that the raw stage reads from this item."""
        times = (self.event_at.isoformat(), self.event_from, self.received_at.isoformat())
        held = [self.state] if self.state else []
        return stable_hash([self.source_id, self.sha256, *times, self.name, self.parent_id, dict(self.meta), *held])


class LandingStore(Tombstones):
    """The landing database of one user."""

    damage = DamagedLandingError
    synchronous = "FULL"  # received_at cannot be recovered, so every commit is synced to disk
    remedy = "it is the record of what was received and when: `brain doctor` restores it"

    def __init__(self, space: Space, first_day: date) -> None:
        super().__init__(space.create().landing, space.user, TABLES)
        self.space = space
        self.first_day = first_day.isoformat()

    def _create_tables(self, connection: sqlite3.Connection) -> None:
        super()._create_tables(connection)
        columns = {row[1] for row in connection.execute("PRAGMA table_info(item)")}
        if "meta" not in columns:  # a database from before items could have parents
            connection.executescript(_ADD_PARTS)
        if "policy" not in {row[1] for row in connection.execute("PRAGMA table_info(delivery)")}:
            connection.execute("ALTER TABLE delivery ADD COLUMN policy TEXT NOT NULL DEFAULT '{}'")
        self._add_tombstones(connection)
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'calendar'").fetchone():
            connection.execute(_CALENDAR)
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'trust'").fetchone():
            if "state" not in {row[1] for row in connection.execute("PRAGMA table_info(item)")}:
                connection.executescript(_ADD_TRUST)
            connection.execute(_TRUST)

    def landed(self) -> dict[str, FileState]:
        """Return the state of every landed file when it was landed, by uri."""
        return self._states("delivery")

    def seen(self) -> dict[str, FileState]:
        """Return the files that the previous scan found but did not land, by uri."""
        return self._states("seen")

    def is_landed(self, file: FileState) -> bool:
        """Return whether this version of a file was landed."""
        sql = "SELECT uri, size, mtime_ns, ctime_ns FROM delivery WHERE uri = ? AND reason IS NULL"
        return any(FileState(*row) == file for row in self.rows(sql, (file.uri,)))

    def released(self) -> set[str]:
        """Return the uris of landed files that Brain itself removed from the inbox; they do not count as deleted."""
        return {uri for (uri,) in self.rows("SELECT uri FROM released")}

    def holders(self, sha256: str) -> list[tuple[str, str, str]]:
        """Return (source_id, source, clamped day) of every item stored in a blob."""
        sql = "SELECT source_id, source, max(event_day, ?) FROM item WHERE sha256 = ?"
        return [(source_id, source, day) for source_id, source, day in self.rows(sql, (self.first_day, sha256))]

    def refused(self) -> list[tuple[str, str]]:
        """Return (uri, reason) of refused files."""
        rows = self.rows("SELECT uri, reason FROM delivery WHERE reason IS NOT NULL ORDER BY uri")
        return [(uri, reason) for uri, reason in rows]

    def refusal(self, uri: str) -> str | None:
        """Return why the present version of a file was refused, None if it was not."""
        rows = self.rows("SELECT reason FROM delivery WHERE uri = ?", (uri,))
        return rows[0][0] if rows else None

    def items(self, source: str, day: str) -> list[LandedItem]:
        """Return the items of one partition ordered by id; the first day also holds all older items."""
        if day < self.first_day:
            return []
        compare = "<=" if day == self.first_day else "="
        return self._items(f"source = ? AND event_day {compare} ? ORDER BY source_id", (source, day))

    def items_of(self, file: str) -> list[LandedItem]:
        """Return the items of one file."""
        return self._items("file = ? ORDER BY source_id", (file,))

    def all_items(self) -> list[LandedItem]:
        """Return every landed item, ordered by id."""
        return self._items("1 ORDER BY source_id", ())

    def children_of(self, source_id: str) -> list[LandedItem]:
        """Return the items that name an item as their parent, ordered by id."""
        return self._items("parent_id = ? ORDER BY source_id", (source_id,))

    def held_items(self) -> list[LandedItem]:
        """Return the items that are not trusted, ordered by id."""
        return self._items("state != '' ORDER BY source_id", ())

    def held_counts(self) -> dict[str, int]:
        """Return how many items are pending and untrusted."""
        found = dict(self.rows("SELECT state, count(*) FROM item WHERE state != '' GROUP BY state"))
        return {state: found.get(state, 0) for state in HELD_BACK}

    def state_of(self, source_id: str) -> State:
        """Return whether an item is trusted; one that is not landed is."""
        rows = self.rows("SELECT state FROM item WHERE source_id = ?", (source_id,))
        return rows[0][0] or TRUSTED if rows else TRUSTED

    def partition_of(self, source_id: str) -> str:
        """Return the clamped day of an item."""
        return self.rows("SELECT max(event_day, ?) FROM item WHERE source_id = ?", (self.first_day, source_id))[0][0]

    def received_after(self, moment: datetime) -> list[str]:
        """Return the uris of files with items that were received after a moment: the clock was ahead."""
        sql = "SELECT DISTINCT file FROM item WHERE received_at > ? ORDER BY 1"
        return [uri for (uri,) in self.rows(sql, (moment.astimezone(UTC).isoformat(),))]

    def received_between(self, since: datetime, until: datetime) -> bool:
        """Return whether anything was received from a moment on, before another."""
        values = tuple(moment.astimezone(UTC).isoformat() for moment in (since, until))
        return bool(self.rows("SELECT 1 FROM received WHERE received_at >= ? AND received_at < ? LIMIT 1", values))

    def correct_receipts(self, now: datetime) -> int:
        """Set receipt times that lie in the future, from a clock that was ahead, to `now`; return how many."""
        limit = now.astimezone(UTC).isoformat()
        with self.transaction() as connection:
            sql = "SELECT DISTINCT source, max(event_day, ?) FROM item WHERE received_at > ?"
            days = connection.execute(sql, (self.first_day, limit)).fetchall()
            connection.execute("UPDATE received SET received_at = ?1 WHERE received_at > ?1", (limit,))
            count = connection.execute("UPDATE item SET received_at = ?1 WHERE received_at > ?1", (limit,)).rowcount
            for source, day in days:
                self.mark(connection, source, {day: self.content(source, day)})
        return count

    def read_before(self, uri: str) -> str:
        """Return the sha256 of the version of a file that was landed last, "" if there is none."""
        rows = self.rows("SELECT sha256 FROM delivery WHERE uri = ?", (uri,))
        return rows[0][0] if rows else ""

    def given_time(self, uri: str) -> datetime | None:
        """Return the event time that the sender of a file stated."""
        rows = self.rows("SELECT event_time FROM delivery WHERE uri = ? AND event_time IS NOT NULL", (uri,))
        return datetime.fromisoformat(rows[0][0]) if rows else None

    def given_policy(self, uri: str) -> SourcePolicy:
        """Return the retention and sensitivity that the sender of a file stated."""
        rows = self.rows("SELECT policy FROM delivery WHERE uri = ?", (uri,))
        return SourcePolicy.of(json.loads(rows[0][0])) if rows else NO_POLICY

    def days_of(self, file: str) -> list[tuple[str, str]]:
        """Return (source, clamped day) of the items of one file."""
        sql = "SELECT DISTINCT source, max(event_day, ?) FROM item WHERE file = ? ORDER BY 1, 2"
        return [(source, day) for source, day in self.rows(sql, (self.first_day, file))]

    def days(self, source: str) -> list[str]:
        """Return the days of a source that have items, clamped and sorted."""
        sql = "SELECT DISTINCT max(event_day, ?) FROM item WHERE source = ? ORDER BY 1"
        return [day for (day,) in self.rows(sql, (self.first_day, source))]

    def content(self, source: str, day: str) -> str:
        """Return the hash of a partition's landed items, "" if there are none."""
        items = self.items(source, day)
        return combined_hash(item.hash for item in items) if items else ""

    def bytes_of(self, source: str, start: str, end: str) -> int:
        """Return the bytes of a source's items on the days from `start` to `end`, both inclusive and clamped."""
        sql = "SELECT coalesce(sum(bytes), 0) FROM item WHERE source = ? AND max(event_day, ?) BETWEEN ? AND ?"
        return self.rows(sql, (source, self.first_day, start, end))[0][0]

    def is_blank(self) -> bool:
        """Return whether nothing was ever received: a new user, or a record that was lost."""
        return not self.rows("SELECT 1 FROM received UNION ALL SELECT 1 FROM delivery LIMIT 1")

    def newest_receipt(self) -> str:
        """Return when the newest item was received (ISO 8601, UTC), "" if there is none."""
        return self.rows("SELECT coalesce(max(received_at), '') FROM received")[0][0]

    def size(self) -> dict[str, int]:
        """Return counts for `brain status`: files, items and dirty days."""
        sql = "SELECT (SELECT count(*) FROM delivery WHERE reason IS NULL), (SELECT count(*) FROM item)"
        ((files, items, dirty),) = self.rows(f"{sql}, (SELECT count(*) FROM dirty)")
        return {"files": files, "items": items, "dirty_days": dirty}

    def _states(self, table: str) -> dict[str, FileState]:
        rows = self.rows(f"SELECT uri, size, mtime_ns, ctime_ns FROM {table}")
        return {row[0]: FileState(*row) for row in rows}

    def _items(self, where: str, values: tuple[str, ...]) -> list[LandedItem]:
        return [_landed_item(row) for row in self.rows(f"SELECT {_ITEM} FROM item WHERE {where}", values)]


def _landed_item(row: tuple[Any, ...]) -> LandedItem:
    *head, event_at, event_from, received_at, name, parent_id, meta, state = row
    rest: Any = (datetime.fromisoformat(event_at), event_from, datetime.fromisoformat(received_at))
    rest = (*rest, name or file_name(head[2]), parent_id, json.loads(meta), state)
    return LandedItem(*head, *rest)
