"""Memories of notes, relationships and entries: sentences that name the one they are about."""

from datetime import UTC, datetime

import pytest

from brain_pipelines.stages.extractions_local import extract_document
from brain_retrieval.schemas.tables import MEMORIES
from tests.pipelines.stages.extraction.local.test_agent_operations import RELATION, note, row


@pytest.mark.parametrize(("by", "method"), [("user", "owner"), ("agent", "agent")])
def test_a_note_is_a_memory_about_its_entity(by: str, method: str) -> None:
    source = note("Is allergic to nuts.", by=by, added_by="planner", entity_class="Person")
    (memory,) = extract_document(source).memories
    assert memory["text"] == "Bob Lee: Is allergic to nuts."
    assert (memory["method"], memory["self_contained"], memory["speaker"]) == (method, True, None)
    assert memory["keep"] >= 0.8 and [entity["name"] for entity in memory["entities"]] == ["Bob Lee"]
    assert source["text"][memory["start"] : memory["end"]] == memory["evidence"] == "Is allergic to nuts."
    assert set(memory) <= set(MEMORIES.names)


def test_its_entity_is_the_one_of_the_operation() -> None:
    found = extract_document(note("Hums while he cooks dinner.", entity_class="Person"))
    (memory,) = found.memories  # however unlikely it is that a reader of other texts would keep it
    (bob,) = (one for one in found.entities if one["method"] == "agent")
    assert bob["entity_id"] in {one["entity_id"] for one in memory["entities"]}


def test_a_name_that_the_note_has_is_not_said_twice() -> None:
    (memory,) = extract_document(note("Bob Lee moved to Lisbon in March 2024.")).memories
    assert memory["text"].startswith("Bob Lee moved to Lisbon")


def test_a_relationship_is_said_with_its_properties() -> None:
    source = row(**{**RELATION, "description": "Designs the shelves there.", "properties": {"role": "lead designer"}})
    (memory,) = extract_document(source).memories
    assert memory["text"] == "Bob Lee works on Atlas (role: lead designer): Designs the shelves there."
    assert sorted(entity["name"] for entity in memory["entities"]) == ["Atlas", "Bob Lee"]


def test_properties_are_said_once_also_where_the_description_names_both() -> None:
    said = "Bob Lee works on Atlas as lead designer."
    more = {"description": said, "properties": {"role": "Lead designer", "duration": "two years"}}
    (memory,) = extract_document(row(**{**RELATION, **more})).memories
    assert memory["text"] == "Bob Lee works on Atlas as lead designer (duration: two years)."
    assert memory["evidence"] == said


@pytest.mark.parametrize(("confidence", "modality"), [(0.2, "possible"), (0.49, "possible"), (0.5, "asserted")])
def test_an_unsure_relationship_is_a_guess(confidence: float, modality: str) -> None:
    source = row(**{**RELATION, "description": "Bob Lee leads Atlas.", "confidence": confidence})
    (memory,) = extract_document(source).memories
    assert memory["modality"] == modality


def test_an_entry_holds_until_it_expires() -> None:
    entry = {"op": "store", "category": "fact", "content": "The spare key hangs in the porch.", "priority": "high"}
    until = datetime(2026, 3, 1, 12, tzinfo=UTC)
    (memory,) = extract_document(row(**entry, expires=until.isoformat())).memories
    assert memory["valid_to"] == until
    (memory,) = extract_document(row(**entry)).memories
    assert memory["valid_to"] is None


def test_an_entry_keeps_its_words() -> None:
    source = row(op="store", category="preference", content="I prefer tea over coffee.", priority="high")
    (memory,) = extract_document(source).memories
    assert memory["text"].endswith("prefer tea over coffee.") and memory["method"] == "owner"


@pytest.mark.parametrize(
    ("category", "content", "kind"),
    [
        ("instruction", "Réponds en deux phrases.", "instruction"),
        ("decision", "The stall opens at nine.", "decision"),
        ("preference", "Fenster nach Süden.", "preference"),
        ("instruction", "I prefer tea over coffee.", "preference"),  # its words say more
        ("fact", "The stall opens at nine.", "fact"),
        ("insight", "The stall opens at nine.", "fact"),
    ],
)
def test_an_entry_is_of_the_kind_it_was_stored_as(category: str, content: str, kind: str) -> None:
    (memory,) = extract_document(row(op="store", category=category, content=content, priority="low")).memories
    assert memory["kind"] == kind


@pytest.mark.parametrize(
    "content",
    ["夕方に電話しないでください。", "会议记录用英文写。", "ห้ามโทรหลังสามทุ่ม", "Skip breakfast.", "Écris court."],
)
def test_short_entries_and_those_without_blanks_are_memories(content: str) -> None:
    (memory,) = extract_document(row(op="store", category="instruction", content=content, priority="low")).memories
    assert memory["text"] == content and memory["kind"] == "instruction"


@pytest.mark.parametrize("content", ["x = 1; y = 2", "| a | b |", "17", "OK", "早い"])
def test_what_is_no_sentence_is_no_memory(content: str) -> None:
    assert extract_document(row(op="store", category="fact", content=content, priority="low")).memories == []


def test_decisions_are_no_memories() -> None:
    assert extract_document(row(op="merge", left="Bob Lee", right="Robert Lee")).memories == []


def test_why_an_entry_was_written_was_not_chosen_to_be_kept() -> None:
    why = "The harbour office misread the form twice."
    source = row(op="store", category="preference", content="I prefer tea over coffee.", context=why)
    found = {memory["evidence"]: memory for memory in extract_document(source).memories}
    assert found["I prefer tea over coffee."]["method"] == "owner"
    assert all(memory["method"] == "local" for said, memory in found.items() if said in why) and len(found) == 2


@pytest.mark.parametrize(
    ("category", "content", "kind"),
    [
        ("instruction", "The keys were handed over by Lena.", "instruction"),
        ("instruction", "Die Pakete werden am Tor abgeholt.", "instruction"),
        ("fact", "The keys were handed over by Lena.", "event"),
        ("instruction", "We will paint the shed on 3 May 2027.", "plan"),
    ],
)
def test_an_instruction_stays_one_unless_it_says_when(category: str, content: str, kind: str) -> None:
    (memory,) = extract_document(row(op="store", category=category, content=content, priority="high")).memories
    assert memory["kind"] == kind
