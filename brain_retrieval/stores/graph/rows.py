"""The rows a graph consists of, their hashes and their JSON form. Both stores keep exactly these rows.

A store holds the hash of each row, so publishing writes only what differs. `shape` is what a store may have to
replace instead of overwrite: the labels of a node, the kind and the ends of an edge.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from brain_retrieval.ids import stable_hash
from brain_retrieval.stores.graph.protocol import Edge, Node

TIMES = frozenset(
    "event_at received_at created_at updated_at first_mentioned_at last_mentioned_at first_received_at "
    "last_received_at last_accessed_at anchor_at expires_at started_at last_source_at promoted_at last_event_at "
    "date_added recorded_at first_said_at last_said_at ended_known_from".split()
)


@dataclass
class NodeRow:
    """A node to be stored; `names` is what `find` looks at, folded."""

    key: str
    kind: str
    type: str
    name: str
    confidence: float
    properties: dict[str, Any]
    names: list[str] = field(default_factory=list)

    @property
    def shape(self) -> str:
        return f"{self.kind}.{self.type}"

    @property
    def content(self) -> str:
        return encode([self.name, self.confidence, self.names, self.properties])

    @property
    def hash(self) -> str:
        return f"{stable_hash(self.shape)}.{stable_hash(self.content)}"

    def record(self) -> Node:
        """Return what a reader sees."""
        return Node(self.key, self.kind, self.type, self.name, self.confidence, self.properties)


@dataclass
class EdgeRow:
    """An edge to be stored, from subject to object. Its columns of validity are `protocol.Edge`'s."""

    key: str
    kind: str
    start: str
    end: str
    relation: str
    confidence: float
    valid_from: datetime | None
    valid_to: datetime | None
    known_from: datetime | None
    properties: dict[str, Any]

    @property
    def shape(self) -> str:
        return f"{self.kind}.{self.start}.{self.end}"

    @property
    def content(self) -> str:
        times = [t.isoformat() if t else None for t in (self.valid_from, self.valid_to, self.known_from)]
        return encode([self.relation, self.confidence, times, self.properties])

    @property
    def hash(self) -> str:
        return f"{stable_hash(self.shape)}.{stable_hash(self.content)}"

    @property
    def ended_known_from(self) -> datetime | None:
        return self.properties.get("ended_known_from")

    @property
    def predicate(self) -> str:
        return self.properties.get("predicate", self.relation)

    @property
    def negated(self) -> bool:
        return self.properties.get("polarity") == "negated"

    def record(self) -> Edge:
        """Return what a reader sees."""
        times = (self.valid_from, self.valid_to, self.known_from)
        ends = (self.start, self.end)
        return Edge(self.key, self.kind, *ends, self.relation, self.confidence, *times, self.properties)


@dataclass(frozen=True)
class EvidenceRow:
    """One row of the table `fact_evidence`, kept so that a graph without one of its sources can be worked out."""

    key: str
    source_id: str
    subject_id: str
    data: str  # JSON object

    @property
    def hash(self) -> str:
        return stable_hash([self.source_id, self.subject_id, self.data])


@dataclass
class GraphRows:
    """A whole graph, by key."""

    nodes: dict[str, NodeRow] = field(default_factory=dict)
    edges: dict[str, EdgeRow] = field(default_factory=dict)
    evidence: dict[str, EvidenceRow] = field(default_factory=dict)
    dangling: int = 0

    def drop_dangling(self) -> None:
        """Leave out edges that lack an end, and count them."""
        kept = {k: e for k, e in self.edges.items() if e.start in self.nodes and e.end in self.nodes}
        self.dangling += len(self.edges) - len(kept)
        self.edges = kept


def fold(name: str) -> str:
    """Return a name for comparison: case folded, one space between words."""
    return " ".join(name.casefold().split())


def plain(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return properties without nulls; stores have none."""
    return {name: value for name, value in properties.items() if value is not None}


def encode(value: Any) -> str:
    """Return canonical JSON; times as ISO 8601 in UTC."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=_time)


def decode_properties(text: str) -> dict[str, Any]:
    """Return properties from JSON; those named in TIMES become times."""
    properties = json.loads(text)
    for name in TIMES & properties.keys():
        properties[name] = datetime.fromisoformat(properties[name])
    return properties


def _time(value: Any) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    raise TypeError(f"{type(value).__name__} is no property of a graph")
