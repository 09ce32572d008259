"""agent-note: entries that agents and users write into memory: notes, relationships, memories, entity merge decisions.

One JSON file is one operation and one item, so all of it can be rebuilt, cited and deleted like any other source.
`ingest/agent_tools.py` writes such files; other programs may too. `readers/agent/memory_operation.py` has the schema.
"""

import json
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brain_pipelines.readers.contract import Delivery, Item, Reading, ReadResult
from brain_pipelines.readers.document.json_text import parse_json
from brain_pipelines.readers.encoding import read_decoded
from brain_pipelines.readers.event_time import FUTURE_SLACK, from_outside
from brain_pipelines.readers.extracted import Extracted
from brain_pipelines.readers.source_policy import SourcePolicy
from brain_pipelines.sources.result import to_result
from brain_pipelines.sources.source import Source
from brain_retrieval.errors import BadInputError
from brain_retrieval.settings import ChunkingConfig, Limits

if TYPE_CHECKING:
    from brain_pipelines.readers.agent.memory_operation import Operation

OWNER, MACHINE = "user", "agent"  # author: the user whose memory this is, or a program


def locate(delivery: Delivery, zone: tzinfo, limits: Limits) -> list[Item]:
    """Return the item of an operation; its metadata say who wrote it (`by`), and its retention and sensitivity."""
    try:
        operation = _operation(delivery.path, limits)
    except Exception:  # the file still lands; the read stage reports what is wrong with it
        return [Item("", *_time(None, delivery, zone))]
    own = operation.added_by in (None, OWNER, delivery.user)
    meta = {"by": OWNER if own else MACHINE, **SourcePolicy.of(operation.model_dump()).to_meta()}
    return [Item("", *_time(operation.at, delivery, zone), meta=meta)]


def _time(at: datetime | None, delivery: Delivery, zone: tzinfo) -> tuple[datetime, str]:
    if delivery.event_time is not None:
        return delivery.event_time.astimezone(UTC), "given"
    aware = at.replace(tzinfo=zone) if at is not None and at.tzinfo is None else at
    if aware is not None and aware <= delivery.received_at + FUTURE_SLACK:
        return aware.astimezone(UTC), "content"
    return from_outside(delivery, zone)


def _operation(path: Path, limits: Limits) -> "Operation":
    from brain_pipelines.readers.agent.memory_operation import parse_operation

    return parse_operation(parse_json(read_decoded(path, limits).text))


def read(raw_row: dict[str, Any], path: Path, reading: Reading) -> ReadResult:
    """Return an operation as text, with its fields as attributes.

    Raises:
        BadInputError: if it is not a valid operation, with the reasons.
    """
    from brain_pipelines.readers.agent.operation_text import SEPARATOR, blocks_of, sentence_of, title_of

    if raw_row["format"] not in SOURCE.formats:
        raise BadInputError(f"it is {raw_row['format']}, not an operation in JSON")
    operation = _operation(path, reading.limits)
    by = json.loads(raw_row["meta"] or "{}").get("by", OWNER)
    attributes = operation.attributes(raw_row["event_at"])
    expires = attributes.get("expires")
    if expires and datetime.fromisoformat(expires).tzinfo is None:
        attributes["expires"] = datetime.fromisoformat(expires).replace(tzinfo=reading.zone).isoformat()
    author = operation.added_by or OWNER
    people = [end.name for end in operation.ends if end.entity_class == "Person"]
    found = Extracted(
        "json",
        blocks_of(operation, speaker=by if by == OWNER else author, at=raw_row["event_at"]),
        title_of(operation),
        [author],
        participants=[author, *people],
        attributes={**attributes, "by": by, **({"sentence": said} if (said := sentence_of(operation)) else {})},
    )
    return to_result(raw_row, found, separator=SEPARATOR)


SOURCE = Source(
    name="agent-note",
    context_type="note",
    description="Notes, relationships and entries that agents write into memory, and entity merge decisions.",
    suffixes=(".json",),
    formats=("json",),
    locate=locate,
    read=read,
    chunking=ChunkingConfig(strategy="document", max_size=800, overlap=80, min_size=150),
    json_types=("agent-note", "agent_note"),
    aliases=("agent_note", "memory_store"),
    extract_locally=True,
    writes_notes=True,
)
