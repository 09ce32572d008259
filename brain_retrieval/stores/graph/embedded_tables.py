"""The tables and statements of the embedded graph; their columns are those of `frames.py`. Many keys are one JSON list.

An edge is stored once, from subject to object, and found from either end. The two covering indexes contain all that a
traversal needs of an edge except relations, because rows are long and reading them would read most of the file.
Evidence is stored too, so that the graph can be recomputed without one of its sources.
"""

import json
import sqlite3
from typing import Any

import polars as pl

from brain_retrieval.stores.graph.frames import HASHES, Change, tuples
from brain_retrieval.stores.graph.protocol import EdgeFilter
from brain_retrieval.stores.graph.rows import encode, micros

LAYOUT = 2  # version of the tables; a file of another version is emptied, as it holds derived data only
SCHEMA = """
CREATE TABLE IF NOT EXISTS node(
  key TEXT PRIMARY KEY, kind TEXT NOT NULL, type TEXT NOT NULL, name TEXT NOT NULL, confidence REAL NOT NULL,
  names TEXT NOT NULL, properties TEXT NOT NULL, hash TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS name(name TEXT, key TEXT, PRIMARY KEY(name, key)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS name_of ON name(key);
CREATE TABLE IF NOT EXISTS edge(
  key TEXT PRIMARY KEY, kind TEXT NOT NULL, start TEXT NOT NULL, end TEXT NOT NULL, relation TEXT NOT NULL,
  confidence REAL NOT NULL, valid_from INTEGER, valid_to INTEGER, known_from INTEGER, properties TEXT NOT NULL,
  predicate TEXT NOT NULL, negated INTEGER NOT NULL, ended_known_from INTEGER, hash TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS edge_start ON edge(
  start, end, key, confidence, kind, negated, valid_from, valid_to, known_from, ended_known_from);
CREATE INDEX IF NOT EXISTS edge_end ON edge(
  end, start, key, confidence, kind, negated, valid_from, valid_to, known_from, ended_known_from);
CREATE TABLE IF NOT EXISTS evidence(
  key TEXT PRIMARY KEY, source_id TEXT NOT NULL, subject_id TEXT NOT NULL, data TEXT NOT NULL, hash TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS evidence_source ON evidence(source_id);
CREATE TABLE IF NOT EXISTS mark(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID
"""
NODE_COLUMNS = "key, kind, type, name, confidence, names, properties"
EDGE_COLUMNS = "key, kind, start, end, relation, confidence, valid_from, valid_to, known_from, properties"
ALL_NODES = f"SELECT {NODE_COLUMNS} FROM node"
ALL_EDGES = f"SELECT {EDGE_COLUMNS} FROM edge"
ALL = {"node": ALL_NODES, "edge": ALL_EDGES, "evidence": "SELECT key, source_id, subject_id, data FROM evidence"}
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
MARKS = "SELECT name, value FROM mark"


def condition(edges: EdgeFilter) -> tuple[str, tuple[Any, ...]]:
    """Return the SQL condition of a filter, to be appended to a WHERE clause, and its parameters."""
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


def prepare(connection: sqlite3.Connection) -> None:
    """Create the tables of a new file; empty and recreate those of another layout."""
    if _layout(connection) == LAYOUT:
        return
    connection.execute("BEGIN IMMEDIATE")
    if _layout(connection) != LAYOUT:  # otherwise another process has done it
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            connection.execute(f'DROP TABLE "{table}"')
        for statement in SCHEMA.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {LAYOUT}")
    connection.execute("COMMIT")


def hashes(connection: sqlite3.Connection, table: str) -> pl.DataFrame:
    """Return the HASHES of a table."""
    return pl.DataFrame(connection.execute(f"SELECT key, hash FROM {table}").fetchall(), schema=HASHES, orient="row")


def write(connection: sqlite3.Connection, table: str, change: Change) -> None:
    """Apply a change to a table."""
    stale = [(key,) for key in change.stale]
    connection.executemany(f"DELETE FROM {table} WHERE key = ?", stale)
    places = ", ".join("?" * change.rows.width)
    connection.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({places})", tuples(change.rows))
    if table == "node":
        connection.executemany("DELETE FROM name WHERE key = ?", stale)
        connection.executemany("DELETE FROM name WHERE key = ?", ((key,) for key in change.rows["key"]))
        named = tuples(change.rows.select("key", "names"))
        names = ((name, key) for key, texts in named for name in json.loads(texts))
        connection.executemany("INSERT INTO name VALUES (?, ?)", names)


def mark(connection: sqlite3.Connection, marks: dict[str, str]) -> None:
    """Store the marks, which identify the snapshot the graph was made from."""
    connection.execute("DELETE FROM mark")
    connection.executemany("INSERT INTO mark VALUES (?, ?)", marks.items())


def _layout(connection: sqlite3.Connection) -> int:
    return connection.execute("PRAGMA user_version").fetchone()[0]
