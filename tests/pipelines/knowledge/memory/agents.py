"""Helpers for tests of retrieval echoes: agent sessions and retrieved passages."""

from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl

from brain_retrieval.schemas.tables import DOCUMENT_TEXT

START = datetime(2026, 1, 1, 9, tzinfo=UTC)
FACT = "Project Phoenix is led by Nina since the launch on the first of April."
TEXTS = {"source_id": pl.String, "source_type": pl.String, "text": pl.String}
SHOWN = {"chunk_id": pl.String, "source_id": pl.String, "text": pl.String, "at": pl.Datetime("us", "UTC")}


def day(number: float) -> datetime:
    return START + timedelta(days=number)


def session(
    source_id: str, *turns: tuple[str, str], at: float = 1, kind: str = "agent-output", clock: bool = True
) -> dict[str, Any]:
    """Return a source of turns (speaker, words), a minute apart from the second on."""
    text, segments = "", []
    for number, (speaker, words) in enumerate(turns):
        start = len(text)
        text += f"{speaker}: {words}\n"
        segment = dict.fromkeys(field.name for field in DOCUMENT_TEXT.field("segments").type.value_type)
        segment |= {"start": start, "end": len(text) - 1, "kind": "message", "speaker": speaker}
        segment["time"] = day(at) + timedelta(minutes=number) * clock
        segments.append(segment)
    return {"source_id": source_id, "source_type": kind, "text": text, "segments": segments, "event_at": day(at)}


def texts(*sessions: dict[str, Any]) -> pl.DataFrame:
    segments = pl.DataFrame(DOCUMENT_TEXT.empty_table()).schema["segments"]
    columns = {**TEXTS, "segments": segments, "event_at": pl.Datetime("us", "UTC")}
    return pl.DataFrame(list(sessions), schema=columns)


def shown(*passages: tuple[str, float], source_id: str = "note") -> pl.DataFrame:
    rows = [(f"chk{n}", source_id, text, day(at)) for n, (text, at) in enumerate(passages)]
    return pl.DataFrame(rows, schema=SHOWN, orient="row")
