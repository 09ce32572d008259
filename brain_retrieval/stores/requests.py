"""Requests: the team sources a member has accessed. The first access requests their extraction for that member.

Append-only; the member's stage ledger records which requests have been processed.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from brain_retrieval.home import Space
from brain_retrieval.stores.sqlite import Database

TABLES = """
CREATE TABLE IF NOT EXISTS request(
  team TEXT, source TEXT, day TEXT, source_id TEXT, at TEXT NOT NULL,
  PRIMARY KEY(team, source, day, source_id)) WITHOUT ROWID;
"""


@dataclass(frozen=True, order=True)
class Wanted:
    """A source of a team."""

    team: str
    source: str
    day: str
    source_id: str


class Requests(Database):
    """The requests of one member, stored in that member's space."""

    remedy = "move it aside: requests are recorded again at the next access"

    def __init__(self, space: Space) -> None:
        super().__init__(space.root / "requests.sqlite", TABLES)

    def add(self, wanted: Iterable[Wanted], *, at: datetime | None = None) -> int:
        """Record requests; return how many are new."""
        now = (at or datetime.now(UTC)).isoformat()
        rows = sorted({(w.team, w.source, w.day, w.source_id, now) for w in wanted})
        known = {(w.team, w.source, w.day, w.source_id) for w in self.all()}
        new = [row for row in rows if row[:4] not in known]
        if new:  # no write, and no lock, for requests that exist already
            with self.transaction() as connection:
                connection.executemany("INSERT OR IGNORE INTO request VALUES (?,?,?,?,?)", new)
        return len(new)

    def all(self, team: str | None = None) -> list[Wanted]:
        """Return the requests of one team or of all, sorted by key."""
        if not self.path.is_file():
            return []
        where, values = ("1", ()) if team is None else ("team = ?", (team,))
        sql = f"SELECT team, source, day, source_id FROM request WHERE {where} ORDER BY 1, 2, 3, 4"
        return [Wanted(*row) for row in self.rows(sql, values)]
