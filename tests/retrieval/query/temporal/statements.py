"""A user who moved: notes in a real index, and their statements in the lake, for tests of what has ended."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from brain_retrieval.home import Space
from brain_retrieval.language.concepts import concepts_of
from brain_retrieval.language.content_words import content_words
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from tests.pipelines.knowledge.frames import frame
from tests.retrieval.library import fill, row

# day, file, text, value of the attribute "lives_in" of Dana
STATEMENTS = (
    ("2026-01-05", "jena.md", "Dana lives in Jena, near the station.", "Jena"),
    ("2026-02-10", "kiel.md", "Dana lives in Kiel since the move.", "Kiel"),
    ("2026-03-01", "bike.md", "The bicycle of Dana has a flat tyre.", None),
)


def landed(
    home: Path,
    user: str = "dana",
    *,
    received: str | None = None,
    statements: Sequence[tuple[str, str, str, str | None]] = STATEMENTS,
) -> Space:
    """Write the notes and their statements; all were received at `received`, or on the day they were written."""
    rows = [row("note", item, day, text, received_at=_at(received or day)) for day, item, text, _ in statements]
    space = fill(home, user, rows)
    state(space, rows, statements)
    return space


def state(
    space: Space,
    rows: Sequence[dict[str, Any]],
    statements: Sequence[tuple[str, str, str, str | None]] = STATEMENTS,
) -> None:
    """Write the statements of the notes in `rows`."""
    with Catalog(space) as catalog:
        lake = Lake(space, catalog)
        for (day, _, text, value), chunk in zip(statements, rows, strict=True):
            lake.replace("memories", "note", day, frame("memories", _memory(text, value, chunk)).to_arrow())


def _memory(text: str, value: str | None, chunk: dict[str, Any]) -> dict[str, Any]:
    slot = {"slot_subject": "Dana", "slot_attribute": "lives_in", "slot_value": value} if value else {}
    times = {"said_at": chunk["event_at"], "effective_from": chunk["event_at"]}
    same = {name: chunk[name] for name in ("source_id", "source", "uri", "day", "event_at", "received_at")}
    return {
        "memory_id": f"m-{chunk['id']}",
        **same,
        **times,
        **slot,
        "text": text,
        "kind": "fact",
        "anchors": [*content_words(text, "en"), *concepts_of(text, "en")],
        "entities": [{"name": "Dana", "type": "Person", "role": "subject"}],
        "modality": "asserted",
        "polarity": "affirmed",
        "cue": "none",
        "keep": 0.9,
        "end": len(text),
        "evidence": text,
    }


def _at(day: str) -> datetime:
    return datetime.fromisoformat(f"{day}T12:00:00+00:00")
