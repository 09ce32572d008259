"""One memory write: an operation becomes a file of the source agent-note and is processed immediately.

It is searchable when the call returns, is rebuilt like any other source, and is deleted by removing its file. Files are
never rewritten in place.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from brain_pipelines.ingest.one_file import NewFile, name_of, take_file
from brain_pipelines.landing.inbox import to_uri
from brain_pipelines.readers.agent.memory_operation import End, parse_operation
from brain_pipelines.sources.agent_note import SOURCE
from brain_pipelines.stages.extraction.local.agent_operations import relationship_id
from brain_retrieval.errors import BadInputError
from brain_retrieval.home import Space
from brain_retrieval.ids import content_id
from brain_retrieval.knowledge.scales import is_swapped
from brain_retrieval.knowledge.vocabulary import edge_kind
from brain_retrieval.settings import load_settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.filters import IndexFilter
from brain_retrieval.stores.index.migration import active_index


@dataclass(frozen=True)
class Receipt:
    """Result of a write. `visible` is False if a stage failed: the file is stored and the day will be retried."""

    source_id: str
    uri: str
    at: str
    visible: bool
    unchanged: bool = False  # an identical operation was already stored
    note_id: str | None = None
    fact_id: str | None = None
    kind: str | None = None  # of the relationship, by the classes of its ends
    entities: tuple[str, ...] = ()  # names, in the direction of the kind
    expires_at: str | None = None
    error: str = ""
    warnings: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def write_operation(space: Space, fields: dict[str, Any], ends: Sequence[End], *, at: datetime) -> Receipt:
    """Write an operation as a file, run its stages, and return the receipt.

    Args:
        fields: the fields of the operation, without its time; plain JSON values.
        ends: the entities it is about.
        at: time of the write, aware.

    Raises:
        BadInputError: if it is not a valid operation.
    """
    settings = load_settings(space.home)
    at = at.astimezone(UTC)
    value = {"type": "agent-note", **fields, "at": at.isoformat()}
    value = {key: one for key, one in value.items() if one is not None}
    derived = parse_operation(value).derived(at)
    content = json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "replace")
    name = name_of(at, content)
    report = take_file(space, settings, SOURCE.name, NewFile(name, content, at))
    uri = to_uri(Path(SOURCE.name) / name)
    source_id = content_id("source", space.user, SOURCE.name, uri)
    if refused := [row["reason"] for row in report.quarantined if row["kind"] == "rejected"]:
        raise BadInputError(refused[0])
    return Receipt(
        source_id=source_id,
        uri=uri,
        at=at.isoformat(),
        visible=_is_visible(space, source_id),
        unchanged=bool(report.skipped),
        note_id=derived.get("note_id"),
        fact_id=relationship_id(source_id) if fields["op"] == "create_relationship" else None,
        kind=edge_kind(*(end.entity_class or "" for end in ends)) if len(ends) == 2 else None,
        entities=_in_direction(ends),
        expires_at=derived.get("expires_at"),
        error=next((run["error"] for run in report.runs if not run["success"]), ""),
    )


def _is_visible(space: Space, source_id: str) -> bool:
    with Catalog(space) as catalog:
        index = active_index(space, catalog)
        return index is not None and index.count(IndexFilter(source_ids=[source_id])) > 0


def _in_direction(ends: Sequence[End]) -> tuple[str, ...]:
    """Return the names of the ends, ordered as the kind of their relationship is directed."""
    names = tuple(end.name for end in ends)
    swapped = len(ends) == 2 and is_swapped(ends[0].entity_class or "", ends[1].entity_class or "")
    return names[::-1] if swapped else names
