"""The memory operations of a user as stored in the lake, newest first, with or without expired ones."""

import json
from datetime import datetime
from typing import Any

from brain_pipelines.ingest.agent_targets import Targets
from brain_pipelines.sources.agent_note import SOURCE
from brain_retrieval.home import Space
from brain_retrieval.language.folding import fold
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake

ENDS = (("entity_name", "entity_key"), ("from_name", "from_entity_key"), ("to_name", "to_entity_key"))
ENDS += (("left_name", "left_key"), ("right_name", "right_key"))


def list_notes(space: Space, name: str | None, *, expired: bool, now: datetime) -> list[dict[str, Any]]:
    """Return the operations of a user, newest first: source_id, uri, op, at, about, title, content, expires_at, ….

    Args:
        name: only operations about this entity, found by any of its names or by a name that contains this one.
        expired: include expired operations.
    """
    with Catalog(space) as catalog:
        columns = ["source_id", "uri", "event_at", "title", "attributes"]
        rows = Lake(space, catalog).read("text", source=SOURCE.name, columns=columns).to_pylist()
    wanted = Targets(space).names_of(name) if name else set()
    listed = [_note_row(row, now) for row in rows]
    kept = [one for one in listed if (expired or not one["expired"]) and (not name or _is_about(one, wanted))]
    return sorted(kept, key=lambda one: (one["at"], one["source_id"]), reverse=True)


def _note_row(row: dict[str, Any], now: datetime) -> dict[str, Any]:
    operation = json.loads(row["attributes"])
    expires = operation.get("expires_at") or operation.get("expires")
    about = [operation.get(name) or operation[key] for name, key in ENDS if key in operation]
    about += operation.get("related_to", [])
    shown = ("op", "note_id", "content", "relationship_type", "description", "attitude", "proximity", "confidence")
    shown += ("category", "priority", "tags", "context", "lifetime", "added_by", "source_entity_key")
    shown += ("ttl_policy", "sensitivity", "properties")
    return {
        "source_id": row["source_id"],
        "uri": row["uri"],
        "title": row["title"],
        "at": row["event_at"].isoformat(),
        "about": about,
        **{key: operation[key] for key in shown if key in operation},
        "expires_at": expires,
        "expired": expires is not None and datetime.fromisoformat(expires) <= now,
    }


def _is_about(one: dict[str, Any], wanted: set[str]) -> bool:
    names = [fold(name) for name in one["about"]]
    return any(name in wanted or any(f" {other} " in f" {name} " for other in wanted) for name in names)
