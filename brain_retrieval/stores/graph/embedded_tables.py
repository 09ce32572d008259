"""The tables and statements of the embedded graph. Many keys are one JSON list.

An edge is stored once, from subject to object, and found from either end. Rows refer to nodes and to repeated words by
number; keys and properties are packed (`embedded_codec.py`). Evidence is stored too, so that the graph can be computed
again without one of its sources; its text is not, as source, start and end say where it is.
"""

import sqlite3
from typing import Any

from brain_retrieval.stores.graph.embedded_codec import TextCodec, codecs, pack_key, unpack_key
from brain_retrieval.stores.graph.embedded_templates import DICTIONARIES
from brain_retrieval.stores.graph.protocol import EdgeFilter
from brain_retrieval.stores.graph.rows import encode, micros

LAYOUT = 3  # version of the tables; a file of another version is emptied, as it holds derived data only
SCHEMA = """
CREATE TABLE IF NOT EXISTS word(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS node(
  id INTEGER PRIMARY KEY, key NOT NULL UNIQUE, kind INTEGER NOT NULL, type INTEGER NOT NULL, name TEXT NOT NULL,
  confidence REAL NOT NULL, names TEXT, properties BLOB NOT NULL, hash BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS name(name TEXT, node INTEGER, PRIMARY KEY(name, node)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS edge(
  id INTEGER PRIMARY KEY, key NOT NULL, kind INTEGER NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
  relation INTEGER NOT NULL, confidence REAL NOT NULL, valid_from INTEGER, valid_to INTEGER, known_from INTEGER,
  predicate INTEGER NOT NULL, negated INTEGER NOT NULL, ended_known_from INTEGER, properties BLOB NOT NULL,
  hash BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS edge_start ON edge(start);
CREATE INDEX IF NOT EXISTS edge_end ON edge(end);
CREATE TABLE IF NOT EXISTS evidence(
  id INTEGER PRIMARY KEY, key NOT NULL, source NOT NULL, subject NOT NULL, data BLOB NOT NULL, hash BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS mark(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS dictionary(name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID
"""
ASKED = "FROM json_each(?) AS asked"
NODE_COLUMNS = "n.key, kind.text, type.text, n.name, n.confidence, n.names, n.properties"
NODE_WORDS = "CROSS JOIN word AS kind ON kind.id = n.kind CROSS JOIN word AS type ON type.id = n.type"
EDGE_COLUMNS = """
  e.key, kind.text, a.key, b.key, relation.text, e.confidence, e.valid_from, e.valid_to, e.known_from, e.properties,
  predicate.text"""
EDGE_WORDS = """
CROSS JOIN node AS a ON a.id = e.start CROSS JOIN node AS b ON b.id = e.end
CROSS JOIN word AS kind ON kind.id = e.kind CROSS JOIN word AS relation ON relation.id = e.relation
CROSS JOIN word AS predicate ON predicate.id = e.predicate"""
ALL = {
    "node": f"SELECT {NODE_COLUMNS} FROM node AS n {NODE_WORDS}",
    "edge": f"SELECT {EDGE_COLUMNS} FROM edge AS e {EDGE_WORDS}",
    "evidence": "SELECT key, source, subject, data FROM evidence",
}
NODES = f"SELECT {NODE_COLUMNS} {ASKED} CROSS JOIN node AS n ON n.key = packed(asked.value) {NODE_WORDS}"
EDGES = f"SELECT {EDGE_COLUMNS} {ASKED} CROSS JOIN edge AS e ON e.id = asked.value {EDGE_WORDS}"
LINKS = """
SELECT e.id, e.key, near.key, far.key, e.confidence FROM json_each(?) AS asked
CROSS JOIN node AS near ON near.key = packed(asked.value)
CROSS JOIN edge AS e ON e.{near} = near.id CROSS JOIN node AS far ON far.id = e.{far} WHERE """
LINKS_OUT = LINKS.format(near="start", far="end")
LINKS_IN = LINKS.format(near="end", far="start")
FIND = """
SELECT DISTINCT n.key FROM name JOIN node AS n ON n.id = name.node
WHERE name.name >= ? AND name.name <= ?
  AND (? IS NULL OR n.kind IN (SELECT id FROM word WHERE text IN (SELECT value FROM json_each(?))))
ORDER BY -n.confidence, unpacked(n.key) LIMIT ?
"""
STATS = """
SELECT * FROM (
  SELECT 'node.' || text AS what, count(*) AS rows FROM node JOIN word ON word.id = kind GROUP BY kind
  UNION ALL SELECT 'edge.' || text, count(*) FROM edge JOIN word ON word.id = kind GROUP BY kind
  UNION ALL SELECT 'evidence', count(*) FROM evidence HAVING count(*) > 0)
ORDER BY what
"""
MARKS = "SELECT name, value FROM mark"
WORDS = "IN (SELECT id FROM word WHERE text IN (SELECT value FROM json_each(?)))"


def condition(edges: EdgeFilter) -> tuple[str, tuple[Any, ...]]:
    """Return the SQL condition of a filter on an edge `e`, and its parameters."""
    parts, values = ["e.start <> e.end"], list[Any]()
    if edges.kinds is not None:
        parts.append(f"e.kind {WORDS}")
        values.append(encode(sorted(edges.kinds)))
    if edges.relations is not None:
        parts.append(f"(e.relation {WORDS} OR e.predicate {WORDS})")
        values += [encode(sorted(edges.relations))] * 2
    if edges.min_confidence > 0:
        parts.append("e.confidence >= ?")
        values.append(edges.min_confidence)
    if not edges.negated:
        parts.append("NOT e.negated")
    if edges.known_at is not None:
        parts.append("(e.known_from IS NULL OR e.known_from <= ?)")
        values.append(micros(edges.known_at))
    if edges.as_of is not None:
        parts.append("(e.valid_from IS NULL OR e.valid_from <= ?)")
        parts.append("(e.valid_to IS NULL OR e.valid_to > ? OR e.ended_known_from > ?)")
        # Without a time of knowledge every end is known: nothing is known later than the last moment there is.
        known = micros(edges.known_at) if edges.known_at else 1 << 62
        values += [micros(edges.as_of), micros(edges.as_of), known]
    return " AND ".join(parts), tuple(values)


def prepare(connection: sqlite3.Connection) -> None:
    """Create the tables of a new file; empty and recreate those of another layout."""
    connection.create_function("packed", 1, pack_key, deterministic=True)
    connection.create_function("unpacked", 1, unpack_key, deterministic=True)
    if _layout(connection) == LAYOUT:
        return
    connection.execute("BEGIN IMMEDIATE")
    other = _layout(connection) not in (0, LAYOUT)
    if _layout(connection) != LAYOUT:  # otherwise another process has done it
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            connection.execute(f'DROP TABLE "{table}"')
        for statement in SCHEMA.split(";"):
            connection.execute(statement)
        connection.executemany("INSERT INTO dictionary VALUES (?, ?)", DICTIONARIES.items())
        connection.execute(f"PRAGMA user_version = {LAYOUT}")
    connection.execute("COMMIT")
    if other:
        connection.execute("VACUUM")  # the file of an older layout was several times larger


def codecs_of(connection: sqlite3.Connection) -> dict[str, TextCodec]:
    """Return the codec of each table: with the dictionaries of the file, which other code may have written."""
    return codecs(dict(connection.execute("SELECT name, value FROM dictionary").fetchall()))


def _layout(connection: sqlite3.Connection) -> int:
    return connection.execute("PRAGMA user_version").fetchone()[0]
