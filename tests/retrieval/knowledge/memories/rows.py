"""Rows of MEMORIES as the view reads them, for its tests."""

from datetime import UTC, datetime
from typing import Any

from brain_retrieval.language.concepts import concepts_of
from brain_retrieval.language.content_words import content_words


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def row(memory_id: str, text: str, said: str, **changes: Any) -> dict[str, Any]:
    """Return an asserted row without a cue; `changes` replace its columns, `values` is a list of pairs."""
    said_at = day(said)
    made = {
        "memory_id": memory_id,
        "source_id": memory_id,
        "source": "note",
        "kind": "fact",
        "method": "local",
        "sensitivity": "normal",
        "start": 0,
        "end": len(text),
        "clause": 0,
        "text": text,
        "speaker": None,
        "entities": [],
        "anchors": [*content_words(text, "en"), *concepts_of(text, "en")],
        "values": [],
        "said_at": said_at,
        "received_at": said_at,
        "effective_from": said_at,
        "from_stated": False,
        "valid_to": None,
        "polarity": "affirmed",
        "modality": "asserted",
        "cue": "none",
        "slot_subject": None,
        "slot_attribute": None,
        "slot_value": None,
        "ends_hint": None,
    }
    made |= changes
    pairs = made["values"]
    return {**made, "values": [{"dimension": dimension, "value": value} for dimension, value in pairs]}
