"""Facts read off labelled sentences: the rules, negation, modality, and first person in turns."""

import pytest

from brain_pipelines.stages.extractions_local import extract_document
from tests.pipelines.stages.extraction.local.documents import conversation, document
from tests.pipelines.stages.extraction.local.labelled import HELD_OUT, TUNED, Fact, Labelled


def facts_of(sentence: Labelled) -> frozenset[Fact]:
    row = conversation([(sentence.speaker, sentence.text)]) if sentence.speaker else document(sentence.text)
    facts = extract_document(row).facts
    return frozenset((f["subject"], f["predicate"], f["object"], f["polarity"], f["modality"]) for f in facts)


@pytest.mark.parametrize("sentence", TUNED, ids=lambda s: s.text[:50])
def test_labelled_sentence_gives_its_facts(sentence: Labelled) -> None:
    assert facts_of(sentence) == sentence.facts


def test_held_out_sentences_stay_above_a_floor() -> None:
    found = [(facts_of(sentence), sentence.facts) for sentence in HELD_OUT]
    right = sum(len(ours & gold) for ours, gold in found)
    assert right / sum(len(gold) for _, gold in found) >= 0.8
    assert right / sum(len(ours) for ours, _ in found) >= 0.8


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("Alice owns the billing service.", "OWNS"),
        ("Alice is leading the search rewrite.", "WORKED_ON"),
        ("Alice Chen from the Design team called.", "MEMBER_OF"),
        ("The importer depends on the parser module.", "DEPENDS_ON"),
        ("Bob uses Figma.", "USES"),
        ("The parser module is part of the import pipeline.", "PART_OF"),
        ("The memo is about pricing.", "ABOUT"),
        ("Anna works with Victor.", "WORKS_WITH"),
        ("Anna met Victor.", "KNOWS"),
        ("Bob lives in Lisbon.", "RELATED_TO"),
    ],
)
def test_relation_of_predicate(text: str, relation: str) -> None:
    assert [f["relation"] for f in extract_document(document(text)).facts] == [relation]


def test_what_is_not_asserted_weighs_less() -> None:
    plain, hedged = (
        extract_document(document(text)).facts[0]["confidence"]
        for text in ("Maria moved to Japan.", "Maria might move to Japan.")
    )
    assert hedged < plain


def test_date_is_a_literal_object() -> None:
    [fact] = extract_document(document("The launch was moved to March.")).facts
    assert (fact["object"], fact["object_id"], fact["object_type"]) == ("March", None, "Literal")


def test_facts_name_who_said_them() -> None:
    turns = [("Caroline", "I moved to Berlin."), ("assistant", "Alice owns the API. I can help.")]
    facts = extract_document(conversation(turns)).facts
    assert {(f["subject"], f["speaker"]) for f in facts} == {("Caroline", "Caroline"), ("Alice", "assistant")}


def test_user_role_is_the_owner_and_you_is_not_resolved() -> None:
    facts = extract_document(conversation([("user", "I live in Lisbon. You live in a server.")])).facts
    assert [(f["subject"], f["object"]) for f in facts] == [("user", "Lisbon")]
