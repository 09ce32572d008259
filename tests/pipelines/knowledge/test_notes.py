"""NOTES of a snapshot: target entity, lifetime, and independence of order and repetition."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain_pipelines.knowledge.decision import Decision
from brain_pipelines.knowledge.notes import build_notes, decisions_of
from brain_pipelines.readers.agent.memory_operation import parse_operation
from brain_retrieval.ids import content_id
from brain_retrieval.stores.knowledge_tables import ENTITY_NAMES, KNOWN_ENTITIES, NOTES

AT = datetime(2026, 1, 5, 10, tzinfo=UTC)
SNAPSHOT = AT + timedelta(days=10)
BOB, OLD_BOB, ALICE, ATLAS, ATLAS_IDEA = (content_id("entity", name) for name in ("bob", "rob", "ali", "at", "idea"))
NAMES = [
    (BOB, BOB, "bob lee", "Bob Lee", "Person", 5),
    (OLD_BOB, BOB, "robert lee", "Robert Lee", "Person", 1),
    (ALICE, ALICE, "alice chen", "Alice Chen", "Person", 9),
    (ATLAS, ATLAS, "atlas", "Atlas", "Entity", 2),
    (ATLAS_IDEA, ATLAS_IDEA, "atlas", "Atlas", "Concept", 4),
]
WRITTEN: list[dict[str, Any]] = [
    {"op": "add_note", "entity_key": "bob  LEE", "content": "Short meetings."},
    {"op": "add_note", "entity_key": OLD_BOB, "entity_name": "Rob", "entity_id": OLD_BOB, "content": "By id."},
    {"op": "add_note", "entity_key": "Atlas", "entity_class": "Entity", "content": "A map.", "lifetime": "week"},
    {"op": "add_note", "entity_key": "Nobody", "content": "Lost."},
    {"op": "add_note_to_relationship", "from_entity_key": "Atlas", "from_class": "Entity",
     "to_entity_key": "Alice Chen", "content": "Hers.", "lifetime": "forever", "source_entity_key": "source_7"},
    {"op": "add_note_to_relationship", "from_entity_key": "Bob Lee", "to_entity_key": "Robert Lee", "content": "One."},
    {"op": "store", "category": "fact", "content": "Not a note."},
    {"op": "merge", "left": "Bob Lee", "right": "Robert Lee"},
    {"op": "unmerge", "left": "Bob Lee", "right": "Bob Li"},
]  # fmt: skip


def texts(*operations: tuple[str, dict[str, Any], datetime]) -> pl.DataFrame:
    """Return rows of `text` for operations, with source_id and time."""
    rows = [
        {"source_id": source, "event_at": at, "attributes": json.dumps(parse_operation(said).attributes(at))}
        for source, said, at in operations
    ]
    return pl.DataFrame(
        rows, schema={"source_id": pl.String, "event_at": pl.Datetime("us", "UTC"), "attributes": pl.String}
    )


ALL = texts(*((f"source_{n}", said, AT) for n, said in enumerate(WRITTEN)))
NAME_ROWS = pl.DataFrame(NAMES, schema=ENTITY_NAMES.names, orient="row")
CLASSES = dict.fromkeys((entity, kind) for _, entity, _, _, kind, _ in NAMES)
KNOWN = pl.DataFrame(list(CLASSES), schema=KNOWN_ENTITIES.names[:2], orient="row")


def test_note_is_attached_to_the_entity_its_target_resolves_to() -> None:
    notes = build_notes(ALL, NAME_ROWS, KNOWN, now=SNAPSHOT)
    assert {row["content"]: (row["target"], row["entity_id"], row["other_entity_id"]) for row in notes.to_dicts()} == {
        "Short meetings.": ("entity", BOB, None),
        "By id.": ("entity", BOB, None),
        "A map.": ("entity", ATLAS, None),
        "Hers.": ("relationship", ALICE, ATLAS),  # Person before Entity
        "One.": ("entity", BOB, None),  # both ends resolve to one entity
    }
    pa.Table.from_pylist(notes.to_dicts(), schema=NOTES).validate(full=True)
    assert notes["note_id"].is_sorted() and notes.columns == NOTES.names
    hers = notes.filter(pl.col("content") == "Hers.").to_dicts()[0]
    assert (hers["source_entity_key"], hers["source_id"], hers["date_added"]) == ("source_7", "source_4", AT)


@pytest.mark.parametrize(
    ("lifetime", "days", "expired"),
    [("week", 7, True), ("month", 30, False), ("year", 365, False), ("forever", None, False)],
)
def test_note_expires_after_its_lifetime(lifetime: str, days: int | None, expired: bool) -> None:
    written = texts(("source_1", {**WRITTEN[0], "lifetime": lifetime}, AT))
    (note,) = build_notes(written, NAME_ROWS, KNOWN, now=SNAPSHOT).to_dicts()
    assert note["expires_at"] == (None if days is None else AT + timedelta(days=days))
    assert note["expired"] is expired and note["lifetime"] == lifetime
    if days is not None:
        at_the_hour = build_notes(written, NAME_ROWS, KNOWN, now=AT + timedelta(days=days))
        assert at_the_hour["expired"].to_list() == [True]


def test_repeated_note_is_one_row_with_the_longest_lifetime() -> None:
    again = {**WRITTEN[0], "lifetime": "year"}
    later = AT + timedelta(days=3)
    notes = build_notes(texts(("source_9", again, later), ("source_1", WRITTEN[0], AT)), NAME_ROWS, KNOWN, now=SNAPSHOT)
    (note,) = notes.to_dicts()
    assert (note["date_added"], note["expires_at"]) == (AT, later + timedelta(days=365))
    assert (note["source_id"], note["lifetime"]) == ("source_1", "year")


def test_decisions_are_sorted_by_time() -> None:
    early, late = AT, AT + timedelta(days=1)
    said = texts(("source_2", WRITTEN[8], early), ("source_1", WRITTEN[7], late), ("source_0", WRITTEN[0], early))
    assert decisions_of(said) == [
        Decision(kind="unmerge", left="Bob Lee", right="Bob Li", at=early, source_id="source_2"),
        Decision(kind="merge", left="Bob Lee", right="Robert Lee", at=late, source_id="source_1"),
    ]
    assert decisions_of(said.clear()) == [] and build_notes(said.clear(), NAME_ROWS, KNOWN, now=SNAPSHOT).height == 0


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_notes_do_not_depend_on_row_order(data: st.DataObject) -> None:
    repeated = pl.concat([ALL, ALL.with_columns(pl.lit("source_x").alias("source_id")).head(1)])
    mixed = [frame[data.draw(st.permutations(range(frame.height)))] for frame in (repeated, NAME_ROWS, KNOWN)]
    assert build_notes(*mixed, now=SNAPSHOT).equals(build_notes(repeated, NAME_ROWS, KNOWN, now=SNAPSHOT))
    assert decisions_of(mixed[0]) == decisions_of(repeated)
