"""Stage ledger, quarantine and failed attempts per (source, stage, day). The lake's file list is in `catalog.py`."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any, cast

from brain_retrieval.stores.sqlite import Database

LEDGER_TABLES = """
CREATE TABLE IF NOT EXISTS ledger(
  source TEXT, stage TEXT, day TEXT, state TEXT NOT NULL, input_hash TEXT NOT NULL, code_version TEXT NOT NULL,
  config_hash TEXT NOT NULL, output_hash TEXT NOT NULL, rows INTEGER NOT NULL, error TEXT NOT NULL,
  run_id TEXT NOT NULL, started_at TEXT NOT NULL, seconds REAL NOT NULL,
  PRIMARY KEY(source, stage, day)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS quarantine(
  source TEXT NOT NULL, stage TEXT NOT NULL, day TEXT NOT NULL, source_id TEXT NOT NULL, uri TEXT NOT NULL,
  reason TEXT NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS quarantine_key ON quarantine(source, stage, day);
CREATE TABLE IF NOT EXISTS attempt(
  source TEXT, stage TEXT, day TEXT, source_id TEXT, input_hash TEXT, run_id TEXT,
  at TEXT NOT NULL, error TEXT NOT NULL,
  PRIMARY KEY(source, stage, day, source_id, input_hash, run_id)) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class LedgerRow:
    """The last outcome of one stage for one (source, day). Hashes decide whether a re-run may skip it."""

    source: str
    stage: str
    day: str
    state: str  # ok | failed
    input_hash: str
    code_version: str
    config_hash: str
    output_hash: str
    rows: int
    error: str
    run_id: str
    started_at: datetime  # with a zone
    seconds: float


@dataclass(frozen=True)
class QuarantineRow:
    """One item, or part of one, that a stage rejected, repaired or failed on, and why."""

    source: str
    stage: str
    day: str
    source_id: str
    uri: str
    reason: str
    kind: str  # rejected | repaired | failed
    detail: str = ""


class LedgerTables(Database):
    """Ledger, quarantine and attempts of one user."""

    def put_ledger(self, *rows: LedgerRow) -> None:
        """Write the outcome of stages, in one transaction; a row replaces the one of its (source, stage, day)."""
        with self.transaction() as connection:
            connection.executemany(_insert("ledger", LedgerRow), [astuple(_stored(row)) for row in rows])

    def drop_ledger(self, rows: Iterable[LedgerRow]) -> None:
        """Remove rows."""
        keys = [(row.source, row.stage, row.day) for row in rows]
        with self.transaction() as connection:
            connection.executemany("DELETE FROM ledger WHERE source=? AND stage=? AND day=?", keys)

    def get_ledger(self, source: str, stage: str, day: str) -> LedgerRow | None:
        """Return the last outcome of a stage for a day, or None if it never ran."""
        found = self.ledger(source=source, stage=stage, days=[day])
        return found[0] if found else None

    def ledger(
        self,
        *,
        source: str | None = None,
        stage: str | None = None,
        days: Sequence[str] | None = None,
        state: str | None = None,
    ) -> list[LedgerRow]:
        """Return ledger rows ordered by source, stage, day; None means any."""
        where, parameters = conditions(source=source, stage=stage, day=days, state=state)
        sql = f"{_select('ledger', LedgerRow)} WHERE {where} ORDER BY source, stage, day"
        return [_loaded(row) for row in self.rows(sql, parameters)]

    def reasons(self, prefix: str) -> list[LedgerRow]:
        """Return the rows whose reason begins with `prefix`, ordered by source, stage, day."""
        sql = f"{_select('ledger', LedgerRow)} WHERE substr(error, 1, length(?1)) = ?1 ORDER BY source, stage, day"
        return [_loaded(row) for row in self.rows(sql, (prefix,))]

    def days(self, stage: str, sources: Collection[str]) -> set[tuple[str, str]]:
        """Return (source, day) of every day of these sources that a stage has run on, successfully or not."""
        where, parameters = conditions(source=list(sources), stage=stage)
        return {(source, day) for source, day in self.rows(f"SELECT source, day FROM ledger WHERE {where}", parameters)}

    def unread(self, upstreams: Mapping[str, str], sources: Collection[str]) -> list[tuple[str, str]]:
        """Return the (source, day) where a stage has not processed the latest output of its upstream stage.

        Days without upstream output, and days whose upstream stage failed, are not included.

        Args:
            upstreams: stage -> its upstream stage.
            sources: the sources to look at.
        """
        sql = """
            SELECT DISTINCT above.source, above.day
            FROM json_each(?) AS pair CROSS JOIN json_each(?) AS wanted
            JOIN ledger AS above ON above.source = wanted.value AND above.stage = pair.value AND above.state = 'ok'
            LEFT JOIN ledger AS below
              ON below.source = above.source AND below.stage = pair.key AND below.day = above.day
            WHERE coalesce(below.input_hash, '') <> above.output_hash ORDER BY 1, 2"""
        parameters = (json.dumps(dict(upstreams)), json.dumps(sorted(sources)))
        return cast("list[tuple[str, str]]", self.rows(sql, parameters))

    def replace_quarantine(self, source: str, stage: str, day: str, rows: Iterable[QuarantineRow]) -> None:
        """Replace the quarantine of (source, stage, day) by `rows`.

        Raises:
            ValueError: if a row belongs to another key.
        """
        key = (source, stage, day)
        values = sorted(set(rows), key=astuple)
        if stray := [row for row in values if (row.source, row.stage, row.day) != key]:
            raise ValueError(f"quarantine row of another key than {key}: {stray[0]}")
        with self.transaction() as connection:
            connection.execute("DELETE FROM quarantine WHERE source=? AND stage=? AND day=?", key)
            connection.executemany(_insert("quarantine", QuarantineRow), [astuple(row) for row in values])

    def quarantine(
        self, source: str | None = None, stage: str | None = None, day: str | None = None
    ) -> list[QuarantineRow]:
        """Return quarantined items ordered by key and item; None means any."""
        where, parameters = conditions(source=source, stage=stage, day=day)
        order = "source, stage, day, source_id, uri, reason, kind, detail"
        sql = f"{_select('quarantine', QuarantineRow)} WHERE {where} ORDER BY {order}"
        return [QuarantineRow(*row) for row in self.rows(sql, parameters)]

    def record_attempt(
        self, source: str, stage: str, day: str, source_id: str, input_hash: str, *, run_id: str, error: str
    ) -> None:
        """Record that run `run_id` failed on an item; idempotent per run."""
        row = (source, stage, day, source_id, input_hash, run_id, datetime.now(UTC).isoformat(), error)
        with self.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO attempt VALUES (?,?,?,?,?,?,?,?)", row)

    def attempts(self, source: str, stage: str, day: str, source_id: str, input_hash: str) -> int:
        """Return how many runs have failed on exactly this input."""
        sql = "SELECT count(*) FROM attempt WHERE source=? AND stage=? AND day=? AND source_id=? AND input_hash=?"
        return self.rows(sql, (source, stage, day, source_id, input_hash))[0][0]

    def failures(self, source: str, stage: str, day: str, input_hash: str) -> int:
        """Return how many runs have failed on any item of a day with exactly this input."""
        sql = "SELECT count(DISTINCT run_id) FROM attempt WHERE source=? AND stage=? AND day=? AND input_hash=?"
        return self.rows(sql, (source, stage, day, input_hash))[0][0]


def conditions(**columns: str | Sequence[str] | None) -> tuple[str, tuple[Any, ...]]:
    """Return a WHERE clause and its parameters: strings compare equal, lists become IN, None is left out."""
    parts, parameters = ["1"], []
    for column, value in columns.items():
        if isinstance(value, str):
            parts.append(f"{column} = ?")
            parameters.append(value)
        elif value is not None:
            # One parameter for the whole list: SQLite limits how many there may be.
            parts.append(f"{column} IN (SELECT value FROM json_each(?))")
            parameters.append(json.dumps(list(value)))
    return " AND ".join(parts), tuple(parameters)


def _stored(row: LedgerRow) -> LedgerRow:
    text: Any = row.started_at.astimezone(UTC).isoformat()
    return replace(row, started_at=text)


def _loaded(row: Any) -> LedgerRow:
    """Return a row of the table, whose columns are those of the record; thousands are read at once."""
    *before, started_at, seconds = row
    values: Any = (*before, datetime.fromisoformat(started_at), seconds)
    return LedgerRow(*values)


def _names(record: type) -> list[str]:
    return [f.name for f in fields(record)]


def _select(table: str, record: type) -> str:
    return f"SELECT {', '.join(_names(record))} FROM {table}"


def _insert(table: str, record: type) -> str:
    names = _names(record)
    return f"INSERT OR REPLACE INTO {table}({', '.join(names)}) VALUES ({', '.join('?' * len(names))})"
