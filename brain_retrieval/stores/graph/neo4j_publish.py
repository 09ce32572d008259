"""Publication of one user's graph to Neo4j: differing rows are written in batches, stale ones removed.

A change that fits into one batch is one transaction and therefore atomic. For a larger one the mark, which identifies
the published snapshot, is removed first and set by the last transaction: an interrupted publication leaves a graph
without a mark, which readers do not use and the next publication completes. Writes are idempotent, because keys are
derived from content. Nodes are written before relationships; removals come last.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

from brain_retrieval.stores.graph import neo4j_rows, neo4j_schema
from brain_retrieval.stores.graph.frames import HASHES, Change, Changes, digest
from brain_retrieval.stores.graph.neo4j_server import Neo4jServer
from brain_retrieval.stores.graph.protocol import GraphUnavailableError, PublishReport
from brain_retrieval.stores.graph.rows import EvidenceRow, edge_row, node_row

NODE_HASHES = "MATCH (n:Item {user_id: $user}) RETURN n.key, n.row_hash, n.kind, n.type"
EDGE_HASHES = """
MATCH (a:Item {user_id: $user})-[r]->(b:Item {user_id: $user}) WHERE r.user_id = $user
RETURN r.key, r.row_hash, type(r), a.key, b.key
"""
EVIDENCE_HASHES = "MATCH (n:Evidence {user_id: $user}) RETURN n.key, n.row_hash"
UNMARK = "UNWIND $rows AS none MATCH (g:BrainGraph {user_id: $user}) DELETE g"
MARK = "UNWIND $rows AS marks MERGE (g:BrainGraph {user_id: $user}) SET g += marks"
UNLABEL = f"""
UNWIND $rows AS key MATCH (n:Item {{user_id: $user, key: key}}) REMOVE n{neo4j_schema.all_labels()}
"""
WRITE_NODES = "UNWIND $rows AS row MERGE (n:Item {user_id: $user, key: row.key}) SET n = row SET n%s"
WRITE_EVIDENCE = "UNWIND $rows AS row MERGE (n:Evidence {user_id: $user, key: row.key}) SET n = row"
WRITE_EDGES = """
UNWIND $rows AS row
MATCH (a:Item {user_id: $user, key: row.from}) MATCH (b:Item {user_id: $user, key: row.to})
MERGE (a)-[r:%s {user_id: $user, key: row.key}]->(b) SET r = row.properties
"""
REMOVE_EDGES = "UNWIND $rows AS key MATCH ()-[r:%s {user_id: $user, key: key}]->() DELETE r"
REMOVE_NODES = "UNWIND $rows AS key MATCH (n:Item {user_id: $user, key: key}) DETACH DELETE n"
REMOVE_EVIDENCE = "UNWIND $rows AS key MATCH (n:Evidence {user_id: $user, key: key}) DELETE n"


class Publication:
    """One replacement of a user's graph, within `seconds`."""

    def __init__(self, server: Neo4jServer, user: str, batch_rows: int, seconds: float) -> None:
        self._server = server
        self._user = user
        self._batch_rows = batch_rows
        self._seconds = seconds
        self._end = time.monotonic() + seconds
        self._pending: list[tuple[str, dict[str, Any]]] = []
        self._pending_rows = 0
        self._kinds: dict[str, str] = {}  # of nodes, by key

    def replace(self, graph: Changes, made_of: str) -> PublishReport:
        """Apply the changes of `graph`; return the numbers of rows written and removed."""
        self._run(UNMARK, [None])
        nodes = self._write_nodes(graph)
        edges = self._write_edges(graph)
        self._run(REMOVE_NODES, nodes.stale)
        evidence = self._write_evidence(graph)
        changes = {"node": nodes, "edge": edges, "evidence": evidence}
        if any(change.hashes.height for change in changes.values()):
            found = digest([change.hashes for change in changes.values()])
            self._run(MARK, [{"digest": found, "snapshot": made_of, "dangling": graph.dangling}])
        self._flush()
        counts = {name: n for table, change in changes.items() for name, n in change.counts(table).items()}
        return PublishReport(**counts, dangling=graph.dangling)

    def _write_nodes(self, graph: Changes) -> Change:
        found = self._read(NODE_HASHES)
        before = {key: (kind, type_) for key, _, kind, type_ in found}
        change = graph.change("node", _hashes(found))
        shapes = list(change.rows.select("key", "kind", "type").iter_rows())
        self._kinds = {key: kind for key, (kind, _) in before.items()} | {key: kind for key, kind, _ in shapes}
        self._run(UNLABEL, [key for key, *shape in shapes if key in before and before[key] != tuple(shape)])
        for (kind, type_), rows in change.rows.partition_by("kind", "type", as_dict=True).items():
            labels = neo4j_schema.labels(str(kind), str(type_))
            for part in rows.iter_slices(self._batch_rows):
                written = [neo4j_rows.node_properties(node_row(r), self._user, r[-1]) for r in part.rows()]
                self._run(WRITE_NODES % labels, written)
        return change

    def _write_edges(self, graph: Changes) -> Change:
        found = self._read(EDGE_HASHES)
        before = {key: (kind, start, end) for key, _, kind, start, end in found}
        change = graph.change("edge", _hashes(found))
        drawn = {
            key: (kind, *self._drawn(start, end))
            for key, kind, start, end in change.rows.select("key", "kind", "start", "end").iter_rows()
        }
        # The ends of a relationship cannot be changed, so it is deleted and created again.
        self._remove_edges((key, before[key][0]) for key, shape in drawn.items() if before.get(key, shape) != shape)
        for (kind,), rows in change.rows.partition_by("kind", as_dict=True).items():
            for part in rows.iter_slices(self._batch_rows):
                self._run(WRITE_EDGES % kind, [self._edge(values) for values in part.rows()])
        self._remove_edges((key, before[key][0]) for key in change.stale)
        return change

    def _write_evidence(self, graph: Changes) -> Change:
        change = graph.change("evidence", _hashes(self._read(EVIDENCE_HASHES)))
        for part in change.rows.iter_slices(self._batch_rows):
            rows = [neo4j_rows.evidence_properties(EvidenceRow(*r[:4]), self._user, r[-1]) for r in part.rows()]
            self._run(WRITE_EVIDENCE, rows)
        self._run(REMOVE_EVIDENCE, change.stale)
        return change

    def _remove_edges(self, found: Iterable[tuple[str, str]]) -> None:
        by_kind: defaultdict[str, list[str]] = defaultdict(list)
        for key, kind in found:
            by_kind[kind].append(key)
        for kind, keys in sorted(by_kind.items()):
            self._run(REMOVE_EDGES % kind, keys)

    def _edge(self, values: tuple[Any, ...]) -> dict[str, Any]:
        row = edge_row(values)
        ends = self._drawn(row.start, row.end)
        properties = neo4j_rows.edge_properties(row, self._user, values[-1], ends != (row.start, row.end))
        return {"key": row.key, "from": ends[0], "to": ends[1], "properties": properties}

    def _drawn(self, start: str, end: str) -> tuple[str, str]:
        inverted = neo4j_schema.inverted(self._kinds[start], self._kinds[end])
        return (end, start) if inverted else (start, end)

    def _read(self, query: str) -> list[list[Any]]:
        return self._server.read(query, {"user": self._user}, self._left())

    def _run(self, query: str, rows: Sequence[Any] | pl.Series) -> None:
        """Queue a statement over rows; transactions are committed when they reach the batch size."""
        first = 0
        while first < len(rows):
            batch = list(rows[first : first + self._batch_rows - self._pending_rows])
            self._pending.append((query, {"user": self._user, "rows": batch}))
            self._pending_rows += len(batch)
            first += len(batch)
            if self._pending_rows >= self._batch_rows:
                self._flush()

    def _flush(self) -> None:
        if self._pending:
            self._server.write(self._pending, self._left())
        self._pending, self._pending_rows = [], 0

    def _left(self) -> float:
        left = self._end - time.monotonic()
        if left <= 0:
            raise GraphUnavailableError(f"the graph took longer than {self._seconds:g} s (graph.publish_seconds)")
        return left


def _hashes(found: Sequence[Sequence[Any]]) -> pl.DataFrame:
    return pl.DataFrame({"key": [row[0] for row in found], "hash": [row[1] for row in found]}, schema=HASHES)
