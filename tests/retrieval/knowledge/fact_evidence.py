"""Rows of FACT_EVIDENCE for tests, from a few words."""

from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pyarrow as pa

from brain_retrieval.ids import content_id
from brain_retrieval.stores.knowledge_tables import FACT_EVIDENCE

START = datetime(2025, 1, 1, tzinfo=UTC)


def day(number: float) -> datetime:
    """Return a day counted from the start of 2025."""
    return START + timedelta(days=number)


def stated(subject: str, predicate: str, obj: str, on: float, **changes: Any) -> dict[str, Any]:
    """Return what a source says on a day; it is received on the same day unless `received_at` says otherwise."""
    kind = changes.pop("object_class", "Entity")
    row: dict[str, Any] = {
        "source_id": f"source_{on}",
        "source_type": "note",
        "said_at": day(on),
        "received_at": day(on),
        "subject_id": subject.lower(),
        "subject": subject,
        "subject_class": "Person",
        "predicate": predicate,
        "predicate_text": predicate,
        "relation": "RELATED_TO",
        "object_id": None if kind == "Literal" else obj.lower(),
        "object": obj,
        "object_class": kind,
        "object_key": obj.lower(),
        "polarity": "affirmed",
        "modality": "asserted",
        "confidence": 0.8,
        "rule": "active",
        "method": "local",
        "trust": "own",
        "start": 0,
        "end": 10,
        "evidence": f"{subject} {predicate} {obj}",
        **changes,
    }
    row.setdefault("evidence_id", content_id("fact", *(str(value) for _, value in sorted(row.items()))))
    return row


def evidence(*rows: dict[str, Any]) -> pl.DataFrame:
    """Return FACT_EVIDENCE; equal rows count once."""
    unique = {row["evidence_id"]: row for row in rows}
    return pl.DataFrame(pa.Table.from_pylist(list(unique.values()), schema=FACT_EVIDENCE))
