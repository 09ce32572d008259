"""Notes of agents and people on an entity, as cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from brain_retrieval.knowledge.cards import NoteCard

if TYPE_CHECKING:
    from brain_retrieval.knowledge.reader import Knowledge


def notes_about(knowledge: Knowledge, entity_id: str) -> list[NoteCard]:
    """Return the unexpired notes on an entity, newest first."""
    mine = (pl.col("entity_id") == entity_id) | (pl.col("other_entity_id") == entity_id)
    rows = knowledge.table("notes").filter(mine & ~pl.col("expired"))
    return [
        NoteCard(
            **{name: row[name] for name in NoteCard.__dataclass_fields__ if name != "about"},
            about=_other_side(knowledge, row, entity_id),
        )
        for row in rows.sort(["date_added", "note_id"], descending=True).iter_rows(named=True)
    ]


def _other_side(knowledge: Knowledge, note: dict[str, Any], entity_id: str) -> str | None:
    other = note["entity_id"] if note["other_entity_id"] == entity_id else note["other_entity_id"]
    return knowledge.display_name(other) if other else None
