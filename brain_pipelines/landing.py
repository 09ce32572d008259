"""Landing: the one moment when bytes become Brain's. Copies a file into the user's blobs, records when it came
and which items of which day are in it, and marks those days dirty. All else is derived from this record.

Parsing is not done here: a source's `locate` only peeks, with bounded reads, at when its items happened.
"""

import hashlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

from brain_pipelines.inbox import FileState, source_of, to_path
from brain_pipelines.plan import DirtyDay
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.sources.source import Delivery, Item
from brain_retrieval.home import Space
from brain_retrieval.ids import combined_hash, content_id, stable_hash
from brain_retrieval.settings import Limits

_DDL = """
create table if not exists received (digest text primary key, received_at text not null);
create table if not exists delivery (
  uri text primary key, source text not null, sha256 text not null, size integer not null, mtime_ns integer not null,
  ctime_ns integer not null, event_time text, reason text);
create table if not exists item (
  source_id text primary key, source text not null, uri text not null, fragment text not null, sha256 text not null,
  bytes integer not null, digest text not null, event_at text not null, event_from text not null,
  event_day text not null, received_at text not null);
create index if not exists item_day on item (source, event_day);
create index if not exists item_uri on item (uri);
create table if not exists seen (
  uri text primary key, size integer not null, mtime_ns integer not null, ctime_ns integer not null);
create table if not exists dirty (
  source text not null, day text not null, content text not null, batch integer, queued_at text,
  primary key (source, day)) without rowid;
"""
_COPY_BYTES = 1 << 20
# A queued day whose run never came (machine lost, run deleted) is offered again after this long.
REARM_AFTER = timedelta(hours=6)


class FileChangedError(Exception):
    """The file was written to while it was copied; the next look takes it."""


@dataclass(frozen=True)
class LandedItem:
    """One item as landed: the input row of the raw stage. Times are aware UTC datetimes, `bytes` of its blob."""

    source_id: str
    source: str
    uri: str  # with #fragment where the item is a part of its file
    fragment: str
    sha256: str
    bytes: int
    event_at: datetime
    event_from: str
    received_at: datetime


class Landing:
    """The landing record of one user, `raw/landing.sqlite`. Not thread-safe; open one where it is needed."""

    def __init__(self, space: Space, *, first_day: date, zone: tzinfo, limits: Limits) -> None:
        self.space = space.create()
        self._first_day, self._zone, self._limits = first_day.isoformat(), zone, limits
        self._db = sqlite3.connect(space.landing, timeout=60, isolation_level=None)
        self._db.row_factory = sqlite3.Row
        self._db.execute("pragma journal_mode=wal")
        self._db.execute("pragma synchronous=full")  # received_at is the one thing that cannot be derived again
        self._db.executescript(_DDL)

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> "Landing":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        self._db.execute("begin immediate")
        try:
            yield self._db
        except BaseException:
            self._db.execute("rollback")
            raise
        self._db.execute("commit")

    # -- what is known ------------------------------------------------------------------------------------------

    def landed(self) -> dict[str, FileState]:
        """Return the state of every landed file at its landing, by uri."""
        return self._states("delivery")

    def seen(self) -> dict[str, FileState]:
        """Return the files that the previous look found but did not take, by uri."""
        return self._states("seen")

    def _states(self, table: str) -> dict[str, FileState]:
        rows = self._db.execute(f"select uri, size, mtime_ns, ctime_ns from {table}")
        return {row["uri"]: FileState(*row) for row in rows}

    def remember_seen(self, files: Sequence[FileState]) -> None:
        """Replace what `seen` returns at the next look."""
        if {f.uri: f for f in files} == self.seen():
            return
        with self._transaction() as db:
            db.execute("delete from seen")
            db.executemany("insert into seen values (?, ?, ?, ?)", [astuple(f) for f in files])

    def refused(self) -> list[tuple[str, str]]:
        """Return (uri, reason) of files that belong to no source."""
        rows = self._db.execute("select uri, reason from delivery where reason is not null order by uri")
        return [(r["uri"], r["reason"]) for r in rows]

    def items(self, source: str, day: str) -> list[LandedItem]:
        """Return the items of one partition in the order of their ids; the first day also holds all older ones."""
        compare = "<=" if day == self._first_day else "="
        if day < self._first_day:
            return []
        rows = self._db.execute(
            f"select * from item where source = ? and event_day {compare} ? order by source_id", (source, day)
        )
        return [_landed_item(row) for row in rows]

    def days(self, source: str, *, start: str = "", end: str = "9999-12-31") -> list[str]:
        """Return the days of a source that have items, between two ISO days, both inclusive, clamped."""
        rows = self._db.execute(
            "select distinct max(event_day, ?) as day from item where source = ?", (self._first_day, source)
        )
        return sorted(r["day"] for r in rows if start <= r["day"] <= end)

    def content(self, source: str, day: str) -> str:
        """Return the hash of a partition's landed items; "" when there is none."""
        items = self.items(source, day)
        return combined_hash(_item_hash(item) for item in items) if items else ""

    # -- landing ------------------------------------------------------------------------------------------------

    def land(self, file: FileState, *, event_time: datetime | None = None, now: datetime | None = None) -> set[str]:
        """Take one inbox file: copy its bytes, record its items, mark the days that changed.

        Args:
            file: the file as listed.
            event_time: when it happened, if the sender says so; kept for later versions of the same uri.
            now: the time of receipt, for tests.

        Returns:
            The ISO days (clamped) that are dirty because of it.

        Raises:
            FileChangedError: if it was written to meanwhile.
        """
        source = SOURCES_BY_NAME.get(source_of(file.uri))
        if source is None:
            self._refuse(file)
            return set()
        path = to_path(self.space.inbox, file.uri)
        sha256 = self._store_blob(path, file)
        received = now or datetime.now(UTC)
        given = event_time or self._given_time(file.uri)
        mtime = datetime.fromtimestamp(file.mtime_ns / 1e9, UTC)
        delivery = Delivery(
            user=self.space.user,
            uri=file.uri,
            path=self.space.blob(sha256),
            size=file.size,
            mtime=mtime,
            received_at=received,
            event_time=given,
        )
        items = source.locate(delivery, self._zone, self._limits)
        with self._transaction() as db:
            before = self._days_of(file.uri)
            rows = [self._item_row(source.name, file, sha256, item, received) for item in items]
            db.execute("delete from item where uri = ?", (file.uri,))
            db.executemany(f"insert into item values ({','.join('?' * 11)})", rows)
            db.execute(
                "insert or replace into delivery values (?, ?, ?, ?, ?, ?, ?, null)",
                (*_delivery(file, source.name, sha256), given.isoformat() if given else None),
            )
            db.execute("delete from seen where uri = ?", (file.uri,))
            return self._mark_dirty(source.name, before, self._days_of(file.uri))

    def remove(self, uri: str) -> set[str]:
        """Record that an inbox file is gone; its rows leave at the next run of the days returned."""
        with self._transaction() as db:
            before = self._days_of(uri)
            db.execute("delete from item where uri = ?", (uri,))
            db.execute("delete from delivery where uri = ?", (uri,))
            return self._mark_dirty(source_of(uri), before, {})

    def _refuse(self, file: FileState) -> None:
        name = source_of(file.uri)
        known = ", ".join(sorted(SOURCES_BY_NAME))
        reason = f"no source type is named {name!r}; known: {known}" if name else f"not in a source folder ({known})"
        with self._transaction() as db:
            db.execute(
                "insert or replace into delivery values (?, ?, ?, ?, ?, ?, null, ?)",
                (*_delivery(file, name, ""), reason),
            )

    def _given_time(self, uri: str) -> datetime | None:
        row = self._db.execute("select event_time from delivery where uri = ?", (uri,)).fetchone()
        return datetime.fromisoformat(row["event_time"]) if row and row["event_time"] else None

    def _store_blob(self, path: Path, file: FileState) -> str:
        """Copy a file into the blobs while hashing it, and check that nobody wrote to it meanwhile."""
        digest = hashlib.sha256()
        handle, temporary = tempfile.mkstemp(dir=self.space.blobs, prefix=".landing-")
        try:
            # O_NOFOLLOW: the file may have been swapped for a link since it was listed
            source = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
            with os.fdopen(handle, "wb") as target, os.fdopen(source, "rb") as origin:
                while block := origin.read(_COPY_BYTES):
                    digest.update(block)
                    target.write(block)
                stat = os.fstat(origin.fileno())
            if (stat.st_size, stat.st_mtime_ns) != (file.size, file.mtime_ns):
                raise FileChangedError(file.uri)
            blob = self.space.blob(digest.hexdigest())
            blob.parent.mkdir(parents=True, exist_ok=True)
            Path(temporary).replace(blob)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        return digest.hexdigest()

    def _item_row(
        self, source: str, file: FileState, sha256: str, item: Item, received: datetime
    ) -> tuple[str | int, ...]:
        """Return the row of an item, with the receipt time of its first arrival, under whatever name it came."""
        uri = f"{file.uri}#{item.fragment}" if item.fragment else file.uri
        digest = stable_hash([source, item.fragment, item.digest or sha256])
        self._db.execute("insert or ignore into received values (?, ?)", (digest, received.isoformat()))
        first = self._db.execute("select received_at from received where digest = ?", (digest,)).fetchone()
        earlier = self._db.execute(
            "select sha256, bytes from item where uri = ? and fragment = ? and digest = ?",
            (file.uri, item.fragment, digest),
        ).fetchone()
        # An unchanged part of a growing file keeps the blob it came in, so that its day stays as it is.
        blob, size = (earlier["sha256"], earlier["bytes"]) if earlier and item.digest else (sha256, file.size)
        day = min(item.event_at.astimezone(self._zone).date(), received.astimezone(UTC).date())
        return (
            content_id("source", self.space.user, source, uri),
            source,
            file.uri,
            item.fragment,
            blob,
            size,
            digest,
            item.event_at.astimezone(UTC).isoformat(),
            item.event_from,
            day.isoformat(),
            first["received_at"],
        )

    def _days_of(self, uri: str) -> dict[str, str]:
        """Return {clamped day: hash of this file's items on it}."""
        by_day: dict[str, list[str]] = {}
        for row in self._db.execute("select * from item where uri = ?", (uri,)):
            by_day.setdefault(max(row["event_day"], self._first_day), []).append(_item_hash(_landed_item(row)))
        return {day: combined_hash(hashes) for day, hashes in by_day.items()}

    # -- the outbox of dirty days -------------------------------------------------------------------------------

    def _mark_dirty(self, source: str, before: dict[str, str], after: dict[str, str]) -> set[str]:
        changed = {day for day in before.keys() | after.keys() if before.get(day) != after.get(day)}
        rows = [(source, day, self.content(source, day)) for day in sorted(changed)]
        self._db.executemany("insert or replace into dirty values (?, ?, ?, null, null)", rows)
        return changed

    def dirty(self, *, accepted: int | None = None, now: datetime | None = None) -> list[DirtyDay]:
        """Return the days that await a run.

        Args:
            accepted: the last batch Dagster accepted; days of a later batch were lost with their tick and are
                offered again. None returns all days, queued or not.
            now: the present time, for tests.
        """
        where, values = "", []
        if accepted is not None:
            where = "where batch is null or batch > ? or queued_at < ?"
            values = [accepted, ((now or datetime.now(UTC)) - REARM_AFTER).isoformat()]
        rows = self._db.execute(f"select source, day, content from dirty {where} order by source, day", values)
        return [DirtyDay(self.space.user, r["source"], r["day"], r["content"]) for r in rows]

    def queue(self, days: Sequence[DirtyDay], batch: int, *, now: datetime | None = None) -> None:
        """Mark days as requested in `batch`, unless their content has changed again since."""
        queued_at = (now or datetime.now(UTC)).isoformat()
        with self._transaction() as db:
            db.executemany(
                "update dirty set batch = ?, queued_at = ? where source = ? and day = ? and content = ?",
                [(batch, queued_at, d.source, d.day, d.content) for d in days],
            )

    def settle(self, source: str, contents: dict[str, str]) -> None:
        """Clear days whose landed items, as hashed in `contents` by day, are now in the lake."""
        with self._transaction() as db:
            db.executemany(
                "delete from dirty where source = ? and day = ? and content = ?",
                [(source, day, content) for day, content in contents.items()],
            )

    def size(self) -> dict[str, int]:
        """Return counts for `brain status`: files, items, dirty days and bytes of blobs on disk."""
        one = self._db.execute(
            "select (select count(*) from delivery where reason is null), (select count(*) from item),"
            " (select count(*) from dirty)"
        ).fetchone()
        blobs = sum(p.stat().st_size for p in self.space.blobs.rglob("*") if p.is_file())
        return {"files": one[0], "items": one[1], "dirty_days": one[2], "blob_bytes": blobs}


def _delivery(file: FileState, source: str, sha256: str) -> tuple[str, str, str, int, int, int]:
    return (file.uri, source, sha256, file.size, file.mtime_ns, file.ctime_ns)


def _landed_item(row: Any) -> LandedItem:
    uri = f"{row['uri']}#{row['fragment']}" if row["fragment"] else row["uri"]
    return LandedItem(
        source_id=row["source_id"],
        source=row["source"],
        uri=uri,
        fragment=row["fragment"],
        sha256=row["sha256"],
        bytes=row["bytes"],
        event_at=datetime.fromisoformat(row["event_at"]),
        event_from=row["event_from"],
        received_at=datetime.fromisoformat(row["received_at"]),
    )


def _item_hash(item: LandedItem) -> str:
    return stable_hash(
        [item.source_id, item.sha256, item.event_at.isoformat(), item.event_from, item.received_at.isoformat()]
    )


def drop_into_inbox(space: Space, source: str, path: Path, *, name: str | None = None) -> Path:
    """Copy a file into the inbox under a hidden name and rename it into place, so that no look sees half of it."""
    target = space.inbox / source / (name or path.name)
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=".part")
    os.close(handle)
    try:
        shutil.copyfile(path, temporary)
        shutil.copystat(path, temporary)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return target
