"""Recomputation of entities, storylines and macros from their remaining edges, after a source was removed."""

import math
from collections import defaultdict
from datetime import UTC

from brain_retrieval.language.folding import fold
from brain_retrieval.stores.graph.protocol import FACT_KINDS
from brain_retrieval.stores.graph.rows import EdgeRow, GraphRows, NodeRow

# Times of mentions, removed from entities without mentions.
SEEN = (
    "first_mentioned_at",
    "last_mentioned_at",
    "first_received_at",
    "last_received_at",
    "created_at",
    "updated_at",
)


def entities(graph: GraphRows, keys: set[str]) -> None:
    """Recount the mentions of these entities; remove those without mentions and facts, except the owner."""
    mentions, stated = defaultdict(list), set()
    for edge in graph.edges.values():
        if edge.kind == "mentions" and edge.end in keys:
            mentions[edge.end].append(edge)
        elif edge.kind in FACT_KINDS:
            stated |= {edge.start, edge.end}
    for key in sorted(keys & graph.nodes.keys()):
        node = graph.nodes[key]
        if mentions[key]:
            _recount(node, sorted(mentions[key], key=lambda edge: edge.key))
        elif key not in stated and not node.properties.get("is_owner"):
            del graph.nodes[key]
        elif "mention_count" in node.properties:
            node.properties |= {"mention_count": 0, "source_count": 0, "distinct_source_days": 0}
            for name in SEEN:
                node.properties.pop(name, None)


def storylines(graph: GraphRows, keys: set[str]) -> None:
    """Recount the sources of these storylines and their macros; drop texts derived from the removed source."""
    included = _by_start(graph, "includes")
    for key in sorted(keys & graph.nodes.keys()):
        if not included[key]:
            del graph.nodes[key]
            continue
        times = sorted(edge.properties["event_at"] for edge in included[key])
        graph.nodes[key].properties |= {
            "source_count": len(times),
            "weight": math.fsum(edge.properties["weight"] for edge in included[key]),
            "distinct_days": len({at.astimezone(UTC).date() for at in times}),
            "started_at": times[0],
            "last_source_at": times[-1],
            "created_at": times[0],
            # The next snapshot checks whether the thresholds are still met.
            "promoted_at": min(times[-1], graph.nodes[key].properties["promoted_at"]),
        }
        undescribe(graph.nodes[key])
    graph.drop_dangling()
    macros(graph, keys)


def macros(graph: GraphRows, changed: set[str]) -> None:
    """Recompute the macros that contain these removed or changed storylines."""
    grouped = _by_start(graph, "groups")
    for node in [n for n in graph.nodes.values() if n.kind == "macro"]:
        left = [graph.nodes[edge.end] for edge in grouped[node.key]]
        if len(left) == node.properties["storyline_count"] and not {n.key for n in left} & changed:
            continue
        if not left:
            del graph.nodes[node.key]
            continue
        started = min(n.properties["started_at"] for n in left)
        node.properties |= {
            "storyline_count": len(left),
            "total_source_count": sum(n.properties["source_count"] for n in left),
            "started_at": started,
            "last_event_at": max(n.properties["last_source_at"] for n in left),
            "created_at": started,
        }
        undescribe(node)
    for edge in graph.edges.values():
        if edge.kind in ("about", "rooted_in", "groups") and edge.start in graph.nodes:
            edge.valid_from = graph.nodes[edge.start].properties["started_at"]


def marks(graph: GraphRows) -> None:
    """Update on each entity whether it is the anchor of a storyline or macro."""
    anchors = {(edge.kind, edge.end) for edge in graph.edges.values() if edge.kind in ("about", "rooted_in")}
    for key, node in graph.nodes.items():
        if "has_meso" in node.properties:
            marked = {"has_meso": ("about", key) in anchors, "has_macro": ("rooted_in", key) in anchors}
            node.properties |= marked


def undescribe(node: NodeRow) -> None:
    """Drop a text that may be derived from a removed source; the next snapshot rewrites it."""
    for name in ("description_from", "cited_source_ids", "evidence_hash"):
        node.properties.pop(name, None)
    node.properties["description"] = ""
    if node.kind in ("storyline", "macro"):
        node.properties["is_dirty"] = True


def _recount(node: NodeRow, mentions: list[EdgeRow]) -> None:
    events = sorted(edge.properties["event_at"] for edge in mentions)
    received = sorted(edge.properties["received_at"] for edge in mentions)
    names = {fold(name): name for edge in mentions for name in edge.properties["names"]}
    kept = [alias for alias in node.properties["aliases"] if fold(alias) in names]
    if not node.properties["is_owner"]:
        # Noisy-or: wrong only if every source is.
        node.confidence = round(1 - math.prod(sorted(1 - edge.confidence for edge in mentions)), 9)
        if fold(node.name) not in names:
            node.name = min(kept or names.values())
            node.properties["canonical_name"] = "-".join(fold(node.name).split())
    node.names = sorted({fold(name) for name in (node.name, *kept)})
    node.properties |= {
        "aliases": kept,
        "mention_count": sum(edge.properties["mention_count"] for edge in mentions),
        "source_count": len(mentions),
        "distinct_source_days": len({at.astimezone(UTC).date() for at in events}),
        "first_mentioned_at": events[0],
        "last_mentioned_at": events[-1],
        "first_received_at": received[0],
        "last_received_at": received[-1],
        "created_at": received[0],
        "updated_at": received[-1],
    }


def _by_start(graph: GraphRows, kind: str) -> defaultdict[str, list[EdgeRow]]:
    found: defaultdict[str, list[EdgeRow]] = defaultdict(list)
    for edge in sorted(graph.edges.values(), key=lambda edge: edge.key):
        if edge.kind == kind:
            found[edge.start].append(edge)
    return found
