"""The response cache of chat models, so that identical requests are paid for once. One SQLite file per user.

The key is a hash of model, task, prompt, input and answer schema; the prompts themselves are not stored. `at` is when
an answer was last used, to the day; `quoted` says which places of sources a request quoted, without their words.
Answers are derived from the user's texts, so deleting a source must call `clear`.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pydantic import BaseModel

from brain_retrieval.home import Space
from brain_retrieval.ids import content_id
from brain_retrieval.models.chat.protocol import Content
from brain_retrieval.stores.sqlite import Database

SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    task TEXT NOT NULL,
    answer TEXT NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    at TEXT NOT NULL
) WITHOUT ROWID;
"""
# Older files have no such table: it is created when the first place is stored.
QUOTED = """
CREATE TABLE IF NOT EXISTS quoted (
    key TEXT NOT NULL,
    source_id TEXT NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (source_id, key, first, last)
) WITHOUT ROWID;
"""
Place = tuple[str, int, int]  # source id, first character, character after the last
_ROW_BYTES = 250  # of a row beside its answer
_KEYS_AT_ONCE = 500  # SQLite takes a bounded number of parameters


@dataclass(frozen=True)
class Remembered:
    """A cached answer as JSON, and the tokens of the original request."""

    key: str
    answer: str
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True)
class Kept:
    """A cached answer as it is shown: what asked for it, the model, the day it was last used, and its JSON."""

    key: str
    task: str
    model: str
    at: str
    answer: str


_KEPT = "SELECT key, task, model, at, answer FROM answers"


def answer_key(model: str, task: str, system: str, user: Content, schema: type[BaseModel]) -> str:
    """Return the cache key of an answer; it does not depend on the endpoint or its API key."""
    asked = user if isinstance(user, str) else json.dumps(list(user), sort_keys=True)
    form = json.dumps(schema.model_json_schema(), sort_keys=True)
    return content_id("answer", model, task, system, asked, form)


class ResponseCache(Database):
    """The cached answers of one user."""

    remedy = "it holds answers that can be asked for again: delete it"

    def __init__(self, space: Space) -> None:
        super().__init__(space.root / "llm_cache.sqlite", SCHEMA)

    def get(self, keys: Iterable[str]) -> dict[str, Remembered]:
        """Return the cached answers of `keys`; missing keys are left out."""
        wanted = list(dict.fromkeys(keys))
        found: dict[str, Remembered] = {}
        for start in range(0, len(wanted), _KEYS_AT_ONCE):
            part = wanted[start : start + _KEYS_AT_ONCE]
            marks = ",".join("?" * len(part))
            sql = f"SELECT key, answer, input_tokens, output_tokens FROM answers WHERE key IN ({marks})"
            found |= {row[0]: Remembered(*row) for row in self.rows(sql, tuple(part))}
        return found

    def touch(self, keys: Iterable[str], now: datetime | None = None) -> None:
        """Record that answers are used; once a day is enough."""
        today = (now or datetime.now(UTC)).date().isoformat()
        sql = "UPDATE answers SET at = ? WHERE key IN (SELECT value FROM json_each(?)) AND at < ?"
        with self.transaction() as connection:
            connection.execute(sql, (today, json.dumps(list(keys)), today))

    def prune(self, *, keep_days: int, most_bytes: int, now: datetime | None = None) -> int:
        """Delete answers that were not used within `keep_days`, then the longest unused beyond `most_bytes`.

        Returns:
            the number of answers deleted. The file becomes smaller.
        """
        limit = ((now or datetime.now(UTC)) - timedelta(days=keep_days)).date().isoformat()
        larger = f"""DELETE FROM answers WHERE key IN (SELECT key FROM (
            SELECT key, sum(length(CAST(answer AS BLOB)) + {_ROW_BYTES}) OVER (ORDER BY at DESC, key) AS total
            FROM answers) WHERE total > ?)"""
        with self.transaction() as connection:
            pruned = connection.execute("DELETE FROM answers WHERE at < ?", (limit,)).rowcount
            pruned += connection.execute(larger, (most_bytes,)).rowcount
            connection.execute(QUOTED)
            connection.execute("DELETE FROM quoted WHERE key NOT IN (SELECT key FROM answers)")
        if pruned:
            self._shrink()
        return pruned

    def put(self, model: str, task: str, answers: Iterable[Remembered]) -> None:
        """Store answers; an existing key is replaced."""
        now = datetime.now(UTC).isoformat()
        rows = [(a.key, model, task, a.answer, a.input_tokens, a.output_tokens, now) for a in answers]
        with self.transaction() as connection:
            connection.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def quote(self, key: str, places: Iterable[Place]) -> None:
        """Store which places of sources the request of an answer quoted."""
        rows = sorted({(key, *place) for place in places})
        if not rows or {row[1:] for row in rows} <= set(self.quoted_by(key)):
            return
        with self.transaction() as connection:
            connection.execute(QUOTED)
            connection.executemany("INSERT OR IGNORE INTO quoted VALUES (?, ?, ?, ?)", rows)

    def quoted_by(self, key: str) -> list[Place]:
        """Return the places that the request of an answer quoted."""
        sql = "SELECT source_id, first, last FROM quoted WHERE key = ? ORDER BY source_id, first, last"
        return [(source_id, first, last) for source_id, first, last in self.rows(sql, (key,))] if self._quotes else []

    def quoting(self, source_id: str, span: tuple[int, int] | None = None) -> list[Kept]:
        """Return the answers whose requests quoted a source, or a place that touches a span of it; newest use first."""
        if not self._quotes:
            return []
        sql = f"{_KEPT} WHERE key IN (SELECT key FROM quoted WHERE source_id = ? AND first < ? AND last > ?)"
        first, last = span or (-1, 1 << 62)
        return [Kept(*row) for row in self.rows(f"{sql} ORDER BY at DESC, key", (source_id, last, first))]

    def kept(self, key: str) -> Kept | None:
        """Return an answer by its key."""
        rows = self.rows(f"{_KEPT} WHERE key = ?", (key,))
        return Kept(*rows[0]) if rows else None

    @property
    def _quotes(self) -> bool:
        return bool(self.rows("SELECT 1 FROM sqlite_master WHERE name = 'quoted'"))

    def clear(self) -> None:
        """Delete all answers, including their remains in free pages of the file."""
        with self.transaction() as connection:
            connection.execute("DELETE FROM answers")
            connection.execute("DROP TABLE IF EXISTS quoted")
        self._shrink()

    def _shrink(self) -> None:
        self.rows("VACUUM")
        self.checkpoint()
