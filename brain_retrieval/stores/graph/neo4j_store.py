"""`Neo4jGraph`: a user's graph in a Neo4j server, with documented labels and relationships.

Every statement filters by user. Publication is in `neo4j_publish.py`, time limits are in `neo4j_server.py`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from brain_retrieval.home import Space
from brain_retrieval.language.folding import fold
from brain_retrieval.settings.knowledge import GraphSettings
from brain_retrieval.stores.graph import neo4j_rows, neo4j_schema
from brain_retrieval.stores.graph.forgetting import Remainder
from brain_retrieval.stores.graph.frames import Changes, snapshot_digest
from brain_retrieval.stores.graph.neo4j_publish import Publication
from brain_retrieval.stores.graph.neo4j_server import Neo4jServer
from brain_retrieval.stores.graph.projection import Projection
from brain_retrieval.stores.graph.protocol import (
    EDGE_KINDS,
    Edge,
    EdgeFilter,
    GraphSnapshot,
    Node,
    PublishReport,
)
from brain_retrieval.stores.graph.rows import EvidenceRow, GraphRows, Row
from brain_retrieval.stores.graph.traversal import Link, Traversals

NODES = "UNWIND $keys AS key MATCH (n:Item {user_id: $user, key: key}) RETURN properties(n)"
LINKS = """
UNWIND $keys AS key MATCH (a:Item {{user_id: $user, key: key}})-[r{kinds}]-(b:Item {{user_id: $user}})
WHERE r.user_id = $user AND a <> b AND r.confidence >= $min_confidence
  AND ($direction = 'both' OR ($direction = 'out') = ((startNode(r) = a) <> coalesce(r.inverted, false)))
  AND ($relations IS NULL OR r.relation IN $relations OR r.predicate IN $relations)
  AND ($negated OR coalesce(r.polarity, '') <> 'negated')
  AND ($known_at IS NULL OR r.known_from IS NULL OR r.known_from <= $known_at)
  AND ($as_of IS NULL OR r.valid_from IS NULL OR r.valid_from <= $as_of)
  AND ($as_of IS NULL OR r.valid_to IS NULL OR r.valid_to > $as_of
    OR ($known_at IS NOT NULL AND r.ended_known_from > $known_at))
RETURN r.key, a.key, b.key, r.confidence
"""
EDGE = "RETURN type(r) AS kind, a.key AS first, b.key AS second, properties(r) AS properties"
# One branch for each type of relationship, because each has an index of its own.
EDGES = "UNWIND $keys AS key CALL (key) {{ {} }} RETURN kind, first, second, properties".format(
    " UNION ALL ".join(
        f"MATCH (a:Item {{user_id: $user}})-[r:{kind} {{user_id: $user, key: key}}]->(b:Item {{user_id: $user}}) {EDGE}"
        for kind in EDGE_KINDS
    )
)
ALL_NODES = "MATCH (n:Item {user_id: $user}) RETURN properties(n)"
ALL_EDGES = "MATCH (a:Item {user_id: $user})-[r]->(b:Item {user_id: $user}) WHERE r.user_id = $user " + EDGE
ALL_EVIDENCE = "MATCH (n:Evidence {user_id: $user}) RETURN n.key, n.source_id, n.subject_id, n.data"
ALL = {"node": ALL_NODES, "edge": ALL_EDGES, "evidence": ALL_EVIDENCE}
FIND = """
MATCH (n:Item {{user_id: $user}})
WHERE any(name IN n.search_names WHERE name {test} $text) AND ($kinds IS NULL OR n.kind IN $kinds)
RETURN properties(n) ORDER BY n.confidence DESC, n.key LIMIT $limit
"""
STATS = """
MATCH (n:Item {user_id: $user}) RETURN 'node.' + n.kind AS what, count(*) AS rows
UNION ALL
MATCH (:Item {user_id: $user})-[r]->() WHERE r.user_id = $user RETURN 'edge.' + type(r) AS what, count(*) AS rows
UNION ALL
MATCH (n:Evidence {user_id: $user}) WITH count(*) AS rows WHERE rows > 0 RETURN 'evidence' AS what, rows
"""
MARKS = "MATCH (g:BrainGraph {user_id: $user}) RETURN g.snapshot, g.dangling"
DIGEST = "MATCH (g:BrainGraph {user_id: $user}) RETURN g.digest"


class Neo4jGraph(Traversals):
    """`GraphStore` over a Neo4j server (5.x, Community or Enterprise)."""

    def __init__(self, space: Space, settings: GraphSettings) -> None:
        self.user = space.user
        self.query_seconds = settings.query_seconds
        self._server = Neo4jServer(settings)
        self._batch_rows = settings.batch_rows
        self._publish_seconds = settings.publish_seconds
        self._defined = False

    def publish(self, snapshot: GraphSnapshot) -> PublishReport:
        """Replace the graph by the one of these tables. Publishing the same tables again writes nothing."""
        made_of = snapshot_digest(snapshot, self.user)
        for published, dangling in self._read(MARKS):
            if published == made_of:
                return PublishReport(dangling=dangling)
        return self._replace(Projection(snapshot, self.user), made_of)

    def delete_source(self, source_id: str) -> PublishReport:
        """Remove a source and everything only it supports; recompute what other sources support too."""
        return self._replace(Remainder(self._rows, source_id, self.user))

    def delete_user(self) -> PublishReport:
        """Remove every node and relationship of this user."""
        return self._replace(Projection({}, self.user))

    def digest(self) -> str | None:
        """Return a hash of all rows, equal across store types; None if the graph is empty or unfinished."""
        found = self._read(DIGEST)
        return found[0][0] if found else None

    def find(
        self, text: str, *, prefix: bool = False, kinds: Iterable[str] | None = None, limit: int = 20
    ) -> list[Node]:
        """Return nodes of a name or alias, case and spacing aside; by confidence, then key."""
        folded = fold(text)
        if not folded:
            return []
        query = FIND.format(test="STARTS WITH" if prefix else "=")
        wanted = None if kinds is None else sorted(kinds)
        rows = self._read(query, text=folded, kinds=wanted, limit=max(limit, 0))
        return [neo4j_rows.node_record(properties) for (properties,) in rows]

    def stats(self) -> dict[str, int]:
        """Return counts: `node.<kind>`, `edge.<kind>` and `evidence`, sorted by name, zeros left out."""
        return dict(sorted((what, rows) for what, rows in self._read(STATS)))

    def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        self._server.close()

    def _links(self, keys: Sequence[str], edges: EdgeFilter) -> list[Link]:
        if not keys or (edges.kinds is not None and not edges.kinds):
            return []
        kinds = "" if edges.kinds is None else ":" + "|".join(sorted(edges.kinds))
        # One query text for all filters: planning a new text takes the server longer than the traversal.
        rows = self._read(
            LINKS.format(kinds=kinds),
            keys=list(keys),
            min_confidence=edges.min_confidence,
            direction=edges.direction,
            relations=None if edges.relations is None else sorted(edges.relations),
            negated=edges.negated,
            known_at=edges.known_at,
            as_of=edges.as_of,
        )
        return [Link(*row) for row in rows]

    def _nodes(self, keys: Sequence[str]) -> dict[str, Node]:
        rows = self._read(NODES, keys=list(keys))
        return {properties["key"]: neo4j_rows.node_record(properties) for (properties,) in rows}

    def _edges(self, numbers: Mapping[str, int]) -> dict[str, Edge]:
        if not numbers:
            return {}
        rows = self._read(EDGES, keys=sorted(numbers))
        return {row[3]["key"]: neo4j_rows.edge_record(row[0], (row[1], row[2]), row[3]) for row in rows}

    def _rows(self, table: str) -> Iterator[Row]:
        for values in self._read(ALL[table]):
            match table:
                case "node":
                    yield neo4j_rows.node_row(values[0])
                case "edge":
                    kind, start, end, properties = values
                    yield neo4j_rows.edge_row(kind, (start, end), properties)
                case _:
                    yield EvidenceRow(*values)

    def _load(self) -> GraphRows:
        return GraphRows.read(self._rows)

    def _replace(self, graph: Changes, made_of: str = "") -> PublishReport:
        if not self._defined:
            self._server.define(neo4j_schema.statements())
            self._defined = True
        publication = Publication(self._server, self.user, self._batch_rows, self._publish_seconds)
        return publication.replace(graph, made_of)

    def _read(self, query: str, **values: Any) -> list[list[Any]]:
        return self._server.read(query, {"user": self.user, **values})
