"""The edges of a night: mentions, facts, what storylines and macros hold together, notes."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from brain_retrieval.ids import content_id
from brain_retrieval.stores.graph.memory_block import MemoryBlocks
from brain_retrieval.stores.graph.project_nodes import literal_key
from brain_retrieval.stores.graph.rows import EdgeRow, plain

if TYPE_CHECKING:
    from brain_retrieval.stores.graph.projection import Tables

FACT_COLUMNS = (
    "predicate polarity modality functional ended_known_from status supersedes_fact_id superseded_by_fact_id "
    "contradicts evidence_count source_count first_said_at last_said_at description attitude proximity recorded_by "
    "evidence_ids source_ids".split()
)


def edges(tables: "Tables", blocks: MemoryBlocks) -> Iterator[EdgeRow]:
    """Yield every edge of the night."""
    yield from _mentions(tables)
    for row in tables.rows("known_facts"):
        yield fact_edge(row, blocks.of("fact", row["fact_id"]))
    yield from _storylines(tables)
    yield from _notes(tables)


def fact_edge(row: Mapping[str, Any], block: Mapping[str, Any]) -> EdgeRow:
    """Return the edge of a row of `known_facts`, from subject to object, with its memory block."""
    fact_id = row["fact_id"]
    properties = {
        **block,
        **{name: row[name] for name in FACT_COLUMNS},
        "fact_id": fact_id,
        "relationship_type": row["predicate"],
        "recorded_at": row["known_from"],
    }
    return EdgeRow(
        key=fact_id,
        kind=row["kind"],
        start=row["subject_id"],
        end=row["object_id"] or literal_key(fact_id),
        relation=row["relation"],
        confidence=float(row["confidence"]),
        valid_from=row["valid_from"],
        valid_to=row["valid_to"],
        known_from=row["known_from"],
        properties=plain(properties),
    )


def _mentions(tables: "Tables") -> Iterator[EdgeRow]:
    """Yield one edge for each source and entity; a source may have several names for the same."""
    members: defaultdict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in tables.rows("entity_members"):
        members[row["source_id"], row["entity_id"]].append(row)
    for (source_id, entity_id), rows in members.items():
        rows.sort(key=lambda row: row["member_id"])
        first = rows[0]
        properties = {
            "names": sorted({row["name"] for row in rows} | {a for row in rows for a in row["aliases"] or []}),
            "rules": sorted({row["rule"] for row in rows}),
            "mention_count": sum(row["mention_count"] for row in rows),
            "source_type": first["source_type"],
            "event_at": first["event_at"],
            "received_at": first["received_at"],
        }
        confidence = max(float(row["confidence"]) for row in rows)
        yield _edge("mentions", source_id, entity_id, properties, confidence, (first["event_at"], first["received_at"]))


def _storylines(tables: "Tables") -> Iterator[EdgeRow]:
    for row in tables.rows("storylines"):
        yield _edge("about", row["storyline_id"], row["anchor_id"], {}, 1.0, (row["started_at"], None))
    for row in tables.rows("storyline_sources"):
        properties = {name: row[name] for name in ("source_type", "event_at", "weight")}
        yield _edge("includes", row["storyline_id"], row["source_id"], properties, 1.0, (row["event_at"], None))
    for row in tables.rows("macros"):
        yield _edge("rooted_in", row["macro_id"], row["anchor_id"], {}, 1.0, (row["started_at"], None))
        for storyline_id in row["storyline_ids"]:
            yield _edge("groups", row["macro_id"], storyline_id, {}, 1.0, (row["started_at"], None))


def _notes(tables: "Tables") -> Iterator[EdgeRow]:
    for row in tables.rows("notes"):
        since, until = row["date_added"], row["expires_at"]
        for entity in sorted({row["entity_id"], row["other_entity_id"]} - {None}):
            yield _edge("HAS_NOTE", entity, row["note_id"], {}, 1.0, (since, since), until)
        # The source that the note is about, else the one it came with.
        source = row["source_entity_key"] or row["source_id"]
        yield _edge("ADDED_IN", row["note_id"], source, {}, 1.0, (since, since), until)


def _edge(
    kind: str,
    start: str,
    end: str,
    properties: dict[str, Any],
    confidence: float,
    since: tuple[datetime | None, datetime | None],
    until: datetime | None = None,
) -> EdgeRow:
    key = content_id(kind, start, end)
    return EdgeRow(key, kind, start, end, kind, confidence, since[0], until, since[1], plain(properties))
