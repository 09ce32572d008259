"""What is recorded of every source beside its text: the situation it comes from, its end, and how its text came about.

They are kept among the attributes of the text, under the keys CONTEXT, ENDED and PROVENANCE.
"""

from datetime import datetime, timedelta
from typing import Any

from brain_pipelines.readers.contract import ReadResult
from brain_pipelines.sources.source import Source


def source_facts(row: dict[str, Any], result: ReadResult, source: Source) -> dict[str, Any]:
    """Return context_type, provenance and, where it has one, ended_at (ISO 8601) of a source.

    Args:
        row: its row of RAW.
        result: its text.
        source: its type.
    """
    from brain_retrieval.query.source_card import CONTEXT, ENDED, PROVENANCE  # with the libraries of the lake

    ended = _ended_at(row, result, source)
    facts = {CONTEXT: source.context_type, PROVENANCE: _provenance(result)}
    return facts | ({ENDED: ended.isoformat()} if ended else {})


def _ended_at(row: dict[str, Any], result: ReadResult, source: Source) -> datetime | None:
    """Return the end of an event, the time of the last message, or the end of a recording; None for a document."""
    stated = result.attributes.get("end")
    if source.name == "calendar" and isinstance(stated, str):
        try:
            return datetime.fromisoformat(stated)
        except ValueError:
            return None
    times = [segment["time"] for segment in result.segments if segment.get("time") is not None]
    seconds = [segment["end_seconds"] for segment in result.segments if segment.get("end_seconds") is not None]
    if seconds:
        return row["event_at"] + timedelta(seconds=max(seconds))
    return max(times) if len(set(times)) > 1 else None


def _provenance(result: ReadResult) -> dict[str, Any]:
    """Return `origin`, a model's name or "file", and `confidence` 0–1: how sure the words are; None: not measured."""
    speech, description = (_mapping(result.attributes.get(name)) for name in ("speech", "description"))
    if speech.get("model"):
        return {"origin": speech["model"], "confidence": speech.get("word_probability")}
    if "text_confidence" in result.attributes:
        return {"origin": "recognised text", "confidence": result.attributes["text_confidence"]}
    described = description.get("describer")
    return {"origin": described, "confidence": None} if described else {"origin": "file", "confidence": 1.0}


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}  # a page or a note has a description in words
