"""agent-note: text and attributes of operations, and refusals."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.samples.taking import MTIME, Taken, take_one

AT = datetime(2026, 1, 5, 10, tzinfo=UTC)
NOTE = {"op": "add_note", "entity_key": "Bob Lee", "entity_class": "Person", "content": "Prefers short meetings."}
PAIR = {"from_entity_key": "Alice Chen", "from_class": "Person", "to_entity_key": "Atlas", "to_class": "Entity"}
RELATION = {"op": "create_relationship", **PAIR, "relationship_type": "leads", "description": "Alice leads Atlas.",
            "attitude": 5, "proximity": 4}  # fmt: skip
ABOUT = {"op": "add_note_to_relationship", **PAIR, "content": "Since spring."}
ENTRY = {"op": "store", "category": "instruction", "content": "Use English.", "tags": ["style"],
         "context": "Asked twice.", "related_to": ["Bob Lee"], "expires": "2026-03-01T00:00:00"}  # fmt: skip
LEADS = """Relationship of Alice Chen to Atlas: leads; attitude strongly positive, proximity involved with.
Alice leads Atlas."""
MERGE = {"op": "merge", "left": "Bob Lee", "right": "Robert Lee"}


def taken(tmp_path: Path, value: Any, **options: Any) -> Taken:
    value = {"type": "agent-note", "at": AT.isoformat(), **value} if isinstance(value, dict) else value
    (tmp_path / "note.json").write_text(value if isinstance(value, str) else json.dumps(value))
    return take_one("agent-note", tmp_path / "note.json", **options)


def attributes(found: Taken) -> dict[str, Any]:
    assert found.document is not None, found.refusal
    return json.loads(found.document["attributes"])


@pytest.mark.parametrize(
    ("value", "text", "title"),
    [
        (NOTE, "Note about Bob Lee:\nPrefers short meetings.", "Note about Bob Lee"),
        (
            RELATION,
            LEADS,
            "Relationship of Alice Chen to Atlas",
        ),
        (ABOUT, "Note about Alice Chen and Atlas:\nSince spring.", "Note about Alice Chen and Atlas"),
        (
            ENTRY,
            "Instruction, medium priority:\nUse English.\nContext: Asked twice.\nRelated to: Bob Lee\nTags: style",
            "Use English.",
        ),
        (MERGE, "Bob Lee and Robert Lee are the same.", "Bob Lee and Robert Lee are the same"),
        ({**MERGE, "op": "unmerge"}, "Bob Lee and Robert Lee are not the same.", None),
    ],
)
def test_an_operation_is_a_text(tmp_path: Path, value: dict[str, Any], text: str, title: str | None) -> None:
    found = taken(tmp_path, value)
    assert found.text == text and found.document
    assert title in (None, found.document["title"])
    assert (found.item.event_at, found.item.event_from) == (AT, "content")
    assert attributes(found)["op"] == value["op"]


def test_attributes_are_the_operation_and_derived_values(tmp_path: Path) -> None:
    found = attributes(taken(tmp_path, {**NOTE, "added_by": "planner", "source_id": "source_9"}))
    note_id = found.pop("note_id")
    assert found == {
        **NOTE, "lifetime": "month", "added_by": "planner", "source_entity_key": "source_9", "by": "agent",
        "at": "2026-01-05T10:00:00+00:00", "expires_at": "2026-02-04T10:00:00+00:00",
        "sentence": "Bob Lee: Prefers short meetings.",
        "context_type": "note", "provenance": {"origin": "file", "confidence": 1.0},
    }  # fmt: skip
    again = attributes(taken(tmp_path, {**NOTE, "entity_key": "bob  LEE", "source_id": "source_9", "lifetime": "week"}))
    other = attributes(taken(tmp_path, NOTE))
    assert again["note_id"] == note_id != other["note_id"]  # same words, target and source: the same note
    assert attributes(taken(tmp_path, {**NOTE, "lifetime": "forever"}))["expires_at"] is None


@pytest.mark.parametrize(("added_by", "by", "speaker"), [
    (None, "user", "user"), ("alice", "user", "user"), ("user", "user", "user"), ("planner", "agent", "planner")
])  # fmt: skip
def test_author_is_owner_or_agent(tmp_path: Path, added_by: str, by: str, speaker: str) -> None:
    found = taken(tmp_path, {**NOTE, "added_by": added_by})
    assert attributes(found)["by"] == by and found.document
    assert found.document["participants"] == [added_by or "user", "Bob Lee"]
    assert [(s["kind"], s["speaker"]) for s in found.segments] == [("generated", None), ("message", speaker)]


def test_times_without_offset_are_in_the_users_zone_and_future_times_are_ignored(tmp_path: Path) -> None:
    zone = ZoneInfo("Asia/Tokyo")
    found = taken(tmp_path, {**ENTRY, "at": "2026-01-05T10:00"}, zone=zone)
    assert found.item.event_at == datetime(2026, 1, 5, 1, tzinfo=UTC)
    assert attributes(found)["expires"] == "2026-03-01T00:00:00+09:00"
    assert taken(tmp_path, {**NOTE, "at": "2031-01-05T10:00:00Z"}).item.event_at == MTIME
    assert taken(tmp_path, NOTE, given=AT.replace(day=7)).item.event_from == "given"


def test_an_id_is_shown_by_its_name(tmp_path: Path) -> None:
    key = "entity_" + "0" * 24
    assert key in taken(tmp_path, {**NOTE, "entity_key": key}).refusal
    found = taken(tmp_path, {**NOTE, "entity_key": key, "entity_name": "Bob Lee", "entity_id": key})
    assert found.text.startswith("Note about Bob Lee:") and attributes(found)["entity_id"] == key


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("{", "it is text, not an operation in JSON"),
        ("[1]", "not an operation"),
        ("plain", "not an operation in JSON"),
        ({"op": "delete"}, "op must be add_note"),
        ({"op": "add_note", "content": "x"}, "entity_key: Field required"),
        ({**NOTE, "content": "  "}, "content: String should have at least 1 character"),
        ({**NOTE, "content": "x" * 20_001}, "content: String should have at most 20000"),
        ({**NOTE, "lifetime": "decade"}, "lifetime: Input should be 'week', 'month', 'year' or 'forever'"),
        ({**NOTE, "note": "x"}, "note: Extra inputs"),
        ({**NOTE, "entity_class": "Thing"}, "entity_class: Input should be 'Person'"),
        ({**RELATION, "attitude": 6}, "attitude: Input should be less than or equal to 5"),
        ({**RELATION, "proximity": 0}, "proximity: Input should be greater"),
        ({**RELATION, "confidence": 1.5}, "confidence: Input should be less"),
        ({**RELATION, "to_entity_key": "Alice Chen", "to_class": "Person"}, "a relationship is between two"),
        ({**MERGE, "right": "Bob Lee"}, "a decision is about two, not Bob Lee and itself"),
        ({**ENTRY, "category": "gossip"}, "category: Input should be 'preference'"),
        ({**ENTRY, "expires": "soon"}, "expires: Input should be a valid datetime"),
    ],
)
def test_invalid_operation_is_refused_with_a_reason(tmp_path: Path, value: Any, reason: str) -> None:
    found = taken(tmp_path, value)
    assert found.document is None and reason in found.refusal


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (NOTE, "Bob Lee: Prefers short meetings."),
        (ABOUT, "Alice Chen and Atlas: Since spring."),
        (RELATION, "Alice Chen, leads, Atlas: Alice leads Atlas."),
        ({**NOTE, "content": "Bob Lee likes tea."}, "Bob Lee likes tea."),
        (ENTRY, "Use English."),
        (MERGE, None),
    ],
)
def test_sentence_names_the_entities(tmp_path: Path, value: dict[str, Any], sentence: str | None) -> None:
    assert attributes(taken(tmp_path, value)).get("sentence") == sentence


@pytest.mark.parametrize("key", ["retention", "ttl_policy"])
def test_retention_and_sensitivity_are_metadata_of_the_item(tmp_path: Path, key: str) -> None:
    found = taken(tmp_path, {**NOTE, key: "ephemeral", "sensitivity": "high", "lifetime": "forever"})
    assert found.item.meta == {"by": "user", "ttl_policy": "ephemeral", "sensitivity": "high"}
    assert attributes(found)["expires_at"] == (AT + timedelta(days=90)).isoformat()
    kept = attributes(taken(tmp_path, {**NOTE, key: "keep_forever"}))
    assert (kept["expires_at"], kept["ttl_policy"]) == (None, "keep_forever")


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({**NOTE, "retention": "always"}, "retention"),
        ({**NOTE, "sensitivity": "secret"}, "sensitivity"),
        ({**ENTRY, "retention": "keep_forever"}, "does not expire"),
        ({**MERGE, "retention": "ephemeral"}, "retention"),
        ({**RELATION, "properties": {"role": ""}}, "properties"),
    ],
)
def test_policies_and_properties_out_of_range_are_refused(tmp_path: Path, value: dict[str, Any], reason: str) -> None:
    assert reason in (taken(tmp_path, value).refusal or "")


def test_properties_of_a_relationship_are_part_of_its_text(tmp_path: Path) -> None:
    found = taken(tmp_path, {**RELATION, "properties": {"role": "lead", "duration": "two years"}})
    assert found.text == f"{LEADS}\nrole: lead; duration: two years"
    assert attributes(found)["properties"] == {"role": "lead", "duration": "two years"}
