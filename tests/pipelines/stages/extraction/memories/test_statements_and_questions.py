"""What one states before a question of the same sentence is asserted; the question is not."""

import pytest

from brain_pipelines.stages.extraction.memories.clauses import clauses_of
from brain_pipelines.stages.extractions_local import extract_document
from tests.pipelines.stages.extraction.local.documents import conversation
from tests.pipelines.stages.extraction.memories.sentences import sentence


@pytest.mark.parametrize(
    ("language", "told", "asked"),
    [
        ("en", "I earn 3,100 euros a month", "what should I ask for?"),
        ("en", "We rent a flat in Hull for 640 pounds", "is it worth moving?"),
        ("en", "Our boiler was replaced in May", "and can you tell me when it is due?"),
        ("de", "Ich verdiene 3.100 Euro im Monat", "was soll ich verlangen?"),
        ("de", "Mein Sohn hat seit Montag Fieber", "soll ich zum Arzt?"),
        ("es", "Tengo una gata de tres años", "¿qué vacunas necesita?"),
        ("fr", "J'ai un chat de trois ans", "que faut-il faire ?"),
        ("it", "Ho un gatto di tre anni", "cosa devo fare?"),
        ("pt", "Tenho um gato de três anos", "o que devo fazer?"),
    ],
)
def test_what_is_told_stands_alone(language: str, told: str, asked: str) -> None:
    parts = clauses_of(sentence(f"{told}, {asked}", language, "user"))
    assert [(part.text, part.clause) for part in parts] == [(told, 0), (asked, 2)]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "If I move to Hull in May, what should I do?"),
        ("en", "Now that I live in Hull, what should I see?"),
        ("en", "Should I take the train to Hull, or is it better to drive?"),
        ("en", "For a beginner, what is the best bike?"),
        ("en", "I wonder, is it true?"),
        ("de", "Wenn ich im Mai umziehe, was muss ich tun?"),
        ("de", "Ich weiß nicht, was ich tun soll?"),
        ("fr", "Si je déménage en mai, que faut-il faire ?"),
    ],
)
def test_a_condition_or_a_mere_question_stays_whole(language: str, text: str) -> None:
    assert [part.text for part in clauses_of(sentence(text, language, "user"))] == [text]


def test_the_told_part_is_a_memory_of_its_own() -> None:
    said = "Our flat in Hull was too small, so we pay 640 pounds for one in Otley, is that a lot?"
    rows = extract_document(conversation([("user", said), ("assistant", "No.")])).memories
    told = [m for m in rows if m["modality"] == "asserted"]
    assert len(told) == 1 and "640 pounds" in told[0]["text"] and told[0]["valid_to"] is None


@pytest.mark.parametrize(
    "text",
    ["Ida says she and Bruno are moving to Oban in May.", "I heard he and Ida will run the shop."],
)
def test_no_clause_ends_with_a_subject(text: str) -> None:
    assert [part.text for part in clauses_of(sentence(text, "en", "user"))] == [text]
