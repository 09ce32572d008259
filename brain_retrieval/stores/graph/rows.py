"""Graph rows as objects, and their conversion to reader records and stored tuples.

Tuples have the columns of `frames.py`: times in microseconds since 1970, lists and properties as JSON text.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from brain_retrieval.stores.graph.memory_block import with_salience
from brain_retrieval.stores.graph.protocol import Edge, Node

TIMES = frozenset(
    "event_at received_at created_at updated_at first_mentioned_at last_mentioned_at first_received_at "
    "last_received_at last_accessed_at anchor_at expires_at started_at last_source_at promoted_at last_event_at "
    "date_added recorded_at first_said_at last_said_at ended_known_from".split()
)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


class Properties(Mapping[str, Any]):
    """Properties read from JSON on first access: a traversal reaches many nodes and returns few."""

    __slots__ = ("_text", "_values")

    def __init__(self, text: Callable[[], str]) -> None:
        self._text = text
        self._values: dict[str, Any] | None = None

    def __getitem__(self, name: str) -> Any:
        return self._read()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __repr__(self) -> str:
        return repr(self._read())

    def _read(self) -> dict[str, Any]:
        if self._values is None:
            self._values = with_salience(decode_properties(self._text()))
        return self._values


@dataclass
class NodeRow:
    """A node to be stored; `names` are the folded names that `find` searches."""

    key: str
    kind: str
    type: str
    name: str
    confidence: float
    properties: dict[str, Any]
    names: list[str] = field(default_factory=list)

    def values(self) -> tuple[Any, ...]:
        """Return the columns of NODE."""
        own = (self.key, self.kind, self.type, self.name, self.confidence)
        return (*own, encode(self.names), encode(self.properties))

    def record(self) -> Node:
        """Return what a reader sees."""
        return Node(self.key, self.kind, self.type, self.name, self.confidence, with_salience(self.properties))


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

    def values(self) -> tuple[Any, ...]:
        """Return the columns of EDGE."""
        ends = (self.key, self.kind, self.start, self.end, self.relation, self.confidence)
        times = [micros(at) for at in (self.valid_from, self.valid_to, self.known_from)]
        asked = (self.properties.get("predicate", self.relation), self.properties.get("polarity") == "negated")
        return (*ends, *times, encode(self.properties), *asked, micros(self.properties.get("ended_known_from")))

    def record(self) -> Edge:
        """Return what a reader sees."""
        times = (self.valid_from, self.valid_to, self.known_from)
        ends = (self.start, self.end)
        return Edge(self.key, self.kind, *ends, self.relation, self.confidence, *times, with_salience(self.properties))


@dataclass(frozen=True)
class EvidenceRow:
    """One row of the table `fact_evidence`, kept so that facts can be recomputed without one of their sources."""

    key: str
    source_id: str
    subject_id: str
    data: str  # JSON object of the other columns, without the text

    def values(self) -> tuple[Any, ...]:
        """Return the columns of EVIDENCE."""
        return (self.key, self.source_id, self.subject_id, self.data)


Row = NodeRow | EdgeRow | EvidenceRow


@dataclass
class GraphRows:
    """A whole graph, by key."""

    nodes: dict[str, NodeRow] = field(default_factory=dict)
    edges: dict[str, EdgeRow] = field(default_factory=dict)
    evidence: dict[str, EvidenceRow] = field(default_factory=dict)
    dangling: int = 0

    @classmethod
    def read(cls, rows: Callable[[str], Iterable[Any]]) -> "GraphRows":
        """Return the graph of three tables."""
        nodes, edges, evidence = ({row.key: row for row in rows(table)} for table in ("node", "edge", "evidence"))
        return cls(nodes, edges, evidence)

    def table(self, name: str) -> Mapping[str, Row]:
        """Return the rows of one of the tables `node`, `edge`, `evidence`."""
        return {"node": self.nodes, "edge": self.edges, "evidence": self.evidence}[name]

    def drop_dangling(self) -> None:
        """Remove edges with a missing end, and count them."""
        kept = {k: e for k, e in self.edges.items() if e.start in self.nodes and e.end in self.nodes}
        self.dangling += len(self.edges) - len(kept)
        self.edges = kept


def plain(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return properties without nulls; stores have none."""
    return {name: value for name, value in properties.items() if value is not None}


def node_row(values: tuple[Any, ...]) -> NodeRow:
    """Return the node of the columns of NODE."""
    return NodeRow(*values[:5], properties=decode_properties(values[6]), names=json.loads(values[5]))


def node_record(values: tuple[Any, ...]) -> Node:
    """Return what a reader sees of the columns of NODE, the properties being a function."""
    key, kind, type_, name, confidence, _, properties = values[:7]
    return Node(key, kind, type_, name, confidence, Properties(properties))


def edge_row(values: tuple[Any, ...]) -> EdgeRow:
    """Return the edge of the columns of EDGE; the first ten will do."""
    return EdgeRow(*values[:6], *(time_of(value) for value in values[6:9]), properties=decode_properties(values[9]))


def edge_record(values: tuple[Any, ...]) -> Edge:
    """Return what a reader sees of the columns of EDGE, the properties being a function."""
    key, kind, start, end, relation, confidence = values[:6]
    valid_from, valid_to, known_from = (time_of(value) for value in values[6:9])
    properties = Properties(values[9])
    return Edge(key, kind, start, end, relation, confidence, valid_from, valid_to, known_from, properties)


def encode(value: Any) -> str:
    """Return canonical JSON; times in microseconds since 1970."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=micros)


def decode_properties(text: str) -> dict[str, Any]:
    """Return properties from JSON, without nulls; those named in TIMES become times."""
    properties = plain(json.loads(text))
    for name in TIMES & properties.keys():
        properties[name] = time_of(properties[name])
    return properties


def micros(at: datetime | None) -> int | None:
    """Return microseconds since 1970."""
    return None if at is None else (at - EPOCH) // MICROSECOND


def time_of(value: int | None) -> datetime | None:
    """Return the UTC time of microseconds since 1970."""
    return None if value is None else EPOCH + value * MICROSECOND
