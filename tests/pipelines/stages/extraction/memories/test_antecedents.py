"""Whether a sentence names the thing or place that "it", "one" and "there" stand for."""

import pytest

from tests.pipelines.stages.extraction.memories.test_rewriting import said


@pytest.mark.parametrize(
    "text",
    [
        "A friend made it for the birthday of Ida ten years ago.",
        "My mother knitted and passed it on to Ida.",
        "I had a terrible experience with it on the flight from Kiel to Oslo.",
        "I sent one to Kiel on 3 May.",
        "Ida rode one when she was five.",
        "Ida had a blast there last month.",
        "Ida brought the dogs out there last weekend.",
        "Ida did when she was seven at a trip of the school.",
        "So Ida needs to hand in the report.",
        "Then Ida threw down everything in the office.",
    ],
)
def test_what_a_word_stands_for_is_missing(text: str) -> None:
    assert not said(text).self_contained


@pytest.mark.parametrize(
    "text",
    [
        "Ida bought a loom in May and sold it to Paul in June.",
        "The coat of Ida has a stain on it.",
        "Ida moved to Kiel in May and it was hard for her mother.",
        "Ida has two boats and wants to sell one.",
        "One of the boats of Ida is in Kiel.",
        "Ida visited the museum in Kiel and ate there.",
        "Ida works here at the office in Kiel.",
        "There are two boats of Ida in Kiel.",
        "It was good to see Ida in Kiel.",
        "Ida has sold the boat that Paul built in Kiel.",
        "Ida does the accounts of the club in Kiel.",
        "Then the launch of the boat is on 30 March, and that is final.",
        "So Ida needs to hand in the report on 3 May.",
        "Ida did not want to sell the boat in Kiel.",
    ],
)
def test_what_a_word_stands_for_is_named(text: str) -> None:
    assert said(text).self_contained


@pytest.mark.parametrize(
    ("before", "name"),
    [
        ("Ida has a parrot.", "Ida"),
        ("When she came in, Ida was tired.", "Ida"),
        ("She has bitten Ida twice.", "She"),  # the parrot
        ("The parrot is noisy and she wakes Ida at six.", "She"),
    ],
)
def test_who_does_something_to_a_person_is_another_one(before: str, name: str) -> None:
    assert said("She is due at the vet in Kiel.", before=before).text.startswith(f"Martha: {name} is due")
