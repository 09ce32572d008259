"""The queue of dirty days: days that await a run, were requested, or were cleared by a run (transactional outbox).

A day is entered in the same transaction as the items that changed it, and removed when a run has stored exactly these
items.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from brain_pipelines.landing.run_planning import DirtyDay
from brain_retrieval.stores.sqlite import Database

# A queued day whose run was lost (machine lost, run deleted) is offered again after this time.
REARM_AFTER = timedelta(hours=6)
TABLES = """
CREATE TABLE IF NOT EXISTS dirty(
  source TEXT, day TEXT, content TEXT NOT NULL, batch INTEGER, queued_at TEXT, PRIMARY KEY(source, day)) WITHOUT ROWID;
"""


class DirtyDays(Database):
    """The dirty days of one user, in the same database file as the landed items."""

    def __init__(self, path: Path, user: str, tables: str) -> None:
        super().__init__(path, TABLES + tables)
        self.user = user

    def dirty(self, *, accepted: int | None = None, now: datetime | None = None) -> list[DirtyDay]:
        """Return the days that await a run.

        Args:
            accepted: the last batch that Dagster accepted; days of a later batch were lost with their sensor tick
                and are offered again. None returns all days, queued or not.
            now: current time, for tests.
        """
        where, values = "1", ()
        if accepted is not None:
            where = "(batch IS NULL OR batch > ? OR queued_at < ? OR queued_at > ?)"  # the last: the clock was ahead
            at = now or datetime.now(UTC)
            values = (accepted, (at - REARM_AFTER).isoformat(), (at + REARM_AFTER).isoformat())
        rows = self.rows(f"SELECT source, day, content FROM dirty WHERE {where} ORDER BY source, day", values)
        return [DirtyDay(self.user, *row) for row in rows]

    def queue(self, days: Sequence[DirtyDay], batch: int, *, now: datetime | None = None) -> None:
        """Mark days as requested in `batch`, unless their content has changed since."""
        queued_at = (now or datetime.now(UTC)).isoformat()
        with self.transaction() as connection:
            connection.executemany(
                "UPDATE dirty SET batch = ?, queued_at = ? WHERE source = ? AND day = ? AND content = ?",
                [(batch, queued_at, d.source, d.day, d.content) for d in days],
            )

    def settle(self, source: str, contents: Mapping[str, str]) -> None:
        """Remove the days whose landed items, hashed in `contents` by day, are now stored in the lake."""
        if not self.rows("SELECT 1 FROM dirty LIMIT 1"):
            return
        with self.transaction() as connection:
            connection.executemany(
                "DELETE FROM dirty WHERE source = ? AND day = ? AND content = ?",
                [(source, day, content) for day, content in contents.items()],
            )

    @staticmethod
    def mark(connection: sqlite3.Connection, source: str, contents: Mapping[str, str]) -> None:
        """Enter days with the hash of their current items, inside the caller's transaction."""
        connection.executemany(
            "INSERT OR REPLACE INTO dirty VALUES (?, ?, ?, NULL, NULL)",
            [(source, day, content) for day, content in sorted(contents.items())],
        )
