"""Notes of agents and people on an entity, as cards."""

from typing import Any

import polars as pl

from brain_retrieval.knowledge.cards import NoteCard
from brain_retrieval.knowledge.opened import Opened

OWN = ("note_id", "content", "lifetime", "date_added", "expires_at", "added_by")


def notes_about(knowledge: Opened, entity_id: str) -> list[NoteCard]:
    """Return the unexpired notes on an entity, newest first, each with its memory block."""
    mine = (pl.col("entity_id") == entity_id) | (pl.col("other_entity_id") == entity_id)
    rows = knowledge.table("notes").filter(mine & ~pl.col("expired"))
    found = [
        NoteCard(
            **{name: row[name] for name in OWN},
            about=_other_side(knowledge, row, entity_id),
            **knowledge.strength(row["note_id"]),
            **_policy(knowledge, row["note_id"]),
        )
        for row in rows.sort(["date_added", "note_id"], descending=True).iter_rows(named=True)
    ]
    return [note for note in found if not (note.ttl_policy == "ephemeral" and note.state == "archived")]


def _policy(knowledge: Opened, note_id: str) -> dict[str, Any]:
    rows = knowledge.table("salience").filter(pl.col("item_id") == note_id).select("ttl_policy", "sensitivity")
    return rows.row(0, named=True) if rows.height else {}


def _other_side(knowledge: Opened, note: dict[str, Any], entity_id: str) -> str | None:
    other = note["entity_id"] if note["other_entity_id"] == entity_id else note["other_entity_id"]
    return knowledge.display_name(other) if other else None
