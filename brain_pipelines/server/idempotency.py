"""Idempotency keys: a repeated write gets the time of its first attempt, and so the same file name and the same ids.

Only hashes and times are kept. A write is repeated in full, which changes nothing if it was done already: so a client
may send it again after a lost answer, also when the server was killed in between.
"""

import hashlib
from datetime import UTC, datetime, timedelta

from brain_pipelines.server.problems import ProblemError
from brain_retrieval.home import Space
from brain_retrieval.stores.sqlite import Database

KEPT = timedelta(days=2)
MOST_CHARS = 200
TABLES = """
CREATE TABLE IF NOT EXISTS attempt(
  name TEXT PRIMARY KEY, request TEXT NOT NULL, at TEXT NOT NULL) WITHOUT ROWID;
"""


class Attempts(Database):
    """The writes of one user that named an idempotency key during the last two days."""

    synchronous = "FULL"
    remedy = "move it aside: only repetitions of the last two days are no longer recognised"

    def __init__(self, space: Space) -> None:
        super().__init__(space.root / "attempts.sqlite", TABLES)

    def first(self, key: str, request: str, now: datetime) -> tuple[datetime, bool]:
        """Return when a write was first sent, and whether this is a repetition.

        Args:
            key: as the client gave it.
            request: hash of what is to be written.
            now: time of this attempt, aware.

        Raises:
            ProblemError: 422 if the key was given for another write.
        """
        name = hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
        with self.transaction() as connection:
            connection.execute("DELETE FROM attempt WHERE at < ?", ((now - KEPT).isoformat(),))
            row = connection.execute("SELECT request, at FROM attempt WHERE name = ?", (name,)).fetchone()
            if row is None:
                connection.execute("INSERT INTO attempt VALUES (?, ?, ?)", (name, request, now.isoformat()))
        if row is not None and row[0] != request:
            raise ProblemError(422, "this Idempotency-Key was sent with another request")
        return (now, False) if row is None else (datetime.fromisoformat(row[1]), True)


def first_attempt(
    space: Space, key: str | None, request: bytes, *, now: datetime | None = None
) -> tuple[datetime, bool]:
    """Return the time that a write counts from, and whether it is a repetition; without a key it is now.

    Raises:
        ProblemError: 400 for a key that is too long, 422 if it was given for another write.
    """
    at = (now or datetime.now(UTC)).astimezone(UTC)
    if key is None:
        return at, False
    if not 1 <= len(key) <= MOST_CHARS:
        raise ProblemError(400, f"an Idempotency-Key has 1 to {MOST_CHARS} characters")
    with Attempts(space) as attempts:
        return attempts.first(key, hashlib.sha256(request).hexdigest(), at)
