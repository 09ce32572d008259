"""Tombstones: what was forgotten is not taken again. They hold hashes of uris and contents, no name and no text.

An item is recognised by its uri or by its content. A file with such an item is refused as a whole, because its bytes
would be stored with it; the refusal is listed by `brain status`.
"""

import hashlib
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime

from brain_pipelines.landing.dirty_days import DirtyDays
from brain_pipelines.readers.contract import Item
from brain_retrieval.ids import content_id, stable_hash

TABLE = "CREATE TABLE IF NOT EXISTS tombstone(digest TEXT PRIMARY KEY, at TEXT NOT NULL) WITHOUT ROWID"
REASON = "forgotten on {day}, and not taken again; `brain ingest --even-forgotten` takes it"


def of_item(source_id: str, digest: str) -> list[str]:
    """Return the tombstones of an item: of its uri, and of its content.

    Args:
        digest: as in the landing record: of source type, fragment and content.
    """
    return [content_id("forgotten", "uri", source_id), content_id("forgotten", "content", digest)]


def of_file(sha256: str) -> str:
    """Return the tombstone of the bytes of a file, whatever its name and source type."""
    return content_id("forgotten", "bytes", sha256)


class Tombstones(DirtyDays):
    """The tombstones of one user, in the same database file as the landed items."""

    even_forgotten = False  # take again what was forgotten

    def bury(self, digests: Iterable[str], at: datetime) -> None:
        """Store tombstones; an existing one keeps its time."""
        rows = [(digest, at.isoformat()) for digest in sorted(digests)]
        with self.transaction() as connection:
            connection.executemany("INSERT OR IGNORE INTO tombstone VALUES (?, ?)", rows)

    def refusal_of_forgotten(self, uri: str, source: str, sha256: str, items: Sequence[Item]) -> str:
        """Return why a file must not be taken, "" if nothing in it was forgotten.

        With `even_forgotten` its tombstones are removed instead.
        """
        stored: dict[str, str] = dict(self.rows("SELECT digest, at FROM tombstone"))
        if not stored:
            return ""
        found = {of_file(sha256), *self._digests(uri, source, sha256, items)} & stored.keys()
        if found and self.even_forgotten:
            with self.transaction() as connection:
                connection.executemany("DELETE FROM tombstone WHERE digest = ?", [(digest,) for digest in found])
            return ""
        return REASON.format(day=max(stored[digest] for digest in found)[:10]) if found else ""

    def _digests(self, uri: str, source: str, sha256: str, items: Sequence[Item]) -> Iterable[str]:
        for item in items:
            source_id = content_id("source", self.user, source, f"{uri}#{item.fragment}" if item.fragment else uri)
            blob = sha256 if item.content is None else hashlib.sha256(item.content).hexdigest()
            yield from of_item(source_id, stable_hash([source, item.fragment, item.digest or blob]))
            if item.content is not None:
                yield of_file(blob)

    @staticmethod
    def _add_tombstones(connection: sqlite3.Connection) -> None:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'tombstone'").fetchone():
            connection.execute(TABLE)
