"""Making the part of one user in Neo4j equal to given rows: what differs is written in batches, what is stale removed.

What fits into one batch is one transaction, so the change of an ordinary night is seen whole or not at all. A large
one that breaks off leaves a graph that the next publication completes: nothing is counted, and every key is derived
from content. Nodes come before relationships, removals last.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from brain_retrieval.stores.graph import neo4j_rows, neo4j_schema
from brain_retrieval.stores.graph.neo4j_server import Neo4jServer
from brain_retrieval.stores.graph.protocol import PublishReport
from brain_retrieval.stores.graph.rows import EdgeRow, GraphRows

NODE_HASHES = "MATCH (n:Item {user_id: $user}) RETURN n.key, n.row_hash"
EDGE_HASHES = """
MATCH (:Item {user_id: $user})-[r]->(:Item {user_id: $user}) WHERE r.user_id = $user
RETURN r.key, r.row_hash, type(r)
"""
EVIDENCE_HASHES = "MATCH (n:Evidence {user_id: $user}) RETURN n.key, n.row_hash"
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
    """One replacement of a user's graph."""

    def __init__(self, server: Neo4jServer, user: str, batch_rows: int) -> None:
        self._server = server
        self._user = user
        self._batch_rows = batch_rows
        self._pending: list[tuple[str, dict[str, Any]]] = []
        self._pending_rows = 0

    def replace(self, graph: GraphRows) -> PublishReport:
        """Make the user's graph exactly these rows; return what was written and removed."""
        stale_nodes, nodes = self._write_nodes(graph)
        stale_edges, edges = self._write_edges(graph)
        for kind, keys in sorted(stale_edges.items()):
            self._run(REMOVE_EDGES % kind, keys)
        self._run(REMOVE_NODES, stale_nodes)
        evidence, stale_evidence = self._write_evidence(graph)
        self._flush()
        removed = sum(map(len, stale_edges.values()))
        return PublishReport(nodes, len(stale_nodes), edges, removed, evidence, stale_evidence, graph.dangling)

    def _write_nodes(self, graph: GraphRows) -> tuple[list[str], int]:
        before = dict(self._read(NODE_HASHES))
        hashes = {key: row.hash for key, row in graph.nodes.items()}
        changed = sorted(key for key, digest in hashes.items() if before.get(key) != digest)
        self._run(UNLABEL, [key for key in changed if key in before and _reshaped(before[key], hashes[key])])
        by_label: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        for key in changed:
            row = graph.nodes[key]
            properties = neo4j_rows.node_properties(row, self._user, hashes[key])
            by_label[neo4j_schema.labels(row.kind, row.type)].append(properties)
        for labels, rows in sorted(by_label.items()):
            self._run(WRITE_NODES % labels, rows)
        return sorted(before.keys() - hashes.keys()), len(changed)

    def _write_edges(self, graph: GraphRows) -> tuple[Mapping[str, list[str]], int]:
        before = {key: (digest, kind) for key, digest, kind in self._read(EDGE_HASHES)}
        hashes = {key: row.hash for key, row in graph.edges.items()}
        changed = sorted(key for key, digest in hashes.items() if key not in before or before[key][0] != digest)
        moved = [key for key in changed if key in before and _reshaped(before[key][0], hashes[key])]
        for kind, keys in sorted(_grouped(moved, before).items()):
            # A relationship cannot be moved to other ends.
            self._run(REMOVE_EDGES % kind, keys)
        by_kind: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        for key in changed:
            row = graph.edges[key]
            by_kind[row.kind].append(self._drawn(row, graph, hashes[key]))
        for kind, rows in sorted(by_kind.items()):
            self._run(WRITE_EDGES % kind, rows)
        return _grouped(sorted(before.keys() - hashes.keys()), before), len(changed)

    def _write_evidence(self, graph: GraphRows) -> tuple[int, int]:
        before = dict(self._read(EVIDENCE_HASHES))
        hashes = {key: row.hash for key, row in graph.evidence.items()}
        changed = sorted(key for key, digest in hashes.items() if before.get(key) != digest)
        rows = [neo4j_rows.evidence_properties(graph.evidence[key], self._user, hashes[key]) for key in changed]
        self._run(WRITE_EVIDENCE, rows)
        stale = sorted(before.keys() - hashes.keys())
        self._run(REMOVE_EVIDENCE, stale)
        return len(changed), len(stale)

    def _drawn(self, row: EdgeRow, graph: GraphRows, digest: str) -> dict[str, Any]:
        inverted = neo4j_schema.inverted(graph.nodes[row.start].kind, graph.nodes[row.end].kind)
        ends = (row.end, row.start) if inverted else (row.start, row.end)
        properties = neo4j_rows.edge_properties(row, self._user, digest, inverted)
        return {"key": row.key, "from": ends[0], "to": ends[1], "properties": properties}

    def _read(self, query: str) -> list[list[Any]]:
        return self._server.read(query, {"user": self._user})

    def _run(self, query: str, rows: Sequence[Any]) -> None:
        """Have a statement run over rows, in this transaction or, when it is full, in more."""
        first = 0
        while first < len(rows):
            batch = rows[first : first + self._batch_rows - self._pending_rows]
            self._pending.append((query, {"user": self._user, "rows": batch}))
            self._pending_rows += len(batch)
            first += len(batch)
            if self._pending_rows >= self._batch_rows:
                self._flush()

    def _flush(self) -> None:
        if self._pending:
            self._server.write(self._pending)
        self._pending, self._pending_rows = [], 0


def _grouped(keys: Sequence[str], before: Mapping[str, tuple[str, str]]) -> Mapping[str, list[str]]:
    grouped: defaultdict[str, list[str]] = defaultdict(list)
    for key in keys:
        grouped[before[key][1]].append(key)
    return grouped


def _reshaped(before: str, after: str) -> bool:
    return before.partition(".")[0] != after.partition(".")[0]
