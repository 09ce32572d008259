"""The seed's own cases for entity extraction: T1, T2, T3, T9 and T10."""

import json

from brain_pipelines.readers.document.json_text import read_json
from brain_pipelines.readers.extracted import Block, join_blocks
from brain_pipelines.stages.extractions_local import extract_document
from tests.pipelines.stages.extraction.local.documents import conversation, document

TURNS = [
    ("User", "Can you check with Alice about the design review?"),
    ("Agent", "I'll reach out to Alice Chen from the Design team."),
]


def _alice(entities: list[dict]) -> dict:
    [found] = [e for e in entities if e["type"] == "Person" and "Alice" in e["name"]]
    return found


def test_people_from_conversation() -> None:
    for row in (conversation(TURNS), document("\n".join(f"      {who}: {said}" for who, said in TURNS))):
        extraction = extract_document(row)
        alice = _alice(extraction.entities)
        assert alice["name"] == "Alice Chen"
        assert alice["aliases"] == ["Alice"]
        assert alice["confidence"] > 0.8
        assert not {"User", "Agent"} & {e["name"] for e in extraction.entities}
        assert [(f["subject"], f["relation"], f["object"]) for f in extraction.facts] == [
            ("Alice Chen", "MEMBER_OF", "Design team")
        ]


def test_project_relationships_across_a_wrapped_line() -> None:
    text = """
      Alice is leading the UI redesign project, which depends on
      the component library that Bob maintains.
    """
    facts = {(f["subject"], f["predicate"], f["object"]): f for f in extract_document(document(text)).facts}
    assert set(facts) == {
        ("Alice", "lead", "UI redesign"),
        ("UI redesign", "depend on", "component library"),
        ("Bob", "maintain", "component library"),
    }
    assert {f["relation"] for f in facts.values()} == {"WORKED_ON", "DEPENDS_ON", "OWNS"}


def test_description_of_an_image() -> None:
    description = {
        "description": "A whiteboard showing project timeline with Alice presenting",
        "visibleText": ["Q3 Launch", "Design Review", "Alice Chen"],
        "entities": [{"type": "Person", "name": "Alice Chen"}, {"type": "Event", "name": "Q3 Launch"}],
    }
    text, segments, _ = join_blocks(read_json(json.dumps(description)).blocks)
    read_as_file = extract_document(document(text, segments=segments, format="json"))
    picture = [Block(description["description"], "described"), Block("\n".join(description["visibleText"]), "image")]
    text, segments, _ = join_blocks(picture)
    read_as_picture = extract_document(document(text, segments=segments, source="image", format="png"))
    for found in (read_as_file, read_as_picture):
        assert _alice(found.entities)["name"] == "Alice Chen"
        assert "Q3 Launch" in {entity["name"] for entity in found.entities}
        assert not found.facts and not found.memories
    assert not {"entities", "visibleText", "description"} & {entity["name"] for entity in read_as_file.entities}


def test_full_names_have_high_confidence() -> None:
    entities = extract_document(document("Alice Chen and Bob Smith discussed the project.")).entities
    people = {e["name"]: e["confidence"] for e in entities if e["type"] == "Person"}
    assert set(people) == {"Alice Chen", "Bob Smith"}
    assert min(people.values()) > 0.9


def test_initial_and_surname_join_a_lone_given_name() -> None:
    entities = extract_document(document("Alice mentioned she talked to A. Chen yesterday.")).entities
    assert _alice(entities)["aliases"] == ["A. Chen"]
