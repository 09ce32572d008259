"""From the tables of a night to the rows of a graph: a pure function, the same for every store."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from brain_retrieval.stores.graph.memory_block import MemoryBlocks
from brain_retrieval.stores.graph.protocol import GraphSnapshot
from brain_retrieval.stores.graph.rows import EvidenceRow, GraphRows, encode

if TYPE_CHECKING:
    import polars as pl


class Tables:
    """Rows of a snapshot by table; a table that is left out is empty."""

    def __init__(self, snapshot: GraphSnapshot) -> None:
        self._snapshot = dict(snapshot)
        if "sources" not in self._snapshot and "known_sources" in self._snapshot:
            self._snapshot["sources"] = self._snapshot["known_sources"]

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table as plain Python values."""
        frame: pl.DataFrame | None = self._snapshot.get(table)
        if frame is not None:
            yield from frame.iter_rows(named=True)


def project(snapshot: GraphSnapshot, user: str) -> GraphRows:
    """Return the graph of a night. Edges to nodes that the night does not have are left out and counted."""
    from brain_retrieval.stores.graph import project_edges, project_nodes

    tables = Tables(snapshot)
    blocks = MemoryBlocks({(row["item"], row["item_id"]): row for row in tables.rows("salience")})
    graph = GraphRows()
    for node in project_nodes.nodes(tables, blocks, user):
        graph.nodes[node.key] = node
    for edge in project_edges.edges(tables, blocks):
        graph.edges[edge.key] = edge
    for row in tables.rows("fact_evidence"):
        key = row["evidence_id"]
        graph.evidence[key] = EvidenceRow(key, row["source_id"], row["subject_id"], encode(row))
    graph.drop_dangling()
    return graph
