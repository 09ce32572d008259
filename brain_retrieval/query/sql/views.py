"""The views of `Brain.sql`: tables of the lake and of the newest snapshot, the ledger, quarantine and costs.

All of them are of one user. Tables of a snapshot are empty until there is one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from brain_retrieval.schemas.names import HELD
from brain_retrieval.schemas.tables import TABLES

TIME = pa.timestamp("us", tz="UTC")
# View -> table of the lake, where the plain name is that of a table of the snapshot.
LAKE_VIEWS = {"entities": "entities_by_source", "facts": "facts_by_source"}
SNAPSHOT_VIEWS = {
    "known_entities": "entities",
    "known_facts": "relations",
    "notes": "notes",
    "storylines": "storylines",
    "storyline_sources": "storyline_sources",
    "macros": "macros",
    "habits": "habits",
    "summaries": "summaries",
    "salience": "salience",
    "fact_evidence": "relation_evidence",
    "entity_names": "entity_names",
    "entity_members": "entity_members",
}
LEDGER = pa.schema(
    [
        *((name, pa.string()) for name in ("source", "stage", "day", "state")),
        ("rows", pa.int64()),
        *((name, pa.string()) for name in ("error", "run_id", "code_version", "config_hash")),
        ("started_at", TIME),
        ("seconds", pa.float64()),
    ]
)
QUARANTINE = pa.schema(
    [(name, pa.string()) for name in ("source", "stage", "day", "source_id", "uri", "reason", "kind", "detail")]
)
COSTS = pa.schema(
    [
        ("at", TIME),
        *((name, pa.string()) for name in ("day", "model", "task", "source", "stage")),
        *((name, pa.int64()) for name in ("input_tokens", "output_tokens")),
        *((name, pa.float64()) for name in ("seconds", "money")),
        ("cached", pa.bool_()),
    ]
)
SOURCES = """
SELECT t.source_id, t.source, t.uri, t.day, t.event_at, t.received_at, t.title, t.language, t.authors, t.participants,
       e.summary, e.keywords, e.tags, e.bucket, length(t.text) AS characters, t.parent_id, t.url
FROM text AS t LEFT JOIN enrichments AS e USING (source_id)
"""
ABOUT: Mapping[str, str] = {
    "sources": "one row a source: title, language, people, summary, keywords, bucket",
    "memories": "statements with the time from which they hold, and their passages",
    "entities": "people, things and concepts of the newest snapshot",
    "relations": "relations of the newest snapshot, with validity and status",
    "relation_evidence": "the passages that relations rest on",
    "notes": "notes of agents and people",
    "storylines": "storylines of the newest snapshot",
    "storyline_sources": "which sources a storyline is made of",
    "macros": "groups of storylines",
    "habits": "what comes back every week or month, standing instructions, procedures",
    "summaries": "cited texts of storylines and macros",
    "salience": "strength and state of entities, relations and storylines",
    "entity_names": "every name of an entity",
    "entity_members": "which entity of a source belongs to which entity",
    "raw": "landed items: bytes, format, hash, origin",
    "text": "cleaned texts with their segments",
    "chunks": "passages as they are searched",
    "mentions": "where an entity of a source is mentioned",
    "entities_by_source": "entities as extracted from each source",
    "facts_by_source": "relations as extracted from each source",
    "enrichments": "summaries, keywords and tags",
    "ledger": "the last outcome of each stage for each day",
    "quarantine": "items that were refused, repaired or failed, and why",
    "costs": "requests to chat models",
}


@dataclass(frozen=True)
class ViewInfo:
    """A view: its columns with their types in SQL."""

    name: str
    about: str
    columns: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"name": self.name, "about": self.about, "columns": dict(self.columns)}


def lake_views() -> dict[str, str]:
    """Return the tables of the lake by the name of their view; what is not trusted is in none."""
    return {LAKE_VIEWS.get(table, table): table for table in TABLES if table != HELD}
