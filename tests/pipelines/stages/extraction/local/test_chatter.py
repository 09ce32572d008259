"""What people say to each other in passing gives neither facts nor names."""

import pytest

from brain_pipelines.stages.extractions_local import extract_document
from tests.pipelines.stages.extraction.local.documents import conversation, document


def said(text: str) -> set[tuple[str, str, str]]:
    """Return the facts of what Ana says to Ben."""
    facts = extract_document(conversation([("Ana", text), ("Ben", "See you.")])).facts
    return {(f["subject"], f["predicate"], f["object"]) for f in facts}


def named(text: str) -> dict[str, str]:
    return {e["name"]: e["type"] for e in extract_document(document(text)).entities}


@pytest.mark.parametrize(
    "text",
    [
        "We really made a big difference.",
        "We had a blast.",
        "The graphics are incredible.",
        "Let me know the title.",
        "I read the report and it's amazing how people work.",
        "People are so supportive.",
        "Yep, that can definitely be helpful.",
        "Great job organizing the event!",
        "We are on the same page.",
        "Enjoy your trip, I hope your dogs like the beach.",
    ],
)
def test_small_talk_gives_no_facts(text: str) -> None:
    found = said(text)
    assert not {fact for fact in found if fact[1] != "read"}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("The clinic was eye-opening.", ("clinic", "be", "eye-opening")),
        ("The seminar gave me a lot of hope.", ("seminar", "give", "hope")),
        ("We are not alone in this fight.", ("Ana", "be alone in", "fight")),
        ("Bob is one of the founders.", ("Bob", "be", "founders")),
        ("For me, adoption is a calling.", ("adoption", "be", "calling")),
        ("I am not as patient as he is with dogs.", ("Ana", "be", "patient")),
    ],
)
def test_what_is_left_is_read_whole(text: str, fact: tuple[str, str, str]) -> None:
    found = said(text)
    assert fact in found
    assert {f[1] for f in found} <= {fact[1], "give", "be"}


def test_object_owned_by_the_addressee_gives_no_fact() -> None:
    assert said("I like your car and Bob likes the garden.") == {("Bob", "like", "garden")}


def test_had_is_no_condition() -> None:
    [fact] = extract_document(conversation([("Ana", "I'd never used Kafka.")])).facts
    assert (fact["modality"], fact["polarity"]) == ("asserted", "negated")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Yep John, we moved to Rome.", {"John": "Person", "Rome": "Location"}),
        ("Congrats Ana! Glad you like it. Woohoo!", {"Ana": "Person"}),
        ("Mm-hmm. Nice. Last Fri I met Bob.", {"Bob": "Person"}),
        ("Bob moved to Nice.", {"Nice": "Location", "Bob": "Person"}),
        ("Northwind Labs hired Bob.", {"Northwind Labs": "Organization", "Bob": "Person"}),
        ("The Perfect Company hired Bob.", {"Perfect Company": "Organization", "Bob": "Person"}),
    ],
)
def test_interjections_are_not_names(text: str, names: dict[str, str]) -> None:
    assert named(text) == names


def test_unnamed_group_is_not_a_person() -> None:
    assert named("Bob met the teachers and Ana's sister.")["teachers"] == "Concept"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The council accepted RFC 2119.", "RFC 2119"),
        ("The ICE 705 was late.", "ICE 705"),
        ("The board accepted RFC 2026.", None),  # it may be a year
    ],
)
def test_a_number_behind_capitals_is_part_of_the_name(text: str, name: str | None) -> None:
    numbered = [one for one in named(text) if any(map(str.isdigit, one))]
    assert numbered == ([] if name is None else [name])


def test_a_day_that_is_remembered_is_not_the_day_of_remembering() -> None:
    row = conversation([("Ana", "I remember the concert in Rome last year.")])
    assert all(f["stated_from"] is None for f in extract_document(row).facts if f["predicate"] == "remember")


@pytest.mark.parametrize(
    ("text", "predicate", "modality", "polarity"),
    [
        ("We joined forces to create a garden.", "create", "possible", "affirmed"),
        ("The vaccine keeps the puppy from catching a disease.", "catch", "asserted", "negated"),
    ],
)
def test_aims_and_what_is_prevented(text: str, predicate: str, modality: str, polarity: str) -> None:
    facts = extract_document(conversation([("Ana", text)])).facts
    assert {(f["modality"], f["polarity"]) for f in facts if f["predicate"] == predicate} == {(modality, polarity)}


def test_head_is_a_person_only_with_a_complement() -> None:
    row = conversation([("Ana", "My head hurts the whole team. My boss likes Rome.")])
    kinds = {e["name"]: e["type"] for e in extract_document(row).entities}
    assert kinds["Ana's boss"] == "Person" and kinds.get("Ana's head", "Concept") == "Concept"
