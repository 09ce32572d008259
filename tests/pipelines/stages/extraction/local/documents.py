"""Rows of DOCUMENT_TEXT for the tests of extraction."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

WHEN = datetime(2026, 3, 2, 9, tzinfo=UTC)


def document(text: str, **changes: Any) -> dict[str, Any]:
    """Return an English document with no structure; `changes` replace its columns."""
    row = {
        "source_id": "source_1",
        "source": "document",
        "uri": "inbox:document/a.txt",
        "day": "2026-03-02",
        "event_at": WHEN,
        "received_at": WHEN,
        "trust": "owner",
        "sensitivity": "normal",
        "ttl_policy": None,
        "format": "txt",
        "title": "",
        "language": "en",
        "authors": [],
        "text": text,
        "segments": [],
    }
    return {**row, **changes}


def conversation(turns: Sequence[tuple[str, str]], **changes: Any) -> dict[str, Any]:
    """Return a conversation rendered as "Speaker: content" lines, with a message segment for each."""
    text, segments = "", []
    for speaker, content in turns:
        line = f"{speaker}: {content}\n"
        segments.append({"start": len(text), "end": len(text) + len(line), "kind": "message", "speaker": speaker})
        text += line
    return document(text, **{"source": "conversation", "segments": segments, **changes})
