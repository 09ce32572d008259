"""Removal of one source from a graph: pure functions, the same for every store.

Everything that only this source supports is removed: its mentions, its evidence, its notes, entities and facts without
other support. What other sources support too is recomputed from them: counts, times, names, confidence, and facts with
their validity, so that a fact that this source had ended is current again. Texts derived from this source
(descriptions, summaries that cite it) are dropped; the next snapshot writes new ones.
"""

import json
from collections.abc import Callable, Iterable
from typing import cast

import polars as pl
import pyarrow as pa

from brain_retrieval.knowledge.derive import derive_facts
from brain_retrieval.stores.graph import project_edges, reaggregation
from brain_retrieval.stores.graph.frames import STORED, Change, hashes, stored
from brain_retrieval.stores.graph.memory_block import COLUMNS
from brain_retrieval.stores.graph.project_nodes import literals
from brain_retrieval.stores.graph.rows import EdgeRow, EvidenceRow, GraphRows, Row, edge_row, node_row
from brain_retrieval.stores.knowledge_tables import FACT_EVIDENCE


class Remainder:
    """`Changes` that remove a source from a graph. `rows` reads the rows of one of its tables."""

    dangling = 0

    def __init__(self, rows: Callable[[str], Iterable[Row]], source_id: str, user: str) -> None:
        self._rows = rows
        self._left = without_source(GraphRows.read(rows), source_id, user)

    def change(self, table: str, before: pl.DataFrame) -> Change:
        """Return the change of a table that has rows of the HASHES `before`."""
        left = self._left.table(table)
        same, stale = set[str](), list[str]()
        for old in self._rows(table):  # read again, so that the graph is in memory only once
            if old.key not in left:
                stale.append(old.key)
            elif left[old.key] == old:
                same.add(old.key)
        values = [left[key].values() for key in sorted(left.keys() - same)]
        written = stored(table, pl.DataFrame(values, schema=STORED[table], orient="row"))
        after = pl.concat([before.filter(pl.col("key").is_in(list(same))), hashes(written)])
        return Change(written.join(hashes(written), on="key"), pl.Series(sorted(stale), dtype=pl.String()), after)


def without_source(graph: GraphRows, source_id: str, user: str) -> GraphRows:
    """Return the remaining rows; `graph` is modified. An unknown source changes nothing."""
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
    """Rederive only the facts affected by the lost evidence; return the keys of their end nodes."""
    if not gone:
        return set()
    ends: set[str] = set()
    before, after = _facts([*graph.evidence.values(), *gone]), _facts(graph.evidence.values())
    lost = before.join(after, on="fact_id", how="anti")["fact_id"].to_list()
    changed = after.join(before, on=after.columns, how="anti", nulls_equal=True)
    olds = {key: graph.edges.pop(key) for key in [*lost, *changed["fact_id"]] if key in graph.edges}
    for old in olds.values():
        ends |= {old.start, old.end}
        if old.kind == "has_value":
            del graph.nodes[old.end]
    _add_facts(graph, changed, olds, user)
    return ends


def _add_facts(graph: GraphRows, changed: pl.DataFrame, olds: dict[str, EdgeRow], user: str) -> None:
    for values in stored("edge", project_edges.facts(changed, None)).rows():
        edge = edge_row(values)
        if edge.key in olds:
            edge.properties |= {name: v for name, v in olds[edge.key].properties.items() if name in COLUMNS}
        graph.edges[edge.key] = edge
    for values in stored("node", literals(changed, user)).rows():
        node = node_row(values)
        graph.nodes[node.key] = node


def _facts(evidence: Iterable[EvidenceRow]) -> pl.DataFrame:
    """Return the facts derived from rows of evidence."""
    rows = [
        {**json.loads(row.data), "evidence_id": row.key, "source_id": row.source_id, "subject_id": row.subject_id}
        for row in sorted(evidence, key=lambda row: row.key)
    ]
    table = pa.Table.from_pylist(rows, schema=FACT_EVIDENCE)
    return derive_facts(cast("pl.DataFrame", pl.from_arrow(table)))


def _drop_unsupported(graph: GraphRows) -> None:
    """Remove values without a fact, notes without a target, storylines and macros without an anchor, repeatedly."""
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
