"""Source cards: title, summary, provenance and related sources of one source, read from the lake."""

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.lake_query import query

_CARD = """
SELECT t.source_id, t.source, t.uri, t.day, t.event_at, t.received_at, t.sensitivity, t.ttl_policy, t.format, t.title,
  t.language, t.authors, t.participants, t.url, t.attributes, t.parent_id, length(t.text) AS characters, e.summary,
  e.keywords, e.tags, e.bucket, e.bucket_confidence, e.method
FROM text AS t LEFT JOIN enrichments AS e USING (source_id) WHERE t.source_id = $1 OR t.uri = $1 LIMIT 1
"""
# Keys of what the text stage records of every source among its attributes.
CONTEXT, ENDED, PROVENANCE = "context_type", "ended_at", "provenance"
# Kinds in which summaries and keywords of the default method were right less often than four times in five
# (docs/enrichment.md). Nothing is shown rather than something wrong; the lake keeps them.
_NO_SUMMARIES, _NO_KEYWORDS = ("note", "document", "web"), ("note", "document")
_ENTITIES = "SELECT name, type FROM entities WHERE source_id = $1 ORDER BY mention_count DESC, name LIMIT 20"
_RELATED = "SELECT source_id, uri, title FROM text WHERE {} = $1 ORDER BY uri"


@dataclass(frozen=True)
class Relative:
    """The parent of a source, or one of its children."""

    source_id: str
    uri: str
    title: str


@dataclass(frozen=True)
class SourceCard:
    """Metadata of a source. The fields that enrichment fills are empty until it has run."""

    source_id: str
    source: str
    uri: str
    day: str
    event_at: datetime
    received_at: datetime
    sensitivity: str  # low | normal | high
    ttl_policy: str  # keep_forever | ephemeral | decay
    format: str
    title: str
    language: str | None
    authors: list[str]
    participants: list[str]
    url: str | None
    attributes: dict[str, Any]
    characters: int  # of its text
    summary: str
    keywords: list[str]
    tags: list[str]
    bucket: str | None
    bucket_confidence: float | None
    method: str | None  # of the enrichment: extractive | llm
    context_type: str | None  # the situation it comes from: conversation, meeting, event, dictation, web, …
    ended_at: str | None  # ISO 8601: end of an event or a recording, time of the last message
    provenance: dict[str, Any]  # origin: a model's name or "file"; confidence: 0–1 or None
    entities: list[dict[str, str]]  # name and type of those named in its text, the most frequent first
    parent: Relative | None
    children: list[Relative]

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values; times in ISO 8601."""
        return {
            **asdict(self),
            "event_at": self.event_at.isoformat(),
            "received_at": self.received_at.isoformat(),
        }


def read_card(lake: Lake, id_or_uri: str) -> SourceCard:
    """Return the card of a source of this user.

    Raises:
        InvalidQueryError: if no source has this id or uri.
    """
    rows = query(lake, _CARD, [id_or_uri]).to_pylist()
    if not rows:
        raise InvalidQueryError(f"no source with the id or uri {id_or_uri[:200]!r}")
    row = rows[0]
    parent_id = row.pop("parent_id")
    parents = _related(lake, "source_id", parent_id) if parent_id else []
    attributes = json.loads(row["attributes"])
    facts = {name: attributes.pop(name, None) for name in (CONTEXT, ENDED)}
    kind = facts[CONTEXT] if row["method"] == "extractive" else None
    filled = {
        "ttl_policy": row["ttl_policy"] or "decay",
        "summary": "" if kind in _NO_SUMMARIES else row["summary"] or "",
        "keywords": [] if kind in _NO_KEYWORDS else row["keywords"] or [],
        "tags": row["tags"] or [],
    }
    return SourceCard(
        **{**row, **filled, **facts, "attributes": attributes},
        provenance=attributes.pop(PROVENANCE, None) or {},
        entities=query(lake, _ENTITIES, [row["source_id"]]).to_pylist(),
        parent=parents[0] if parents else None,
        children=_related(lake, "parent_id", row["source_id"]),
    )


def _related(lake: Lake, column: str, source_id: str) -> list[Relative]:
    return [Relative(**row) for row in query(lake, _RELATED.format(column), [source_id]).to_pylist()]
