"""The tables and statements of the embedded graph. Times are microseconds since 1970; many keys are one JSON list.

An edge lies once, from subject to object, and is found from either end. Evidence is kept beside the edges so that a
graph without one of its sources can be worked out.
"""

import json
import sqlite3
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from brain_retrieval.stores.graph.protocol import EdgeFilter
from brain_retrieval.stores.graph.rows import EdgeRow, EvidenceRow, NodeRow, decode_properties, encode

SCHEMA = """
CREATE TABLE IF NOT EXISTS node(
  key TEXT PRIMARY KEY, kind TEXT NOT NULL, type TEXT NOT NULL, name TEXT NOT NULL, confidence REAL NOT NULL,
  names TEXT NOT NULL, properties TEXT NOT NULL, hash TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS name(name TEXT, key TEXT, PRIMARY KEY(name, key)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS name_of ON name(key);
CREATE TABLE IF NOT EXISTS edge(
  key TEXT PRIMARY KEY, kind TEXT NOT NULL, start TEXT NOT NULL, end TEXT NOT NULL, relation TEXT NOT NULL,
  confidence REAL NOT NULL, valid_from INTEGER, valid_to INTEGER, known_from INTEGER, properties TEXT NOT NULL,
  predicate TEXT NOT NULL, negated INTEGER NOT NULL, ended_known_from INTEGER, hash TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS edge_start ON edge(start);
CREATE INDEX IF NOT EXISTS edge_end ON edge(end);
CREATE TABLE IF NOT EXISTS evidence(
  key TEXT PRIMARY KEY, source_id TEXT NOT NULL, subject_id TEXT NOT NULL, data TEXT NOT NULL, hash TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS evidence_source ON evidence(source_id)
"""
NODE_COLUMNS = "key, kind, type, name, confidence, names, properties"
EDGE_COLUMNS = "key, kind, start, end, relation, confidence, valid_from, valid_to, known_from, properties"
ALL_NODES = f"SELECT {NODE_COLUMNS} FROM node"
ALL_EDGES = f"SELECT {EDGE_COLUMNS} FROM edge"
ALL_EVIDENCE = "SELECT key, source_id, subject_id, data FROM evidence"
NODES = f"{ALL_NODES} WHERE key IN (SELECT value FROM json_each(?))"
EDGES = f"{ALL_EDGES} WHERE key IN (SELECT value FROM json_each(?))"
LINKS_OUT = "SELECT key, start, end, confidence FROM edge WHERE start IN (SELECT value FROM json_each(?))"
LINKS_IN = "SELECT key, end, start, confidence FROM edge WHERE end IN (SELECT value FROM json_each(?))"
FIND = """
SELECT DISTINCT node.key FROM name JOIN node USING(key)
WHERE name.name >= ? AND name.name <= ? AND (? IS NULL OR kind IN (SELECT value FROM json_each(?)))
ORDER BY -confidence, node.key LIMIT ?
"""
STATS = """
SELECT * FROM (
  SELECT 'node.' || kind AS what, count(*) AS rows FROM node GROUP BY kind
  UNION ALL SELECT 'edge.' || kind, count(*) FROM edge GROUP BY kind
  UNION ALL SELECT 'evidence', count(*) FROM evidence HAVING count(*) > 0)
ORDER BY what
"""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def condition(edges: EdgeFilter) -> tuple[str, tuple[Any, ...]]:
    """Return the SQL of a filter, to be appended to a WHERE, and its values."""
    parts, values = ["start <> end"], list[Any]()
    if edges.kinds is not None:
        parts.append("kind IN (SELECT value FROM json_each(?))")
        values.append(encode(sorted(edges.kinds)))
    if edges.relations is not None:
        parts.append("(relation IN (SELECT value FROM json_each(?)) OR predicate IN (SELECT value FROM json_each(?)))")
        values += [encode(sorted(edges.relations))] * 2
    if edges.min_confidence > 0:
        parts.append("confidence >= ?")
        values.append(edges.min_confidence)
    if not edges.negated:
        parts.append("NOT negated")
    if edges.known_at is not None:
        parts.append("(known_from IS NULL OR known_from <= ?)")
        values.append(micros(edges.known_at))
    if edges.as_of is not None:
        parts.append("(valid_from IS NULL OR valid_from <= ?)")
        parts.append("(valid_to IS NULL OR valid_to > ? OR ended_known_from > ?)")
        # Without a time of knowledge every end is known: nothing is known later than the last moment there is.
        known = micros(edges.known_at) if edges.known_at else 1 << 62
        values += [micros(edges.as_of), micros(edges.as_of), known]
    return "".join(f" AND {part}" for part in parts), tuple(values)


def replace(connection: sqlite3.Connection, table: str, rows: Mapping[str, Any]) -> tuple[int, int]:
    """Make a table hold exactly `rows`; return how many were written and how many removed."""
    before = dict(connection.execute(f"SELECT key, hash FROM {table}"))
    hashes = {key: row.hash for key, row in rows.items()}
    stale = sorted(before.keys() - hashes.keys())
    changed = sorted(key for key, value in hashes.items() if before.get(key) != value)
    connection.executemany(f"DELETE FROM {table} WHERE key = ?", ((key,) for key in stale))
    values = [_VALUES[table](rows[key], hashes[key]) for key in changed]
    if values:
        places = ", ".join("?" * len(values[0]))
        connection.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({places})", values)
    if table == "node":
        connection.executemany("DELETE FROM name WHERE key = ?", ((key,) for key in (*stale, *changed)))
        names = ((name, key) for key in changed for name in rows[key].names)
        connection.executemany("INSERT INTO name VALUES (?, ?)", names)
    return len(changed), len(stale)


def node_row(row: tuple[Any, ...]) -> NodeRow:
    """Return the node of a row of NODE_COLUMNS."""
    return NodeRow(*row[:5], properties=decode_properties(row[6]), names=json.loads(row[5]))


def edge_row(row: tuple[Any, ...]) -> EdgeRow:
    """Return the edge of a row of EDGE_COLUMNS."""
    return EdgeRow(*row[:6], *(_time(value) for value in row[6:9]), properties=decode_properties(row[9]))


def evidence_row(row: tuple[Any, ...]) -> EvidenceRow:
    """Return the evidence of a row."""
    return EvidenceRow(*row)


def micros(at: datetime | None) -> int | None:
    """Return microseconds since 1970."""
    return None if at is None else (at - EPOCH) // MICROSECOND


def _time(value: int | None) -> datetime | None:
    return None if value is None else EPOCH + value * MICROSECOND


def _node_values(row: NodeRow, digest: str) -> tuple[Any, ...]:
    names, properties = encode(row.names), encode(row.properties)
    return (row.key, row.kind, row.type, row.name, row.confidence, names, properties, digest)


def _edge_values(row: EdgeRow, digest: str) -> tuple[Any, ...]:
    times = (micros(row.valid_from), micros(row.valid_to), micros(row.known_from))
    columns = (row.key, row.kind, row.start, row.end, row.relation, row.confidence, *times, encode(row.properties))
    return (*columns, row.predicate, row.negated, micros(row.ended_known_from), digest)


def _evidence_values(row: EvidenceRow, digest: str) -> tuple[Any, ...]:
    return (row.key, row.source_id, row.subject_id, row.data, digest)


_VALUES: dict[str, Callable[[Any, str], tuple[Any, ...]]] = {
    "node": _node_values,
    "edge": _edge_values,
    "evidence": _evidence_values,
}
