"""A graph without one of its sources: pure, the same for every store.

What only this source supports vanishes: its mentions, its evidence, entities and facts that nothing else supports,
notes that came with it. What others support too is worked out anew from them: counts, times, names, confidence, and
facts with their validity, so that a fact that this source had ended is current again. Texts that were made of this
source (a description, a summary that cites it) are dropped; the next night writes new ones.
"""

import json
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from brain_retrieval.stores.graph import reaggregation
from brain_retrieval.stores.graph.memory_block import COPIED, FRESH
from brain_retrieval.stores.graph.project_edges import fact_edge
from brain_retrieval.stores.graph.project_nodes import literal
from brain_retrieval.stores.graph.rows import EdgeRow, EvidenceRow, GraphRows

if TYPE_CHECKING:
    import polars as pl

BLOCK = {*COPIED, *FRESH, "decay_rate"}


def without_source(graph: GraphRows, source_id: str, user: str) -> GraphRows:
    """Return the rows that are left; `graph` itself is used up. An unknown source changes nothing."""
    gone = [row for row in graph.evidence.values() if row.source_id == source_id]
    if source_id not in graph.nodes and not gone:
        return graph
    mentioned = {e.end for e in graph.edges.values() if e.kind == "mentions" and e.start == source_id}
    storylines = {e.start for e in graph.edges.values() if e.kind == "includes" and e.end == source_id}
    graph.nodes.pop(source_id, None)
    for row in gone:
        del graph.evidence[row.key]
    _drop_notes(graph, source_id)
    ends = _derive_again(graph, gone, user)
    graph.drop_dangling()
    reaggregation.entities(graph, mentioned | ends)
    graph.drop_dangling()
    reaggregation.storylines(graph, storylines)
    _drop_unsupported(graph)
    reaggregation.marks(graph)
    _drop_texts(graph, source_id, mentioned)
    graph.dangling = 0
    return graph


def _drop_notes(graph: GraphRows, source_id: str) -> None:
    notes = {key: node for key, node in graph.nodes.items() if node.kind == "note"}
    for key, note in notes.items():
        if note.properties.get("source_id") == source_id:
            del graph.nodes[key]
        elif note.properties.get("source_entity_key") == source_id:
            del note.properties["source_entity_key"]


def _derive_again(graph: GraphRows, gone: list[EvidenceRow], user: str) -> set[str]:
    """Change the facts that the lost evidence makes a difference to, and no others; return their ends."""
    if not gone:
        return set()
    ends: set[str] = set()
    before, after = _facts([*graph.evidence.values(), *gone]), _facts(graph.evidence.values())
    for fact_id, row in before.items():
        if after.get(fact_id) == row:
            continue
        old = graph.edges.pop(fact_id, None)
        if old is not None:
            ends |= {old.start, old.end}
            if old.kind == "has_value":
                del graph.nodes[old.end]
        if fact_id in after:
            _add_fact(graph, after[fact_id], old, user)
    for fact_id in after.keys() - before.keys():
        _add_fact(graph, after[fact_id], None, user)
    return ends


def _add_fact(graph: GraphRows, row: dict[str, Any], old: EdgeRow | None, user: str) -> None:
    block = FRESH if old is None else {name: value for name, value in old.properties.items() if name in BLOCK}
    edge = fact_edge(row, block)
    graph.edges[edge.key] = edge
    if row["object_id"] is None:
        node = literal(row, user)
        graph.nodes[node.key] = node


def _facts(evidence: Iterable[EvidenceRow]) -> dict[str, dict[str, Any]]:
    """Return the facts that rows of evidence make, by id."""
    import polars as pl
    import pyarrow as pa

    from brain_retrieval.knowledge.derive import derive_facts
    from brain_retrieval.knowledge.tables import FACT_EVIDENCE

    rows = [json.loads(row.data) for row in sorted(evidence, key=lambda row: row.key)]
    if not rows:
        return {}
    times = [field.name for field in FACT_EVIDENCE if pa.types.is_timestamp(field.type)]
    for row in rows:
        row |= {name: datetime.fromisoformat(row[name]) for name in times if row[name]}
    frame = cast("pl.DataFrame", pl.from_arrow(pa.Table.from_pylist(rows, schema=FACT_EVIDENCE)))
    return {row["fact_id"]: row for row in derive_facts(frame).iter_rows(named=True)}


def _drop_unsupported(graph: GraphRows) -> None:
    """Remove values without a fact, notes without a target, storylines and macros without an anchor, until none is."""
    needs = {"literal": ("has_value", "end"), "note": ("HAS_NOTE", "end")}
    needs |= {"storyline": ("about", "start"), "macro": ("rooted_in", "start")}
    while True:
        graph.drop_dangling()
        held = {(e.kind, side, getattr(e, side)) for e in graph.edges.values() for side in ("start", "end")}
        orphans = [k for k, n in graph.nodes.items() if n.kind in needs and (*needs[n.kind], k) not in held]
        if not orphans:
            return
        for key in orphans:
            del graph.nodes[key]


def _drop_texts(graph: GraphRows, source_id: str, mentioned: set[str]) -> None:
    for key, node in graph.nodes.items():
        if key in mentioned or source_id in node.properties.get("cited_source_ids", ()):
            reaggregation.undescribe(node)
