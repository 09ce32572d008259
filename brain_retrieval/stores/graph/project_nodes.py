"""The nodes of a night: people, concepts, entities, sources, storylines, macros, notes and values of facts."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from brain_retrieval.ids import content_id
from brain_retrieval.stores.graph.memory_block import FRESH, OWNER, MemoryBlocks
from brain_retrieval.stores.graph.rows import NodeRow, fold, plain

if TYPE_CHECKING:
    from brain_retrieval.stores.graph.projection import Tables

# How the documented schema calls the content of a source, where it has a word of its own.
CONTENT_TYPES = {"note": "text-note", "voice-memo": "text-note", "message": "conversation", "mailbox": "email"}
NOTE_COLUMNS = ("target", "content", "lifetime", "date_added", "expires_at", "expired", "added_by", "source_id")
STORYLINE_COLUMNS = (
    "open source_count weight distinct_days started_at last_source_at promoted_at evidence_hash anchor_id".split()
)
MACRO_COLUMNS = "storyline_count total_source_count started_at last_event_at evidence_hash anchor_id".split()
ENTITY_COLUMNS = (
    "canonical_name aliases is_owner mention_count source_count distinct_source_days first_mentioned_at "
    "last_mentioned_at first_received_at last_received_at".split()
)
SOURCE_COLUMNS = (
    "source_type uri title event_at received_at participants summary keywords tags bucket trust parent_id url".split()
)


def nodes(tables: "Tables", blocks: MemoryBlocks, user: str) -> Iterator[NodeRow]:
    """Yield every node of the night. Every node says whose it is and who made it (`created_by`)."""
    summaries = {(row["item"], row["item_id"]): row for row in tables.rows("summaries")}
    marks = _marks(tables)
    for row in tables.rows("known_entities"):
        yield _entity(row, blocks, summaries.get(("entity", row["entity_id"])), marks[row["entity_id"]], user)
    for row in tables.rows("sources"):
        yield _source(row, blocks, user)
    for row in tables.rows("storylines"):
        summary = summaries.get(("storyline", row["storyline_id"]))
        yield _anchored("storyline", row, STORYLINE_COLUMNS, blocks, summary, user)
    for row in tables.rows("macros"):
        yield _anchored("macro", row, MACRO_COLUMNS, blocks, summaries.get(("macro", row["macro_id"])), user)
    for row in tables.rows("notes"):
        yield _note(row, user)
    for row in tables.rows("known_facts"):
        if row["object_id"] is None:
            yield literal(row, user)


def literal(fact: Mapping[str, Any], user: str) -> NodeRow:
    """Return the node of a literal object. Each fact has its own, so that equal values connect nobody."""
    properties = {"value": fact["object"], "fact_id": fact["fact_id"], "created_by": user}
    return NodeRow(
        literal_key(fact["fact_id"]), "literal", "Literal", fact["object"], float(fact["confidence"]), properties
    )


def literal_key(fact_id: str) -> str:
    """Return the key of the node that holds the literal object of a fact."""
    return content_id("literal", fact_id)


def _marks(tables: "Tables") -> defaultdict[str, dict[str, bool]]:
    marks: defaultdict[str, dict[str, bool]] = defaultdict(lambda: {"has_meso": False, "has_macro": False})
    for table, mark in (("storylines", "has_meso"), ("macros", "has_macro")):
        for row in tables.rows(table):
            marks[row["anchor_id"]][mark] = True
    return marks


def _entity(
    row: Mapping[str, Any],
    blocks: MemoryBlocks,
    summary: Mapping[str, Any] | None,
    marks: Mapping[str, bool],
    user: str,
) -> NodeRow:
    key, owner = row["entity_id"], row["is_owner"]
    properties = {
        **{name: row[name] for name in ENTITY_COLUMNS},
        **blocks.of("entity", key, OWNER if owner else FRESH),
        **marks,
        **_described(row["description"], summary),
        "entity_key": key,
        "created_by": user,
        "created_at": row["first_received_at"],
        "updated_at": row["last_received_at"],
    }
    names = sorted({fold(name) for name in (row["name"], *row["aliases"])})
    confidence = 1.0 if owner else float(row["confidence"])
    return NodeRow(key, row["entity_class"].lower(), row["type"], row["name"], confidence, plain(properties), names)


def _source(row: Mapping[str, Any], blocks: MemoryBlocks, user: str) -> NodeRow:
    key = row["source_id"]
    properties = {
        **blocks.of("source", key, {**FRESH, "sensitivity": row["sensitivity"]}),
        **{name: row.get(name) for name in SOURCE_COLUMNS},
        "entity_key": key,
        "team_id": row.get("team"),
        "content_type": CONTENT_TYPES.get(row["source_type"], row["source_type"]),
        "processing_status": "extracted",
        "created_by": user,
        "created_at": row["received_at"],
        "updated_at": row["received_at"],
    }
    title = row["title"] or row["uri"]
    return NodeRow(key, "source", "Source", title, 1.0, plain(properties), [fold(title)])


def _anchored(
    kind: str,
    row: Mapping[str, Any],
    columns: Sequence[str],
    blocks: MemoryBlocks,
    summary: Mapping[str, Any] | None,
    user: str,
) -> NodeRow:
    key = row[f"{kind}_id"]
    properties = {
        **blocks.of(kind, key, {**FRESH, "state": "active" if kind == "storyline" else "core"}),
        **{name: row[name] for name in columns},
        **_described("", summary),
        f"{kind}_id": key,
        "anchor_entity_key": row["anchor_id"],
        "team_id": row["team"],
        "is_dirty": summary is None or summary["evidence_hash"] != row["evidence_hash"],
        "created_by": user,
        "created_at": row["started_at"],
    }
    del properties["anchor_id"]
    return NodeRow(key, kind, kind.title(), row["name"], 1.0, plain(properties), [fold(row["name"])])


def _note(row: Mapping[str, Any], user: str) -> NodeRow:
    properties = {
        **{name: row[name] for name in NOTE_COLUMNS},
        "note_id": row["note_id"],
        "entity_key": row["entity_id"],
        "other_entity_key": row["other_entity_id"],
        "source_entity_key": row["source_entity_key"],
        "created_by": user,
        "created_at": row["date_added"],
    }
    return NodeRow(row["note_id"], "note", "Note", row["content"][:80], 1.0, plain(properties))


def _described(text: str | None, summary: Mapping[str, Any] | None) -> dict[str, Any]:
    if summary is None:
        return {"description": text or ""}
    cited = sorted({citation["source_id"] for citation in summary["citations"] or []})
    return {"description": summary["description"], "description_from": summary["method"], "cited_source_ids": cited}
