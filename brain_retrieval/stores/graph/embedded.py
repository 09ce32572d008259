"""`EmbeddedGraph`: a user's graph in one SQLite file, without a server. The tables are in `embedded_tables.py`."""

import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import polars as pl

from brain_retrieval.home import Space
from brain_retrieval.language.folding import fold
from brain_retrieval.settings.knowledge import GraphSettings
from brain_retrieval.stores.graph import embedded_tables as tables
from brain_retrieval.stores.graph import rows as records
from brain_retrieval.stores.graph.embedded_codec import TextCodec, unpack_key
from brain_retrieval.stores.graph.embedded_write import Writer, default_names, read_edge, read_evidence, read_node
from brain_retrieval.stores.graph.forgetting import Remainder
from brain_retrieval.stores.graph.frames import STORED, Changes, digest, snapshot_digest
from brain_retrieval.stores.graph.projection import Projection
from brain_retrieval.stores.graph.protocol import (
    Edge,
    EdgeFilter,
    GraphSnapshot,
    GraphUnavailableError,
    Node,
    PublishReport,
)
from brain_retrieval.stores.graph.rows import EvidenceRow, GraphRows, Row, encode
from brain_retrieval.stores.graph.traversal import Link, Traversals
from brain_retrieval.stores.sqlite import Database

REMEDY = "it holds derived data only: move it aside and publish the newest snapshot again"
STEPS_BETWEEN_LOOKS = 10_000  # SQLite VM steps (well below 1 ms) between checks of the deadline


class _File(Database):
    remedy = REMEDY

    def _create_tables(self, connection: sqlite3.Connection) -> None:
        tables.prepare(connection)
        self._codecs = tables.codecs_of(connection)

    def codec(self, table: str) -> TextCodec:
        """Return the codec of a table, with the dictionary of this file."""
        with self._lock, self._errors():
            self._open()
            return self._codecs[table]

    def rows_within(self, seconds: float, sql: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query; raise GraphUnavailableError after `seconds`."""
        end = time.monotonic() + seconds
        with self._lock, self._errors():
            connection = self._open()
            connection.set_progress_handler(lambda: time.monotonic() > end, STEPS_BETWEEN_LOOKS)
            try:
                return connection.execute(sql, parameters).fetchall()
            except sqlite3.OperationalError as error:
                if str(error) != "interrupted":
                    raise
                raise GraphUnavailableError(
                    f"the graph took longer than {seconds:g} s (graph.query_seconds)"
                ) from error
            finally:
                connection.set_progress_handler(None, 0)


class EmbeddedGraph(Traversals):
    """`GraphStore` over `users/<user>/graph.sqlite`. Publishing is one transaction."""

    def __init__(self, space: Space, settings: GraphSettings | None = None) -> None:
        self.user = space.user
        self.query_seconds = (settings or GraphSettings()).query_seconds
        self._file = _File(space.root / "graph.sqlite", tables.SCHEMA)

    def publish(self, snapshot: GraphSnapshot) -> PublishReport:
        """Replace the graph by the one of these tables. Publishing the same tables again writes nothing."""
        made_of = snapshot_digest(snapshot, self.user)
        marks = dict(self._file.rows(tables.MARKS))
        if marks.get("snapshot") == made_of:
            return PublishReport(dangling=int(marks["dangling"]))
        return self._replace(Projection(snapshot, self.user), made_of)

    def delete_source(self, source_id: str) -> PublishReport:
        """Remove a source and everything only it supports; recompute what other sources support too."""
        return self._replace(Remainder(self.rows, source_id, self.user))

    def delete_user(self) -> PublishReport:
        """Remove every row and shrink the file."""
        report = self._replace(Projection({}, self.user))
        self._file.rows("VACUUM")
        self._file.checkpoint()
        return report

    def digest(self) -> str | None:
        """Return a hash of all rows, equal across store types; None for an empty graph."""
        return dict(self._ask(tables.MARKS)).get("digest")

    def find(
        self, text: str, *, prefix: bool = False, kinds: Iterable[str] | None = None, limit: int = 20
    ) -> list[Node]:
        """Return nodes of a name or alias, case and spacing aside; by confidence, then key."""
        folded = fold(text)
        if not folded:
            return []
        wanted = None if kinds is None else encode(sorted(kinds))
        last = folded + "\U0010ffff" if prefix else folded
        rows = self._ask(tables.FIND, (folded, last, wanted, wanted, max(limit, 0)))
        keys = [unpack_key(key) for (key,) in rows]
        found = self._nodes(keys)
        return [found[key] for key in keys]

    def stats(self) -> dict[str, int]:
        """Return counts: `node.<kind>`, `edge.<kind>` and `evidence`, sorted by name, zeros left out."""
        return dict(self._ask(tables.STATS))

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        self._file.close()

    def _links(self, keys: Sequence[str], edges: EdgeFilter) -> list[Link]:
        if not keys:
            return []
        where, values = tables.condition(edges)
        asked = encode(list(keys))
        rows = []
        if edges.direction != "in":
            rows.append(self._ask(tables.LINKS_OUT + where, (asked, *values)))
        if edges.direction != "out":
            rows.append(self._ask(tables.LINKS_IN + where, (asked, *values)))
        return [
            Link(unpack_key(key), unpack_key(near), unpack_key(far), confidence, number)
            for number, key, near, far, confidence in chain.from_iterable(rows)
        ]

    def _nodes(self, keys: Sequence[str]) -> dict[str, Node]:
        codec = self._file.codec("node")
        rows = [read_node(row, codec) for row in self._ask(tables.NODES, (encode(list(keys)),))]
        return {row[0]: records.node_record(row) for row in rows}

    def _edges(self, numbers: Mapping[str, int]) -> dict[str, Edge]:
        codec = self._file.codec("edge")
        rows = [read_edge(row, codec) for row in self._ask(tables.EDGES, (encode(sorted(numbers.values())),))]
        return {row[0]: records.edge_record(row) for row in rows if row[0] in numbers}

    def rows(self, table: str) -> Iterator[Row]:
        """Yield the rows of a table: "node", "edge" or "evidence"."""
        rows, codec = self._file.rows(tables.ALL[table]), self._file.codec(table)
        if table == "evidence":
            yield from (EvidenceRow(*values) for values in read_evidence(rows, codec))
            return
        for row in rows:
            if table == "node":
                *values, names, properties = read_node(row, codec)
                kept = encode(default_names(values[3])) if names is None else names
                yield records.node_row((*values, kept, properties()))
            else:
                *values, properties = read_edge(row, codec)
                yield records.edge_row((*values, properties()))

    def _load(self) -> GraphRows:
        return GraphRows.read(self.rows)

    def _replace(self, graph: Changes, made_of: str = "") -> PublishReport:
        counts, left = dict[str, int](), list[pl.DataFrame]()
        with self._file.transaction() as connection:
            writer = Writer(connection)
            for table in STORED:
                change = graph.change(table, writer.hashes(table))
                writer.apply(table, change)
                counts |= change.counts(table)
                left.append(change.hashes)
            writer.finish()
            marks = {"digest": digest(left), "snapshot": made_of, "dangling": str(graph.dangling)}
            writer.mark(marks if any(map(len, left)) else {})
        return PublishReport(**counts, dangling=graph.dangling)

    def _ask(self, sql: str, parameters: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        return self._file.rows_within(self.query_seconds, sql, parameters)
