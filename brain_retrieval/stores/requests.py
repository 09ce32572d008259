"""Which sources of a team one reader has asked for: the first access is the request to extract them for that reader.

Appending only; what has been done about a request, the reader's ledger says.
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
    """The requests of one reader, in a file of the reader's own."""

    remedy = "move it aside: what was asked for is asked for again at the next access"

    def __init__(self, space: Space) -> None:
        super().__init__(space.root / "requests.sqlite", TABLES)

    def add(self, wanted: Iterable[Wanted], *, at: datetime | None = None) -> int:
        """Note requests; return how many are new."""
        now = (at or datetime.now(UTC)).isoformat()
        rows = sorted({(w.team, w.source, w.day, w.source_id, now) for w in wanted})
        known = {(w.team, w.source, w.day, w.source_id) for w in self.all()}
        new = [row for row in rows if row[:4] not in known]
        if new:  # a reader who asks for what is known already writes nothing
            with self.transaction() as connection:
                connection.executemany("INSERT OR IGNORE INTO request VALUES (?,?,?,?,?)", new)
        return len(new)

    def all(self, team: str | None = None) -> list[Wanted]:
        """Return what was asked for, of one team or of all, in order."""
        if not self.path.is_file():
            return []
        where, values = ("1", ()) if team is None else ("team = ?", (team,))
        sql = f"SELECT team, source, day, source_id FROM request WHERE {where} ORDER BY 1, 2, 3, 4"
        return [Wanted(*row) for row in self.rows(sql, values)]
