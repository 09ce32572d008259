"""Claims that were checked online: which pages answered them and when, so that the same claim needs no fetch.

`users/<user>/claims.sqlite` holds no text of a claim, only its hash; queries and addresses are held as they were sent.
A forgotten page is removed from it, and so is what contains words that occurred only there. If the file is lost,
claims are looked up again.
"""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from brain_retrieval.home import Space
from brain_retrieval.stores.sqlite import Database

FILE = "claims.sqlite"
TABLES = """
CREATE TABLE IF NOT EXISTS checked(
  key TEXT PRIMARY KEY, checked_at TEXT NOT NULL, fresh_until TEXT NOT NULL, stop TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS query(
  key TEXT NOT NULL, place INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY(key, place)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS page(
  key TEXT NOT NULL, url TEXT NOT NULL, uri TEXT NOT NULL, PRIMARY KEY(key, url)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS page_uri ON page(uri);
"""


@dataclass(frozen=True)
class Checked:
    """A claim as it was checked.

    Attributes:
        key: hash of the claim, with the time asked about.
        checked_at, fresh_until: aware.
        stop: why the search ended.
        queries: in the order in which they were asked.
        pages: address and uri of each page that said something about it.
    """

    key: str
    checked_at: datetime
    fresh_until: datetime
    stop: str
    queries: tuple[str, ...] = ()
    pages: tuple[tuple[str, str], ...] = ()


class ClaimChecks(Database):
    """The checked claims of one user."""

    remedy = "it only spares fetches: remove it"

    def __init__(self, space: Space) -> None:
        super().__init__(space.root / FILE, TABLES)

    def get(self, key: str) -> Checked | None:
        """Return what is known of a claim, fresh or not."""
        rows = self.rows("SELECT checked_at, fresh_until, stop FROM checked WHERE key = ?", (key,))
        if not rows:
            return None
        checked_at, fresh_until, stop = rows[0]
        queries = self.rows("SELECT text FROM query WHERE key = ? ORDER BY place", (key,))
        pages = self.rows("SELECT url, uri FROM page WHERE key = ? ORDER BY url", (key,))
        times = datetime.fromisoformat(checked_at), datetime.fromisoformat(fresh_until)
        return Checked(key, *times, stop, tuple(text for (text,) in queries), tuple((url, uri) for url, uri in pages))

    def put(self, one: Checked) -> None:
        """Store a claim in place of what was known of it."""
        with self.transaction() as connection:
            for table in ("checked", "query", "page"):
                connection.execute(f"DELETE FROM {table} WHERE key = ?", (one.key,))
            times = one.checked_at.isoformat(), one.fresh_until.isoformat()
            connection.execute("INSERT INTO checked VALUES (?, ?, ?, ?)", (one.key, *times, one.stop))
            queries = [(one.key, place, text) for place, text in enumerate(one.queries)]
            connection.executemany("INSERT INTO query VALUES (?, ?, ?)", queries)
            connection.executemany("INSERT OR REPLACE INTO page VALUES (?, ?, ?)", [(one.key, *p) for p in one.pages])

    def forget(self, uris: Iterable[str], words: Collection[str]) -> int:
        """Remove pages by their uris, and queries and addresses that contain one of the words; return how many rows.

        Args:
            uris: of files in the inbox.
            words: in lower case.
        """
        with self.transaction() as connection:
            removed = connection.execute(
                "DELETE FROM page WHERE uri IN (SELECT value FROM json_each(?))", (json.dumps(sorted(set(uris))),)
            ).rowcount
            for table, column in (("query", "text"), ("page", "url")):
                rows = connection.execute(f"SELECT key, {column} FROM {table}").fetchall()
                held = {(key, text) for key, text in rows if any(word in text.lower() for word in words)}
                for key, text in sorted(held):
                    sql = f"DELETE FROM {table} WHERE key = ? AND {column} = ?"
                    removed += connection.execute(sql, (key, text)).rowcount
        return removed


def forget_checks(space: Space, uris: Iterable[str], words: Collection[str]) -> int:
    """Remove forgotten pages and words from the checked claims of a user; return how many rows went."""
    if not (space.root / FILE).is_file():
        return 0
    with ClaimChecks(space) as checks:
        return checks.forget(uris, words)
