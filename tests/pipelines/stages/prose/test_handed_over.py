"""What is handed to an assistant or drafted by it is not said by its user; what the user tells beside it is."""

import pytest

from brain_pipelines.stages.extractions_local import extract_document
from brain_pipelines.stages.prose.quoted import quoted_parts
from brain_retrieval.knowledge.memories.shown.display import worth_showing
from tests.pipelines.stages.extraction.local.documents import conversation

STRANGER = "I was born in Tartu in 1948 and I have worked as a glazier for thirty years. I am allergic to wasps."


def quoted(*turns: tuple[str, str], source: str = "conversation") -> list[tuple[str, str | None]]:
    row = conversation(turns, source=source)
    return [(row["text"][part.start : part.end].strip(), part.writer) for part in quoted_parts(row)]


@pytest.mark.parametrize(
    "request_",
    [
        "Translate this into Polish:",
        "Please make this letter from my aunt a bit friendlier, she asked me:",
        "Can you summarise the following text for me?\n\nThe text:",
        "Übersetze das bitte ins Englische:",
        "Traduce esto al inglés:",
        "Traduis ceci en anglais :",
        "Traduci in inglese:",
        "Traduza para o inglês:",
    ],
)
@pytest.mark.parametrize("form", ["\n\n{}", ' "{}"'])
def test_a_text_behind_a_request_is_not_said_by_the_user(request_: str, form: str) -> None:
    said = request_ + form.format(STRANGER)
    ((found, writer),) = quoted(("user", said), ("assistant", "Done."))
    assert found.strip('"') == STRANGER and writer is None


def test_what_the_user_tells_beside_the_text_is_theirs() -> None:
    said = f'I live in Gdansk with my cat. Translate this into Polish: "{STRANGER}" My neighbour is 77 years old.'
    rows = extract_document(conversation([("user", said), ("assistant", "Here it is.")])).memories
    assert {m["modality"] for m in rows if "Tartu" in m["text"] or "wasps" in m["text"]} == {"reported"}
    assert not any(worth_showing(m) for m in rows if "Tartu" in m["text"] or "wasps" in m["text"])
    assert [(m["speaker"], m["modality"]) for m in rows if "Gdansk" in m["text"]] == [("user", "asserted")]


@pytest.mark.parametrize(
    "said",
    [
        f"Improve my cover letter:\n\n{STRANGER}",
        f'I wrote this about me, correct it: "{STRANGER}"',
        f"Verbessere meinen Lebenslauf:\n\n{STRANGER}",
        "My week: I ran 20 km and slept badly. What do you make of this?",
        "Translate this: good morning",
        'What does "I am all ears" mean?',
    ],
)
def test_the_own_text_of_the_user_and_a_few_words_are_not_taken_out(said: str) -> None:
    assert quoted(("user", said), ("assistant", "Done.")) == []


def test_several_sentences_between_marks_are_not_said_by_the_user() -> None:
    ((found, writer),) = quoted(("human", f"Go on with my novel: “{STRANGER}”"), ("assistant", "Done."))
    assert STRANGER in found and writer is None


def test_the_turns_of_a_game_are_not_said_by_the_user_until_it_is_left() -> None:
    turns = [
        ("user", "I have a sister in Bergen."),
        ("user", "Let's play a text adventure. I live on Europa with my crew."),
        ("assistant", "You wake up."),
        ("user", "I sell my ship for 900 coins."),
        ("user", "Stop the game, please. I have to be in Bergen on Friday."),
        ("user", "My sister turns 40."),
    ]
    found = [text for text, _ in quoted(*turns)]
    assert found == ["Let's play a text adventure. I live on Europa with my crew.", "I sell my ship for 900 coins."]


def test_a_letter_that_an_assistant_drafts_states_nothing_of_its_user() -> None:
    draft = "Here it is:\n\nDear Ms Lund,\n\nI am Ida Berg and work at Orkla as a nurse.\n\nKind regards,\nIda Berg"
    turns = [("user", "Write to my landlady Ms Lund."), ("assistant", f"{draft}\n\nYou should send it today.")]
    ((found, writer),) = quoted(*turns)
    assert found.startswith("Dear Ms Lund") and found.endswith("Ida Berg") and writer == "assistant"
    rows = extract_document(conversation(turns)).memories
    assert {m["modality"] for m in rows if "Orkla" in m["text"]} == {"reported"}


def test_people_who_talk_to_each_other_hand_nothing_over() -> None:
    assert quoted(("Ann", f"Translate this:\n\n{STRANGER}"), ("Bo", "Let's play a game.")) == []
