"""`GraphStore`: the interface of a user's graph, and its records. No store and no query is here.

Keys are ids of the knowledge tables: entity_id, source_id, storyline_id, macro_id, note_id; of an edge that is a fact
its fact_id. A store object is bound to one user. Every store gives the same results
in the same order; `embedded.py` and `neo4j_store.py` are the two there are.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from brain_retrieval.errors import StoreError

if TYPE_CHECKING:
    import polars as pl

Direction = Literal["out", "in", "both"]
NODE_KINDS = ("person", "concept", "entity", "source", "storyline", "macro", "note", "literal")
FACT_KINDS = (
    "has_relationship_with",
    "engages_with",
    "associated_with",
    "relates_to",
    "involves",
    "connected_to",
    "has_value",
)
EDGE_KINDS = ("mentions", *FACT_KINDS, "about", "includes", "rooted_in", "groups", "HAS_NOTE", "ADDED_IN")
MAX_HOPS = 3
MAX_PATH = 8

# The tables of a snapshot by name, and `sources` (or `known_sources`). A table that is left out counts as empty.
GraphSnapshot = Mapping[str, "pl.DataFrame"]


class GraphUnavailableError(StoreError):
    """A graph that cannot be reached, refused, or took longer than `graph.query_seconds`."""


@dataclass(frozen=True)
class Node:
    """A node. `type` is the finer type ("Organization"); `properties` hold what the schema documents, no nulls."""

    key: str
    kind: str
    type: str
    name: str
    confidence: float
    properties: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Edge:
    """A relationship from subject to object. `relation` is one of RELATIONS for a fact, else the kind."""

    key: str
    kind: str
    start: str
    end: str
    relation: str
    confidence: float
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    known_from: datetime | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class NearbyNode:
    """A node reached in `hops` steps; `strength` is the best product of edge confidences over that many steps."""

    node: Node
    hops: int
    strength: float


@dataclass(frozen=True)
class Neighbourhood:
    """The neighbourhood of a node: neighbours by hops, then strength, then key; edges by confidence, then key."""

    center: Node
    neighbours: tuple[NearbyNode, ...]
    edges: tuple[Edge, ...]


@dataclass(frozen=True)
class Path:
    """A path between two nodes: n nodes and n - 1 edges. `strength` is the product of the confidences."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    strength: float


@dataclass(frozen=True)
class RankedNode:
    """A node and its personalised PageRank."""

    node: Node
    score: float


@dataclass(frozen=True)
class Subgraph:
    """Nodes by key and the edges among them by confidence."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


@dataclass(frozen=True)
class PublishReport:
    """Numbers of rows written and removed. `dangling` counts edges left out because an end is missing."""

    nodes_written: int = 0
    nodes_removed: int = 0
    edges_written: int = 0
    edges_removed: int = 0
    evidence_written: int = 0
    evidence_removed: int = 0
    dangling: int = 0

    @property
    def changes(self) -> int:
        """Rows written or removed."""
        nodes = self.nodes_written + self.nodes_removed
        return nodes + self.edges_written + self.edges_removed + self.evidence_written + self.evidence_removed


@dataclass(frozen=True)
class EdgeFilter:
    """Which edges are used. `as_of` is a time of validity, `known_at` a time of knowledge.

    An edge holds at T if valid_from ≤ T < valid_to, and is known at K if known_from ≤ K; an end of validity that
    became known after K is not applied. An edge without validity always holds. `relations` are relations or predicates.
    """

    relations: frozenset[str] | None = None
    kinds: frozenset[str] | None = None
    direction: Direction = "both"
    as_of: datetime | None = None
    known_at: datetime | None = None
    min_confidence: float = 0.0
    negated: bool = True  # whether facts that are denied count


@runtime_checkable
class GraphStore(Protocol):
    """The graph of one user. Every method may raise GraphUnavailableError."""

    user: str

    def publish(self, snapshot: GraphSnapshot) -> PublishReport:
        """Replace the graph by the one of these tables. Publishing the same tables again writes nothing."""
        ...

    def delete_source(self, source_id: str) -> PublishReport:
        """Remove a source and everything only it supports; recompute what other sources support too."""
        ...

    def delete_user(self) -> PublishReport:
        """Remove everything of this user."""
        ...

    def node(self, key: str) -> Node | None:
        """Return the node of a key, or None."""
        ...

    def find(
        self, text: str, *, prefix: bool = False, kinds: Iterable[str] | None = None, limit: int = 20
    ) -> list[Node]:
        """Return nodes of a name or alias, case and spacing aside; by confidence, then key."""
        ...

    def neighbours(
        self,
        key: str,
        *,
        hops: int = 1,
        relations: Iterable[str] | None = None,
        kinds: Iterable[str] | None = None,
        direction: Direction = "both",
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        min_confidence: float = 0.0,
        limit: int = 50,
    ) -> Neighbourhood | None:
        """Return up to `limit` nodes at most `hops` (1–3) steps away; None for an unknown key."""
        ...

    def shortest_path(
        self,
        start: str,
        end: str,
        *,
        max_hops: int = 5,
        kinds: Iterable[str] | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
    ) -> Path | None:
        """Return the strongest shortest path, ignoring edge directions and negated facts."""
        ...

    def pagerank(
        self,
        seeds: Mapping[str, float],
        *,
        damping: float = 0.85,
        top_k: int = 20,
        max_depth: int = 3,
        kinds: Iterable[str] | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
    ) -> list[RankedNode]:
        """Rank the nodes within `max_depth` of the seeds by personalised PageRank, seeds included."""
        ...

    def subgraph(self, keys: Iterable[str]) -> Subgraph:
        """Return the nodes of these keys and the edges among them."""
        ...

    def digest(self) -> str | None:
        """Return a hash of all rows, equal across store types; None if the graph is empty or unfinished."""
        ...

    def stats(self) -> dict[str, int]:
        """Return counts: `node.<kind>`, `edge.<kind>` and `evidence`, sorted by name, zeros left out."""
        ...

    def close(self) -> None:
        """Close files and connections."""
        ...
