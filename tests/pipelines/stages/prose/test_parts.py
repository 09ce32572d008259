"""What of a text is no prose, and what is read from it: names, facts, memories, summary, keywords."""

import json
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest

from brain_pipelines.readers.document.json_text import read_json
from brain_pipelines.readers.extracted import Block, join_blocks
from brain_pipelines.stages.enrichment.extractive import enrich
from brain_pipelines.stages.extractions_local import Extraction, extract_document
from brain_pipelines.stages.prose.kinds import Kind
from brain_pipelines.stages.prose.parts import kind_at, parts_of
from tests.pipelines.stages.extraction.local.documents import document

PROSE = "Ann Weber moved the launch of Atlas to May because the tests in Jena failed."


def row(*blocks: Block, **changes: Any) -> dict[str, Any]:
    text, segments, anchors = join_blocks(blocks)
    return document(text, segments=segments, anchors=anchors, **changes)


def names(extraction: Extraction) -> set[str]:
    return {entity["name"] for entity in extraction.entities}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("## Order of work", Kind.HEADING),
        ("Order of work\n=====", Kind.HEADING),
        ("| Ann Weber | Jena |", Kind.TABLE),
        ("Introduction ........ 3", Kind.CONTENTS),
        ("Contents\nWho we are\nHow Ann works", Kind.CONTENTS),
        ("## Inhalt\n- Vorwort\n- Erster Teil", Kind.CONTENTS),
        ("Home | About us | Contact", Kind.LINKS),
        ("- [Ann Weber](ann.html)", Kind.LINKS),
        ("Figure 3: Ann Weber opens the page", Kind.CAPTION),
        ("![Ann Weber at work](a.png)", Kind.CAPTION),
        ("```\nship(atlas)\n```", Kind.CODE),
    ],
)
def test_layout_shows_what_is_no_prose(text: str, kind: Kind) -> None:
    parts = parts_of(document(f"{text}\n\n{PROSE}"))
    assert kind_at(parts, 0) is kind
    assert kind_at(parts, len(text) + 2) is Kind.PROSE
    assert all(a.end <= b.start for a, b in pairwise(parts)) and all(p.start < p.end for p in parts)


@pytest.mark.parametrize(
    "text",
    [
        "Ann and Ben | a story.",
        "Rent: 840 euros",
        "Table 4 was taken by Ann.",
        "- Ann moved to Jena",
        "In May / June we move.",
    ],
)
def test_what_people_write_is_prose(text: str) -> None:
    assert parts_of(document(text)) == []


@pytest.mark.parametrize("kind", ["generated", "caption"])
def test_our_own_sentences_and_captions_feed_nothing(kind: str) -> None:
    own = Block("A picture that looks like a screenshot (PNG, 900 by 420 pixels). Bob Reed holds a PNG.", kind)
    alone, beside = row(own, source="image"), row(own, Block(PROSE, "body"))
    extraction = extract_document(alone)
    assert (extraction.entities, extraction.mentions, extraction.facts, extraction.memories) == ([], [], [], [])
    assert (enrich(alone).summary, enrich(alone).keywords) == ("", [])
    assert names(extract_document(beside)) == names(extract_document(row(Block(PROSE, "body"))))
    assert enrich(beside).summary == PROSE and not any("PNG" in word for word in enrich(beside).keywords)


def test_values_of_json_give_names_and_their_keys_nothing() -> None:
    value = {"relationships": [{"to": "Ann Weber", "kind": "knows"}], "depends_on": ["booking service", "Atlas"]}
    found = row(*read_json(json.dumps(value)).blocks, format="json")
    extraction = extract_document(found)
    assert "Ann Weber" in names(extraction) and not any("relationships" in name for name in names(extraction))
    assert (extraction.facts, extraction.memories, enrich(found).summary) == ([], [], "")
    assert not any("depends" in word or "relationships" in word for word in enrich(found).keywords)


def test_tables_give_names_and_no_sentences() -> None:
    extraction = extract_document(row(Block("Ann Weber | leads Atlas\nBob Reed | left Jena in May", "table")))
    assert {"Ann Weber", "Bob Reed"} <= names(extraction) and not extraction.facts and not extraction.memories


def test_what_readers_put_before_words_is_no_part_of_the_sentence() -> None:
    notes = row(Block("Notes: Ask Ann Weber for the recordings in May.", "section", section="Tests", page=2))
    said = [memory["evidence"] for memory in extract_document(notes).memories]
    assert said == ["Ask Ann Weber for the recordings in May."]
    assert enrich(notes).summary == "Ask Ann Weber for the recordings in May."


def test_sentences_recognised_on_a_slide_are_memories_and_have_no_first_person() -> None:
    shown = "Retry Close\n\nI moved the launch of Atlas to 4 May."
    picture = row(Block(shown, "image"), source="message", authors=["Ann Weber"])
    (memory,) = extract_document(picture).memories
    assert memory["evidence"] == "I moved the launch of Atlas to 4 May." and memory["speaker"] is None


def test_labels_of_roles_are_no_keywords() -> None:
    at = datetime(2026, 3, 2, tzinfo=UTC)
    turns = [("assistant", PROSE), ("human", "The tests in Jena are repeated on Monday by the release team.")]
    blocks = [Block(f"{who}: {said}", "message", speaker=who, time=at) for who, said in turns]
    keywords = " ".join(enrich(row(*blocks, source="conversation")).keywords)
    assert "assistant" not in keywords and "human" not in keywords and "Jena" in keywords
