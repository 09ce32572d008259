"""Writing of the embedded graph: hashes of the stored rows, and application of changes to them."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

import polars as pl

from brain_retrieval.language.folding import fold
from brain_retrieval.stores.graph.embedded_codec import Key, TextCodec, pack_key, unpack_key
from brain_retrieval.stores.graph.embedded_tables import codecs_of
from brain_retrieval.stores.graph.frames import HASHES, Change, tuples
from brain_retrieval.stores.graph.rows import encode

Values = tuple[Any, ...]
WRITE_NODE = """
INSERT INTO node(key, kind, type, name, confidence, names, properties, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT(key) DO UPDATE SET kind = excluded.kind, type = excluded.type, name = excluded.name,
  confidence = excluded.confidence, names = excluded.names, properties = excluded.properties, hash = excluded.hash
"""
WRITE_EDGE = f"INSERT INTO edge VALUES (NULL, {', '.join('?' * 14)})"
WRITE_EVIDENCE = "INSERT INTO evidence VALUES (NULL, ?, ?, ?, ?, ?)"


def default_names(name: str) -> list[str]:
    """Return the folded names of a node that are not stored: its name alone."""
    return [fold(name)]


class Writer:
    """Changes of one transaction. Edges refer to nodes by number, so nodes are written first and removed last."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._codecs = codecs_of(connection)
        self._words: dict[str, int] = dict(connection.execute("SELECT text, id FROM word").fetchall())
        self._nodes: dict[str, int] = {}
        self._ids: dict[str, dict[str, int]] = {}
        self._stale_nodes: list[str] = []

    def hashes(self, table: str) -> pl.DataFrame:
        """Return the HASHES of a table."""
        rows = self._connection.execute(f"SELECT id, key, hash FROM {table}").fetchall()
        keys = [unpack_key(key) for _, key, _ in rows]
        self._ids[table] = dict(zip(keys, (row[0] for row in rows), strict=True))
        return pl.DataFrame({"key": keys, "hash": [row[2].hex() for row in rows]}, schema=HASHES)

    def apply(self, table: str, change: Change) -> None:
        """Apply a change to a table whose hashes were read."""
        {"node": self._write_nodes, "edge": self._write_edges, "evidence": self._write_evidence}[table](change)

    def finish(self) -> None:
        """Remove stale nodes, and words that no row refers to: a predicate may be a text of a source that is gone."""
        self._remove("node", self._stale_nodes)
        used = " UNION ".join(f"SELECT {column} FROM edge" for column in ("kind", "relation", "predicate"))
        used += " UNION SELECT kind FROM node UNION SELECT type FROM node"
        self._connection.execute(f"DELETE FROM word WHERE id NOT IN ({used})")

    def mark(self, marks: dict[str, str]) -> None:
        """Store the marks, which identify the snapshot the graph was made from."""
        self._connection.execute("DELETE FROM mark")
        self._connection.executemany("INSERT INTO mark VALUES (?, ?)", marks.items())

    def _write_nodes(self, change: Change) -> None:
        codec, ids = self._codecs["node"], self._ids["node"]
        self._drop_names(ids[key] for key in [*change.stale, *change.rows["key"]] if key in ids)
        self._stale_nodes = change.stale.to_list()
        self._connection.executemany(WRITE_NODE, (self._node(values, codec) for values in tuples(change.rows)))
        found = self._connection.execute("SELECT key, id FROM node").fetchall()
        self._nodes = {unpack_key(key): number for key, number in found}
        named = tuples(change.rows.select("key", "names"))
        names = ((name, self._nodes[key]) for key, texts in named for name in json.loads(texts))
        self._connection.executemany("INSERT INTO name VALUES (?, ?)", names)

    def _node(self, values: Values, codec: TextCodec) -> Values:
        key, kind, type_, name, confidence, names, properties, digest = values
        kept = None if names == encode(default_names(name)) else names
        packed = codec.pack(properties, (key, name))
        stored = (pack_key(key), self._word(kind), self._word(type_), name, confidence, kept, packed)
        return (*stored, bytes.fromhex(digest))

    def _drop_names(self, ids: Iterable[int]) -> None:
        for number in ids:
            name, names = self._connection.execute("SELECT name, names FROM node WHERE id = ?", (number,)).fetchone()
            texts = default_names(name) if names is None else json.loads(names)
            gone = ((text, number) for text in texts)
            self._connection.executemany("DELETE FROM name WHERE name = ? AND node = ?", gone)

    def _write_edges(self, change: Change) -> None:
        self._remove("edge", change.stale)
        self._remove("edge", change.rows["key"])
        codec = self._codecs["edge"]
        self._connection.executemany(WRITE_EDGE, (self._edge(values, codec) for values in tuples(change.rows)))

    def _edge(self, values: Values, codec: TextCodec) -> Values:
        key, kind, start, end, relation, confidence, *times, properties, predicate, negated, ended, digest = values
        ends = (self._nodes[start], self._nodes[end])
        packed = codec.pack(properties, edge_values(key, predicate, times))
        asked = (self._word(relation), confidence, *times, self._word(predicate), negated, ended)
        return (pack_key(key), self._word(kind), *ends, *asked, packed, bytes.fromhex(digest))

    def _write_evidence(self, change: Change) -> None:
        self._remove("evidence", change.stale)
        self._remove("evidence", change.rows["key"])
        codec = self._codecs["evidence"]
        self._connection.executemany(WRITE_EVIDENCE, (_evidence(values, codec) for values in tuples(change.rows)))

    def _remove(self, table: str, keys: Iterable[str]) -> None:
        ids = self._ids[table]
        gone = ((ids[key],) for key in keys if key in ids)
        self._connection.executemany(f"DELETE FROM {table} WHERE id = ?", gone)

    def _word(self, text: str) -> int:
        if text not in self._words:
            self._words[text] = self._connection.execute("INSERT INTO word(text) VALUES (?)", (text,)).lastrowid or 0
        return self._words[text]


def edge_values(key: str, predicate: str, times: Iterable[int | None]) -> Values:
    """Return the values of an edge's columns that its properties repeat."""
    return (key, predicate, *times)


def read_node(values: Values, codec: TextCodec) -> Values:
    """Return the columns of NODE of a stored row, None for default names, and a function for the properties."""
    key, kind, type_, name, confidence, names, packed = values
    own = unpack_key(key)
    return own, kind, type_, name, confidence, names, codec.later(packed, (own, name))


def read_edge(values: Values, codec: TextCodec) -> Values:
    """Return the first ten columns of EDGE of a stored row, with a function for the properties."""
    key, kind, start, end, relation, confidence, *times, packed, predicate = values
    own = unpack_key(key)
    later = codec.later(packed, edge_values(own, predicate, times))
    return own, kind, unpack_key(start), unpack_key(end), relation, confidence, *times, later


def read_evidence(rows: Iterable[Values], codec: TextCodec) -> Iterator[Values]:
    """Yield the columns of EVIDENCE of stored rows."""
    for key, source, subject, packed in rows:
        yield unpack_key(key), unpack_key(source), unpack_key(subject), codec.unpack(packed)


def _evidence(values: Values, codec: TextCodec) -> Values:
    key, source_id, subject_id, data, digest = values
    ids: tuple[Key, ...] = (pack_key(key), pack_key(source_id), pack_key(subject_id))
    return (*ids, codec.pack(data), bytes.fromhex(digest))
