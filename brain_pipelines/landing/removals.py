"""Deletion of landed files: which missing files count as deleted, and what can be restored until it is purged.

waiting   files missing from the inbox in such numbers that an accident is more likely than a decision
removed   deleted files, with what landing them again needs; their bytes stay in the blobs until they are purged
"""

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from urllib.parse import unquote

from brain_pipelines.landing.inbox import FileState, source_of, to_path, to_uri
from brain_pipelines.landing.landing_store import LandingStore
from brain_pipelines.landing.raw_files import RawFiles
from brain_pipelines.landing.tombstones import of_file, of_item
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_retrieval.home import Space
from brain_retrieval.ids import combined_hash, content_id
from brain_retrieval.settings import DeletionSettings

TABLES = """
CREATE TABLE IF NOT EXISTS waiting(uri TEXT PRIMARY KEY, since TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS removed(
  uri TEXT PRIMARY KEY, root TEXT NOT NULL, removed_at TEXT NOT NULL, scanned INTEGER NOT NULL, sha256 TEXT NOT NULL,
  blobs TEXT NOT NULL, mtime_ns INTEGER NOT NULL, event_time TEXT, policy TEXT NOT NULL) WITHOUT ROWID;
"""
TOGETHER = timedelta(days=1)  # deletions within this time count as one: a scan may see the middle of a large one
YOUNG_SECONDS = 86_400.0  # a blob that was just written may belong to a file that is being landed
_REMOVED = "uri, root, removed_at, sha256, mtime_ns, event_time, policy"


@dataclass(frozen=True)
class Removed:
    """A deleted file that can be restored while its bytes are kept. `root` is the file it was deleted with."""

    uri: str
    root: str
    removed_at: str
    sha256: str
    mtime_ns: int
    event_time: str | None
    policy: str


class Removals(LandingStore):
    """The deletions of one user, in the same database file as the landed items."""

    def __init__(self, space: Space, first_day: date, raw: RawFiles, deletion: DeletionSettings) -> None:
        super().__init__(space, first_day)
        self.raw, self.deletion = raw, deletion

    def _create_tables(self, connection: sqlite3.Connection) -> None:
        super()._create_tables(connection)
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'removed'").fetchone():
            connection.executescript(f"BEGIN IMMEDIATE; {TABLES}; COMMIT;")

    def deletions_due(self, missing: Collection[str], *, empty: bool, now: datetime) -> list[str]:
        """Return the missing files to delete now; if they are many, they wait for a confirmation or their time.

        Args:
            missing: uris of landed files that are not in the inbox.
            empty: nothing at all is in the inbox, not even a folder, as where a disk is not mounted; then all wait.
        """
        before = self.waiting()
        recent = self._recently_removed(now)
        count = len(missing) + recent
        many = count >= self.deletion.at_least and count > self.deletion.share * (self.size()["files"] + recent)
        limit = (now - timedelta(days=self.deletion.confirm_days)).isoformat()
        due = [uri for uri in missing if uri not in before] if not (many or empty) else []
        due += [] if empty else [uri for uri in missing if uri in before and before[uri] <= limit]
        left = set(missing).difference(due)
        if left != set(before):
            with self.transaction() as connection:
                connection.executemany("DELETE FROM waiting WHERE uri = ?", [(uri,) for uri in set(before) - left])
                rows = [(uri, now.isoformat()) for uri in sorted(left)]
                connection.executemany("INSERT OR IGNORE INTO waiting VALUES (?, ?)", rows)
        return sorted(due)

    def waiting(self) -> dict[str, str]:
        """Return the files that are missing from the inbox and not deleted yet: uri -> time since when."""
        return dict(self.rows("SELECT uri, since FROM waiting ORDER BY uri"))

    def removed(self) -> list[Removed]:
        """Return the deleted files whose bytes are kept, ordered by uri."""
        return [Removed(*row) for row in self.rows(f"SELECT {_REMOVED} FROM removed ORDER BY uri")]

    def remove(self, uri: str, *, scanned: bool = False, now: datetime | None = None) -> set[str]:
        """Record that an inbox file was deleted, with the files of its children; the next run deletes their rows.

        Args:
            scanned: found missing by a scan of the inbox; a person has not named it.
            now: current time, for tests.

        Returns:
            The days that became dirty, over all sources.
        """
        days: set[str] = set()
        at = (now or datetime.now(UTC)).isoformat()
        with self.transaction() as connection:
            for one in self._family(uri):
                name = source_of(one)
                source = SOURCES_BY_NAME.get(name)
                before = self._days_of(one)
                self._keep_record(connection, one, uri, at, scanned=scanned)
                connection.execute("DELETE FROM item WHERE file = ?", (one,))
                for table in ("delivery", "released", "waiting"):
                    connection.execute(f"DELETE FROM {table} WHERE uri = ?", (one,))
                days |= self._mark_changed(connection, source.name if source else name, before, {})
                if one != uri:  # a child file left in the inbox would be landed again
                    to_path(self.space.inbox, one).unlink(missing_ok=True)
        return days

    def find_deleted(self, named: str) -> list[Removed]:
        """Return the deleted files that are meant by a uri, a path below the inbox or a source id, with their children.

        Files that wait for the confirmation of their deletion are among them; [] if there is none.
        """
        rows = [*self.removed(), *self._waiting_files()]
        path = named.removeprefix("inbox:").partition("#")[0]
        uris = {f"inbox:{path}", to_uri(Path(unquote(path))), to_uri(Path(path))} if path else set()
        ids = {one.uri for one in rows if named == self.whole_id(one.uri)}
        ids |= {file for (file,) in self.rows("SELECT file FROM item WHERE source_id = ?", (named,))}
        roots = {one.root for one in rows if one.uri in uris | ids}
        return [one for one in rows if one.root in roots]

    def purge_removed(self, before: datetime) -> int:
        """Delete the bytes of files that were deleted before a moment, and with them what could be restored.

        Bytes that another item holds stay. Returns how many files can no longer be restored.
        """
        with self.transaction() as connection:
            sql = "SELECT uri, blobs FROM removed WHERE removed_at < ?"
            gone = connection.execute(sql, (before.astimezone(UTC).isoformat(),)).fetchall()
            self._drop_removed(connection, gone)
        return len(gone)

    def purge(self, uris: Iterable[str]) -> int:
        """Delete at once what is kept of deleted files; return how many there were."""
        wanted = set(uris)
        with self.transaction() as connection:
            rows = connection.execute("SELECT uri, blobs FROM removed").fetchall()
            gone = [row for row in rows if row[0] in wanted]
            self._drop_removed(connection, gone, young_seconds=0)
        return len(gone)

    def fit_to_inbox(self, files: Iterable[tuple[FileState, str]]) -> None:
        """Take the times of copied inbox files for those that were landed, so that a scan does not read them again.

        Args:
            files: each file as it is now, and the sha256 of its bytes.
        """
        sql = "UPDATE delivery SET size = ?, mtime_ns = ?, ctime_ns = ? WHERE uri = ? AND sha256 = ?"
        rows = [(one.size, one.mtime_ns, one.ctime_ns, one.uri, sha256) for one, sha256 in files]
        with self.transaction() as connection:
            connection.executemany(sql, rows)
            connection.execute("UPDATE dirty SET batch = NULL, queued_at = NULL")

    def forget_buried(self, stones: Mapping[str, str]) -> int:
        """Keep what was forgotten away from a record that was restored: its items go, its tombstones come.

        Args:
            stones: tombstones of this record and of later ones, digest -> time.

        Returns:
            How many items were removed.
        """
        if not stones:
            return 0
        with self.transaction() as connection:
            connection.executemany("INSERT OR IGNORE INTO tombstone VALUES (?, ?)", sorted(stones.items()))
            rows = connection.execute("SELECT source_id, digest, file FROM item").fetchall()
            found = [row for row in rows if stones.keys() & set(of_item(*row[:2]))]
            for source_id, digest, file in found:
                connection.execute("DELETE FROM item WHERE source_id = ?", (source_id,))
                connection.execute("DELETE FROM received WHERE digest = ?", (digest,))
                sql = "DELETE FROM delivery WHERE uri = ?1 AND NOT EXISTS (SELECT 1 FROM item WHERE file = ?1)"
                connection.execute(sql, (file,))
        with self.transaction() as connection:  # what was deleted before it was forgotten
            rows = connection.execute("SELECT uri, blobs FROM removed").fetchall()
            gone = [row for row in rows if self._is_buried(row[0], json.loads(row[1]), stones)]
            self._drop_removed(connection, gone, young_seconds=0)
        return len(found)

    def _is_buried(self, uri: str, blobs: Iterable[str], stones: Mapping[str, str]) -> bool:
        return bool(stones.keys() & {*map(of_file, blobs), of_item(self.whole_id(uri), "")[0]})

    def _drop_removed(
        self, connection: sqlite3.Connection, gone: list[tuple[str, str]], young_seconds: float = YOUNG_SECONDS
    ) -> None:
        """Delete rows of deleted files and the blobs that nothing else holds; a landing waits for the transaction."""
        connection.executemany("DELETE FROM removed WHERE uri = ?", [(uri,) for uri, _ in gone])
        held = {one for (one,) in connection.execute("SELECT sha256 FROM item UNION SELECT sha256 FROM delivery")}
        for (blobs,) in connection.execute("SELECT blobs FROM removed"):
            held |= set(json.loads(blobs))
        for _, blobs in gone:
            for sha256 in set(json.loads(blobs)) - held:
                self.raw.purge(sha256, young_seconds=young_seconds)

    def _recently_removed(self, now: datetime) -> int:
        sql = "SELECT count(*) FROM removed WHERE scanned AND removed_at BETWEEN ? AND ?"
        return self.rows(sql, ((now - TOGETHER).isoformat(), now.isoformat()))[0][0]

    def _keep_record(self, connection: sqlite3.Connection, uri: str, root: str, at: str, *, scanned: bool) -> None:
        sql = "SELECT sha256, mtime_ns, event_time, policy FROM delivery WHERE uri = ? AND sha256 != ''"
        for sha256, mtime_ns, event_time, policy in connection.execute(sql, (uri,)).fetchall():
            blobs = json.dumps(sorted({sha256, *(item.sha256 for item in self.items_of(uri))}))
            row = (uri, root, at, int(scanned), sha256, blobs, mtime_ns, event_time, policy)
            connection.execute("INSERT OR REPLACE INTO removed VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    def _waiting_files(self) -> list[Removed]:
        sql = "SELECT uri, uri, since, sha256, mtime_ns, event_time, policy FROM waiting JOIN delivery USING (uri)"
        return [Removed(*row) for row in self.rows(f"{sql} WHERE sha256 != '' ORDER BY uri")]

    def whole_id(self, uri: str) -> str:
        """Return the id of the item that is a file as a whole."""
        known = SOURCES_BY_NAME.get(source_of(uri))
        return content_id("source", self.user, known.name if known else source_of(uri), uri)

    def _family(self, uri: str) -> list[str]:
        """Return a file and, recursively, the files that hold children of its items."""
        sql = "SELECT DISTINCT file FROM item WHERE parent_id IN (SELECT source_id FROM item WHERE file = ?)"
        found, queue = [uri], [uri]
        while queue:
            for (child,) in self.rows(sql, (queue.pop(),)):
                if child not in found:
                    found.append(child)
                    queue.append(child)
        return found

    def _days_of(self, uri: str) -> dict[str, str]:
        """Return {clamped day: hash of this file's items on that day}."""
        rows = self.rows("SELECT source_id, max(event_day, ?) FROM item WHERE file = ?", (self.first_day, uri))
        hashes = {item.source_id: item.hash for item in self.items_of(uri)}
        by_day: dict[str, list[str]] = {}
        for source_id, day in rows:
            by_day.setdefault(day, []).append(hashes[source_id])
        return {day: combined_hash(members) for day, members in by_day.items()}

    def _mark_changed(
        self, connection: sqlite3.Connection, source: str, before: dict[str, str], after: dict[str, str]
    ) -> set[str]:
        changed = {day for day in before.keys() | after.keys() if before.get(day) != after.get(day)}
        self.mark(connection, source, {day: self.content(source, day) for day in changed})
        return changed
