"""Operations of agents: what they state themselves, what is read in them, and what is not."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from brain_pipelines.readers.agent.memory_operation import parse_operation
from brain_pipelines.readers.agent.operation_text import SEPARATOR, blocks_of
from brain_pipelines.readers.extracted import join_blocks
from brain_pipelines.stages.extraction.local.agent_operations import complete_operation, is_prose
from brain_pipelines.stages.extraction.local.names.operation_names import predicate_of, type_of_name
from brain_pipelines.stages.extractions_local import Extraction, extract_document
from tests.pipelines.stages.extraction.local.documents import document

AT = datetime(2026, 1, 5, 10, tzinfo=UTC)
PAIR = {"from_entity_key": "Bob Lee", "from_class": "Person", "to_entity_key": "Atlas", "to_type": "Project"}
RELATION = {"op": "create_relationship", **PAIR, "relationship_type": "works_on", "description": "Since spring.",
            "attitude": 5, "proximity": 4, "confidence": 0.6}  # fmt: skip


def row(by: str = "user", added_by: str = "alice", **value: Any) -> dict[str, Any]:
    """Return the DOCUMENT_TEXT row of an operation."""
    operation = parse_operation({**value, "added_by": added_by})
    text, segments, _ = join_blocks(blocks_of(operation, speaker=by, at=AT), SEPARATOR)
    attributes = json.dumps({**operation.attributes(AT), "by": by})
    return document(text, source="agent-note", segments=segments, attributes=attributes, event_at=AT)


def note(content: str, key: str = "Bob Lee", **more: Any) -> dict[str, Any]:
    return row(op="add_note", entity_key=key, content=content, **more)


def check(found: Extraction, text: str) -> None:
    """Assert what holds for every extraction: exact spans, counts, ids."""
    assert all(text[m["start"] : m["end"]] == m["text"] for m in found.mentions)
    assert all(text[f["start"] : f["end"]] == f["evidence"] for f in found.facts)
    for entity in found.entities:
        assert entity["mention_count"] == sum(m["entity_id"] == entity["entity_id"] for m in found.mentions)
    for rows, key in ((found.mentions, "mention_id"), (found.entities, "entity_id"), (found.facts, "fact_id")):
        assert len({one[key] for one in rows}) == len(rows)


def test_the_target_is_an_entity_by_the_agents_word_and_the_note_is_read() -> None:
    source = note("Bob moved to Lisbon. I told him so.", entity_class="Person")
    found = extract_document(source)
    check(found, source["text"])
    (bob,) = (e for e in found.entities if e["method"] == "agent")
    assert (bob["name"], bob["type"], bob["confidence"], bob["aliases"]) == ("Bob Lee", "Person", 0.8, ["Bob"])
    first = min(found.mentions, key=lambda m: m["start"])
    assert (first["text"], first["method"], first["start"]) == ("Bob Lee", "agent", len("Note about "))
    facts = {(f["subject"], f["predicate"], f["object"]): f for f in found.facts}
    moved = facts["Bob Lee", "move to", "Lisbon"]
    assert (moved["method"], moved["subject_id"], moved["said_at"]) == ("local", bob["entity_id"], AT)
    assert any(subject == "user" for subject, _, _ in facts)  # "I" is the owner
    assert "Note" not in {e["name"] for e in found.entities}  # the heading is ours


def test_machine_has_no_first_person_and_is_named_as_the_speaker() -> None:
    found = extract_document(note("I met Carla Diaz. Carla Diaz joined Acme.", by="agent", added_by="planner"))
    assert "user" not in {f["subject"] for f in found.facts} and found.facts
    assert {f["speaker"] for f in found.facts} == {"planner"}


def test_a_relationship_is_a_fact_with_all_that_was_said() -> None:
    source = row(**RELATION)
    found = extract_document(source)
    check(found, source["text"])
    (fact,) = found.facts
    expected = {"subject": "Bob Lee", "subject_type": "Person", "predicate": "work on", "relation": "WORKED_ON",
                "object": "Atlas", "object_type": "Project", "description": "Since spring.", "attitude": 5,
                "proximity": 4, "confidence": 0.6, "rule": "agent", "method": "agent", "speaker": None,
                "said_at": AT}  # fmt: skip
    assert {key: fact[key] for key in expected} == expected
    assert fact["evidence"] == source["text"].split("\n")[0]
    assert {e["entity_id"] for e in found.entities} >= {fact["subject_id"], fact["object_id"]}
    assert {e["confidence"] for e in found.entities if e["method"] == "agent"} == {0.6}


def test_properties_of_a_relationship_are_those_of_its_fact() -> None:
    found = extract_document(row(**RELATION, properties={"role": "lead", "duration": "two years"}))
    assert found.facts[-1]["properties"] == '{"duration": "two years", "role": "lead"}'


@pytest.mark.parametrize(
    ("text", "predicate", "properties"),
    [
        ("Dana Lopez, lead designer at Northwind since 2023, draws.", "be lead designer at", {"role": "lead designer"}),
        ("Bob Lee has worked at Acme Corp for three years.", "work at", {"duration": "three years"}),
        ("Alice Chen lives in Berlin.", "live in", None),
    ],
)
def test_role_and_duration_of_prose(text: str, predicate: str, properties: dict[str, str] | None) -> None:
    found = {fact["predicate"]: fact["properties"] for fact in extract_document(document(text)).facts}
    assert json.loads(found[predicate] or "null") == properties


def test_a_name_and_a_part_of_it_stay_two_ends() -> None:
    pair = {"from_entity_key": "Bob", "from_class": "Person", "to_entity_key": "Bob Lee", "to_class": "Person"}
    source = row(op="add_note_to_relationship", **pair, content="Bob Lee is the uncle of Bob.")
    found = extract_document(source)
    check(found, source["text"])
    assert {e["name"] for e in found.entities if e["method"] == "agent"} == {"Bob", "Bob Lee"}


@pytest.mark.parametrize("op", ["merge", "unmerge"])
def test_merge_decisions_yield_no_rows(op: str) -> None:
    assert extract_document(row(op=op, left="Bob Lee", right="Robert Lee")) == Extraction()


@pytest.mark.parametrize("content", ["if (x) { y(); }", "1, 2, 3; 4", "+351 21 000 0000"])
def test_what_is_not_prose_is_kept_and_not_read(content: str) -> None:
    assert not is_prose(content)
    assert [e["name"] for e in extract_document(note(content, entity_class="Person")).entities] == ["Bob Lee"]


def test_an_entry_names_what_it_is_related_to() -> None:
    related = ["Bob Lee", "Zurich", "source_" + "0" * 24]
    source = row(op="store", category="fact", content="The lease ends in June.", related_to=related, tags=["home"])
    found = extract_document(source)
    check(found, source["text"])
    assert {(e["name"], e["type"]) for e in found.entities if e["method"] == "agent"} == {
        ("Bob Lee", "Person"), ("Zurich", "Location")}  # fmt: skip
    assert "home" not in {e["name"] for e in found.entities}


@pytest.mark.parametrize(
    ("name", "wanted", "expected"),
    [
        ("Bob Lee", None, "Person"),
        ("Bob Lee", "Concept", "Concept"),
        ("Bob Lee", "Entity", "Organization"),
        ("Kafka", "Entity", "Tool"),
        ("Lisbon", None, "Location"),
        ("Atlas", None, "Organization"),
        ("Priya", None, "Person"),
        ("machine learning", None, "Concept"),
    ],
)
def test_a_name_alone_has_a_type(name: str, wanted: str | None, expected: str) -> None:
    assert type_of_name(name, wanted) == expected


def test_predicates_are_lemmas() -> None:
    said = ("works_on", "Leads", "colleague", "depends_on", "manager of")
    assert [predicate_of(one) for one in said] == ["work on", "lead", "colleague", "depend on", "manager of"]


def test_rows_of_another_reader_are_completed_too() -> None:
    source = row(**RELATION)
    found = Extraction()
    complete_operation(source, found.mentions, found.entities, found.facts)
    check(found, source["text"])
    assert [e["name"] for e in found.entities] == ["Bob Lee", "Atlas"] and len(found.facts) == 1
