"""Rows of MEMORIES: complete, the same for the same input, citing the text."""

import json
from datetime import UTC, datetime

import pyarrow as pa

from brain_pipelines.stages.extraction.memories.memory_rows import MOST_TO_MANY, Making, memory_rows
from brain_pipelines.stages.extraction.memories.signals import read_signals
from brain_pipelines.stages.extractions_local import extract_document
from brain_retrieval.schemas.names import MEMORY_KINDS
from brain_retrieval.schemas.tables import MEMORIES
from tests.pipelines.stages.extraction.local.documents import conversation, document
from tests.pipelines.stages.extraction.memories.reading import read

TALK = conversation(
    [
        ("user", "I moved to Jena on 3 May 2025. My rent is 840 euros in Jena."),
        ("Mira", "My rent is 840 euros in Jena. My rent is 840 euros in Jena."),
    ]
)


def test_rows_are_of_the_schema_and_cite_the_text() -> None:
    rows = memory_rows(TALK, read(TALK), Making(entity_id=lambda name, kind: f"{kind}/{name}", owner_name="Jonas"))
    complete = [{**row, "code_version": "1", "config_hash": "c"} for row in rows]
    table = pa.Table.from_pylist(complete, MEMORIES)
    assert table.num_rows == len(rows) > 0
    assert {name for row in complete for name in row} == set(MEMORIES.names)
    for row in rows:
        assert TALK["text"][row["start"] : row["end"]] == row["evidence"]
        assert row["kind"] in MEMORY_KINDS
    jena = [e for e in rows[0]["entities"] if e["name"] == "Jena"]
    assert [e["entity_id"] for e in jena] == ["Location/Jena"]


def test_a_repeated_sentence_is_kept_once_for_each_speaker() -> None:
    rows = memory_rows(TALK, read(TALK))
    rents = [row["speaker"] for row in rows if "840" in row["evidence"]]
    assert rents == ["user", "Mira"]


def test_the_same_input_gives_the_same_rows() -> None:
    assert memory_rows(TALK, read(TALK)) == memory_rows(TALK, read(TALK))
    ids = [row["memory_id"] for row in memory_rows(TALK, read(TALK))]
    assert len(set(ids)) == len(ids)
    other = {**TALK, "source_id": "source_2"}
    assert not set(ids) & {row["memory_id"] for row in memory_rows(other, read(other))}


def test_a_later_clause_has_the_subject_of_the_one_before() -> None:
    row = document("Hugo left the aquarium on 31 March and joined the police on 1 April.", source="note")
    texts = [memory["text"] for memory in memory_rows(row, read(row))]
    assert len(texts) == 2
    assert texts[0].startswith("Hugo left the aquarium on 31 March")
    assert texts[1].startswith("Hugo joined the police on 1 April")


def test_a_part_without_a_verb_takes_over_no_subject() -> None:
    row = document("Netflix cancelled, Disney+ instead (8.99 a month)", source="note")
    assert [one["text"] for one in memory_rows(row, read(row))] == [
        "Netflix cancelled",
        "Disney+ instead (8.99 a month)",
    ]


def test_a_slot_is_that_of_the_person_a_pronoun_means() -> None:
    row = document("Anna came by. She lives in Jena now.", source="note")
    slots = [(m["slot_subject"], m["slot_value"]) for m in memory_rows(row, read(row)) if m["slot_attribute"]]
    assert slots == [("Anna", "Jena")] or slots == [("Anna", "Jena now")]


def test_other_texts_in_the_batch_change_nothing() -> None:
    alone = memory_rows(TALK, read(TALK))
    other = document("Hugo left the aquarium on 31 March.", source="note", source_id="source_9")
    memory_rows(other, read(other))
    assert memory_rows(TALK, read(TALK)) == alone


def test_a_language_with_a_region_is_read_as_the_language() -> None:
    text = "Le 3 mai 2025 j'ai vendu mon bateau à Claire Dubois."
    regional, plain = (extract_document(document(text, language=code)).memories for code in ("fr-FR", "fr"))
    assert [row["text"] for row in regional] == [row["text"] for row in plain] != []
    english = extract_document(document("I sold my boat to Ann in May 2025.", language="en-GB"))
    assert english.memories


JOURNAL = """\
# Journal

## 2024-05-03

Ida called yesterday.

## 2024-05-20

Ida called yesterday, too.

## 2030-01-01

Ida will call.
"""


def test_a_section_with_a_day_was_written_on_that_day() -> None:
    row = document(JOURNAL, source="note", event_at=datetime(2024, 5, 20, 18, tzinfo=UTC))
    days = [(str(line.said_on), [each.iso for each in read_signals(line).dates]) for line in read(row)]
    assert days == [("2024-05-03", ["2024-05-02"]), ("2024-05-20", ["2024-05-19"]), ("2024-05-20", [])]


def test_a_number_in_talk_is_kept_where_it_answers_a_question() -> None:
    asked = conversation([("Ines", "Is the boiler still set to 70?"), ("Raul", "No, 62.")])
    rows = {row["evidence"]: row for row in memory_rows(asked, read(asked))}
    assert [(value["dimension"], value["value"]) for value in rows["No, 62."]["values"]] == [("number", "62")]
    assert "boiler" in rows["No, 62."]["anchors"]
    told = conversation([("Ines", "The boiler was loud."), ("Raul", "No, 62.")])
    assert "No, 62." not in {row["evidence"] for row in memory_rows(told, read(told))}


def test_an_answer_is_about_what_was_said_before_a_question_without_a_matter() -> None:
    turns = [
        ("Ines", "I can't repair the fountain on Monday."),
        ("Raul", "And when then?"),
        ("Ines", "Tuesday, for sure."),
    ]
    talk = conversation(turns)
    [answer] = [row for row in memory_rows(talk, read(talk)) if "Tuesday" in row["evidence"]]
    assert "fountai" in answer["anchors"]


def test_what_a_sentence_leaves_out_is_what_a_note_named_before() -> None:
    row = document("Saw the cabin in Gull Bay. Rent is 640, no garden. The hut in Fox Creek is 700.", source="note")
    rent, hut = [set(memory["anchors"]) for memory in memory_rows(row, read(row)) if memory["values"]]
    assert {"gull", "bay"} <= rent
    assert not {"gull", "bay"} & hut


def test_a_note_may_only_name_a_value() -> None:
    text = "Saw the doctor. Ferritin 2.9! Chapter 3."
    rows = [row["evidence"] for row in memory_rows(document(text, source="note"), read(document(text, source="note")))]
    assert "Ferritin 2.9!" in rows
    assert "Chapter 3." not in rows
    paper = document(text, source="document")
    assert "Ferritin 2.9!" not in [row["evidence"] for row in memory_rows(paper, read(paper))]


def test_an_item_may_be_about_what_its_list_is_headed_by() -> None:
    row = document("Minutes regatta crew\n- Samir brings the tent\n- we meet at 7", source="note")
    [meeting] = [memory for memory in memory_rows(row, read(row)) if "meet" in memory["evidence"]]
    assert "regatta" in meeting["anchors"]
    assert "samir" not in meeting["anchors"]


def test_items_of_a_list_are_about_things_of_their_own() -> None:
    text = "Notes\n- Olga Moss chairs the choir\n- the fee is 25 euros"
    row = document(text, source="note")
    [fee] = [memory for memory in memory_rows(row, read(row)) if "25" in memory["evidence"]]
    assert not {"olga", "moss"} & set(fee["anchors"])


def test_he_without_a_name_is_whom_the_sentence_before_names() -> None:
    row = document("Allergist with Otto. He can have baked nuts now.", source="note")
    [nuts] = [memory for memory in memory_rows(row, read(row)) if "nuts" in memory["evidence"]]
    assert "otto" in nuts["anchors"]


def test_what_a_newsletter_says_of_its_writer_is_hardly_worth_keeping() -> None:
    text = "I moved to Jena on 3 May 2025 with my wife. Your seat in Jena is booked for 9 May 2025."
    people = {"source": "email", "authors": ["Fern Blum"], "participants": ["Fern Blum", "Ada Ros"]}
    segments = [{"start": 0, "end": len(text), "kind": "message", "speaker": "Fern Blum"}]
    letter = document(text, segments=segments, attributes=json.dumps({"subject": "News"}), **people)
    to_many = letter | {"attributes": json.dumps({"subject": "News", "mass_mail": True})}
    mine, other = ([row["keep"] for row in memory_rows(one, read(one))] for one in (letter, to_many))
    assert mine[0] > MOST_TO_MANY == other[0]
    assert mine[1] == other[1] > MOST_TO_MANY
