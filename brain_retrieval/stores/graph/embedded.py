"""The graph of a user in one SQLite file: nothing to install, always there. Its tables are in `embedded_tables.py`."""

from collections.abc import Iterable, Sequence
from itertools import chain

from brain_retrieval.home import Space
from brain_retrieval.settings.knowledge import GraphSettings
from brain_retrieval.stores.graph import embedded_tables as tables
from brain_retrieval.stores.graph.forgetting import without_source
from brain_retrieval.stores.graph.projection import project
from brain_retrieval.stores.graph.protocol import Edge, EdgeFilter, GraphSnapshot, Node, PublishReport
from brain_retrieval.stores.graph.rows import GraphRows, encode, fold
from brain_retrieval.stores.graph.traversal import Link, Traversals
from brain_retrieval.stores.sqlite import Database

REMEDY = "it holds derived data only: move it aside and publish the newest night again"


class _File(Database):
    remedy = REMEDY


class EmbeddedGraph(Traversals):
    """`GraphStore` over `users/<user>/graph.sqlite`. To publish is one transaction: readers see all of it or none."""

    def __init__(self, space: Space, settings: GraphSettings | None = None) -> None:
        self.user = space.user
        self.query_seconds = (settings or GraphSettings()).query_seconds
        self._file = _File(space.root / "graph.sqlite", tables.SCHEMA)

    def publish(self, snapshot: GraphSnapshot) -> PublishReport:
        """Make the graph exactly what the tables say. The same tables again write nothing."""
        return self._replace(project(snapshot, self.user))

    def delete_source(self, source_id: str) -> PublishReport:
        """Remove a source and all that nothing else supports; what others support is worked out anew."""
        return self._replace(without_source(self._load(), source_id, self.user))

    def delete_user(self) -> PublishReport:
        """Remove every row; the file stays, emptied and shortened."""
        report = self._replace(GraphRows())
        self._file.rows("VACUUM")
        self._file.checkpoint()
        return report

    def find(
        self, text: str, *, prefix: bool = False, kinds: Iterable[str] | None = None, limit: int = 20
    ) -> list[Node]:
        """Return nodes of a name or alias, case and spacing aside; by confidence, then key."""
        folded = fold(text)
        if not folded:
            return []
        wanted = None if kinds is None else encode(sorted(kinds))
        last = folded + "\U0010ffff" if prefix else folded
        rows = self._file.rows(tables.FIND, (folded, last, wanted, wanted, max(limit, 0)))
        found = self._nodes([key for (key,) in rows])
        return [found[key] for (key,) in rows]

    def stats(self) -> dict[str, int]:
        """Return counts: `node.<kind>`, `edge.<kind>` and `evidence`, sorted by name, zeros left out."""
        return dict(self._file.rows(tables.STATS))

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
            rows.append(self._file.rows(tables.LINKS_OUT + where, (asked, *values)))
        if edges.direction != "out":
            rows.append(self._file.rows(tables.LINKS_IN + where, (asked, *values)))
        return [Link(*row) for row in chain.from_iterable(rows)]

    def _nodes(self, keys: Sequence[str]) -> dict[str, Node]:
        rows = self._file.rows(tables.NODES, (encode(list(keys)),))
        return {row[0]: tables.node_row(row).record() for row in rows}

    def _edges(self, keys: Sequence[str]) -> dict[str, Edge]:
        rows = self._file.rows(tables.EDGES, (encode(list(keys)),))
        return {row[0]: tables.edge_row(row).record() for row in rows}

    def _load(self) -> GraphRows:
        graph = GraphRows()
        for row in self._file.rows(tables.ALL_NODES):
            graph.nodes[row[0]] = tables.node_row(row)
        for row in self._file.rows(tables.ALL_EDGES):
            graph.edges[row[0]] = tables.edge_row(row)
        for row in self._file.rows(tables.ALL_EVIDENCE):
            graph.evidence[row[0]] = tables.evidence_row(row)
        return graph

    def _replace(self, graph: GraphRows) -> PublishReport:
        written, removed = {}, {}
        with self._file.transaction() as connection:
            for table, rows in (("node", graph.nodes), ("edge", graph.edges), ("evidence", graph.evidence)):
                written[table], removed[table] = tables.replace(connection, table, rows)
        return PublishReport(
            written["node"], removed["node"], written["edge"], removed["edge"],
            written["evidence"], removed["evidence"], graph.dangling,
        )  # fmt: skip
