"""Conversion between graph rows and the properties of Neo4j nodes and relationships."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from brain_retrieval.stores.graph.protocol import Edge, Node
from brain_retrieval.stores.graph.rows import EdgeRow, EvidenceRow, NodeRow, plain

NODE_COLUMNS = ("user_id", "key", "kind", "type", "name", "confidence", "search_names", "row_hash")
EDGE_TIMES = ("valid_from", "valid_to", "known_from")
EDGE_COLUMNS = ("user_id", "key", "relation", "confidence", "inverted", "row_hash", *EDGE_TIMES)


def node_properties(row: NodeRow, user: str, digest: str) -> dict[str, Any]:
    """Return all properties of a node."""
    columns = (user, row.key, row.kind, row.type, row.name, row.confidence, row.names, digest)
    return _in_utc({**row.properties, **dict(zip(NODE_COLUMNS, columns, strict=True))})


def node_row(properties: Mapping[str, Any]) -> NodeRow:
    """Return the node of its properties."""
    names = list(properties["search_names"])
    own = {k: _native(v) for k, v in properties.items() if k not in NODE_COLUMNS}
    return NodeRow(*(properties[name] for name in NODE_COLUMNS[1:6]), properties=own, names=names)


def node_record(properties: Mapping[str, Any]) -> Node:
    """Return what a reader sees of a node."""
    return node_row(properties).record()


def edge_properties(row: EdgeRow, user: str, digest: str, inverted: bool) -> dict[str, Any]:
    """Return all properties of a relationship; `inverted` only when it is."""
    columns = {"user_id": user, "key": row.key, "relation": row.relation, "confidence": row.confidence}
    times = dict(zip(EDGE_TIMES, (row.valid_from, row.valid_to, row.known_from), strict=True))
    extra = {"row_hash": digest, "inverted": inverted or None}
    return _in_utc(plain({**row.properties, **columns, **times, **extra}))


def edge_row(kind: str, drawn: tuple[str, str], properties: Mapping[str, Any]) -> EdgeRow:
    """Return the edge of a relationship that is drawn between two keys."""
    start, end = drawn[::-1] if properties.get("inverted") else drawn
    times = [_native(properties.get(name)) for name in EDGE_TIMES]
    own = {k: _native(v) for k, v in properties.items() if k not in EDGE_COLUMNS}
    return EdgeRow(
        properties["key"], kind, start, end, properties["relation"], properties["confidence"], *times, properties=own
    )


def edge_record(kind: str, drawn: tuple[str, str], properties: Mapping[str, Any]) -> Edge:
    """Return what a reader sees of a relationship."""
    return edge_row(kind, drawn, properties).record()


def evidence_properties(row: EvidenceRow, user: str, digest: str) -> dict[str, Any]:
    """Return all properties of a node that holds evidence."""
    ids = {"user_id": user, "key": row.key, "source_id": row.source_id, "subject_id": row.subject_id}
    return {**ids, "data": row.data, "row_hash": digest}


def _in_utc(properties: dict[str, Any]) -> dict[str, Any]:
    return {k: v.astimezone(UTC) if isinstance(v, datetime) else v for k, v in properties.items()}


def _native(value: Any) -> Any:
    # The driver's own DateTime; it is not imported here, for importing this module must stay cheap.
    return value.to_native().astimezone(UTC) if hasattr(value, "to_native") else value
