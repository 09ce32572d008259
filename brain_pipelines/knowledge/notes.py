"""The table NOTES, and manual merge decisions, from the operations that agents and people recorded.

A note is attached to the entity that its target's id or name resolves to in this snapshot. The same text about the same
target from the same source is one note, however often it was written, with the longest lifetime of all copies.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import polars as pl
import pyarrow as pa

from brain_pipelines.knowledge.decision import Decision
from brain_pipelines.knowledge.entities.names import normalise
from brain_retrieval.knowledge.vocabulary import ENTITY_CLASSES
from brain_retrieval.stores.knowledge_tables import NOTES

COLUMNS = ("source_id", "event_at", "attributes")  # columns of `text` that are read here
_NOTES = {"add_note": ("entity",), "add_note_to_relationship": ("from", "to")}
_DECISIONS = ("merge", "unmerge")
_FOREVER = datetime.max.replace(tzinfo=UTC)

Row = dict[str, Any]


@dataclass(frozen=True)
class _Target:
    """One end of a note: the id that the entity had when the note was written, its name, and its class."""

    entity_id: str | None
    name: str
    entity_class: str | None


def build_notes(
    agent_notes: pl.DataFrame, names: pl.DataFrame, known_entities: pl.DataFrame, *, now: datetime
) -> pl.DataFrame:
    """Return the table NOTES of a snapshot.

    If both ends of a relationship resolve to one entity, the note becomes a note on that entity. A note whose target
    is not an entity of the snapshot (the graph-write profile may exclude it) has no row; search still finds its text.

    Args:
        agent_notes: rows of `text` of the source agent-note, at least COLUMNS.
        names: ENTITY_NAMES of the snapshot.
        known_entities: KNOWN_ENTITIES of the snapshot.
        now: the end of the snapshot; a note has expired if `expires_at` is not later.
    """
    written = [row for row in _operations(agent_notes) if row["op"] in _NOTES]
    targets = {row["source_id"]: [_target(row, prefix) for prefix in _NOTES[row["op"]]] for row in written}
    found = _Finder({target for ends in targets.values() for target in ends}, names, known_entities)
    by_id: dict[str, list[Row]] = {}
    for row in written:
        ends = found.ends(targets[row["source_id"]])
        if ends:
            by_id.setdefault(row["note_id"], []).append({**row, "ends": ends})
    rows = [_note(by_id[note_id], now) for note_id in sorted(by_id)]
    return pl.DataFrame(pa.Table.from_pylist(rows, schema=NOTES))


def decisions_of(agent_notes: pl.DataFrame) -> list[Decision]:
    """Return the manual merge and unmerge decisions, oldest first."""
    recorded = [row for row in _operations(agent_notes) if row["op"] in _DECISIONS]
    decisions = [
        Decision(kind=row["op"], left=row["left_key"], right=row["right_key"], at=row["at"], source_id=row["source_id"])
        for row in recorded
    ]
    return sorted(decisions, key=lambda one: (one.at, one.source_id))


def _operations(agent_notes: pl.DataFrame) -> Iterable[Row]:
    for row in agent_notes.select(COLUMNS).sort("source_id").iter_rows(named=True):
        yield {**json.loads(row["attributes"]), "source_id": row["source_id"], "at": row["event_at"]}


def _target(operation: Row, prefix: str) -> _Target:
    key = operation["entity_key" if prefix == "entity" else f"{prefix}_entity_key"]
    name = operation.get(f"{prefix}_name") or key
    return _Target(operation.get(f"{prefix}_id"), name, operation.get(f"{prefix}_class"))


def _note(same: list[Row], now: datetime) -> Row:
    """Return one row of NOTES for all copies of a note: date of the first, lifetime of the longest-lived."""
    first = min(same, key=lambda row: (row["at"], row["source_id"]))
    longest = max(same, key=lambda row: (_expiry(row) or _FOREVER, row["lifetime"]))
    expires = _expiry(longest)
    ends = first["ends"]
    return {
        "note_id": first["note_id"],
        "target": "relationship" if len(ends) == 2 else "entity",
        "entity_id": ends[0],
        "other_entity_id": ends[1] if len(ends) == 2 else None,
        "content": first["content"],
        "lifetime": longest["lifetime"],
        "date_added": first["at"],
        "expires_at": expires,
        "expired": expires is not None and expires <= now,
        "added_by": first.get("added_by") or first.get("by", "user"),
        "source_id": first["source_id"],
        "source_entity_key": first.get("source_entity_key"),
    }


def _expiry(row: Row) -> datetime | None:
    return datetime.fromisoformat(row["expires_at"]) if row.get("expires_at") else None


class _Finder:
    """Resolves targets to entities of the snapshot: by recorded id, else by name within the class, else by name."""

    def __init__(self, targets: set[_Target], names: pl.DataFrame, known_entities: pl.DataFrame) -> None:
        ids = sorted({target.entity_id for target in targets if target.entity_id})
        # A target may name its class wrongly or not at all, so its name is looked up in the form of every class.
        forms = sorted({normalise(target.name, kind) for target in targets for kind in ENTITY_CLASSES})
        is_meant = pl.col("name_id").is_in(ids) | pl.col("entity_id").is_in(ids) | pl.col("name").is_in(forms)
        rows = names.filter(is_meant).sort("source_count", "entity_id", descending=[True, False])
        self._by_id: dict[str, str] = {}
        self._by_name: dict[tuple[str, str], str] = {}
        self._evidence: dict[tuple[str, str], int] = {}
        for row in rows.iter_rows(named=True):
            self._by_id.setdefault(row["name_id"], row["entity_id"])
            self._by_name.setdefault((row["entity_class"], row["name"]), row["entity_id"])
        self._evidence = {
            (row["entity_class"], row["name"]): -row["source_count"] for row in rows.iter_rows(named=True)
        }
        mine = known_entities.filter(pl.col("entity_id").is_in([*self._by_id.values(), *ids]))
        self._classes = dict(mine.select("entity_id", "entity_class").iter_rows())

    def ends(self, targets: list[_Target]) -> list[str]:
        """Return the entity ids of a note's targets in a canonical order (by class, then id); [] if one is unknown."""
        found = [self._find(target) for target in targets]
        if any(one not in self._classes for one in found):
            return []
        ordered = {one: None for one in found if one is not None}
        return sorted(ordered, key=lambda one: (ENTITY_CLASSES.index(self._classes[one]), one))

    def _find(self, target: _Target) -> str | None:
        if target.entity_id:
            if found := self._by_id.get(target.entity_id):
                return found
            if target.entity_id in self._classes:
                return target.entity_id
        keys = [(kind, normalise(target.name, kind)) for kind in ENTITY_CLASSES]
        there = [key for key in keys if key in self._by_name]
        best = min(there, key=lambda key: (key[0] != target.entity_class, self._evidence[key]), default=None)
        return self._by_name[best] if best else None
