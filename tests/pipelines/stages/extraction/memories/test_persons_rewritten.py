"""Who "I" and "you" are: written without apostrophes, inside quotation marks, in explanations, and left out."""

import pytest

from brain_pipelines.stages.extraction.memories.quotations import opens_before, quotations
from tests.pipelines.stages.extraction.memories.reading import read_text
from tests.pipelines.stages.extraction.memories.test_rewriting import said


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("im well, just gave birth to twins!", "Martha is well, just gave birth to twins!"),
        ("No, Ive never been to Coronado beach.", "No, Martha has never been to Coronado beach."),
        (
            "Im still cold here, but have to be here for my work.",
            "Martha is still cold here, but has to be here for her",
        ),
        ("I'd been wanting to try yoga in Kiel.", "Martha had been wanting to try yoga in Kiel."),
        ("I'd better sell the boat in Kiel.", "Martha had better sell the boat in Kiel."),
        ("I'd love to sell the boat in Kiel.", "Martha would love to sell the boat in Kiel."),
        ("I wanna buy a boat in Kiel.", "Martha wants to buy a boat in Kiel."),
        ("The market id is 1.140919486", "Martha: The market id is 1.140919486"),
        ("I do- Oscar, my guinea pig.", "Martha: I do- Oscar, my guinea pig."),
    ],
)
def test_verbs_written_in_one_with_i_agree_with_the_name(text: str, expected: str) -> None:
    assert said(text).text.startswith(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Just bought a jeep.", "Martha just bought a jeep."),
        ("Recently started the course in Kiel.", "Martha recently started the course in Kiel."),
        ("Finally just sold the boat to Ida.", "Martha finally just sold the boat to Ida."),
    ],
)
def test_a_left_out_subject_stands_before_the_adverbs_of_its_verb(text: str, expected: str) -> None:
    assert said(text).text == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("You told Ida about your trip to Kiel.", "Martha: Paul told Ida about his trip to Kiel."),
        ("Your sister has left for Kiel.", "Martha: Paul's sister has left for Kiel."),
        ("You are so brave to speak up for the club.", "Martha: Paul is so brave to speak up for the club."),
        ("You really made your childhood dream come true.", "Martha: Paul really made his childhood dream come true."),
        ("Maybe you could leave your cat at home in Kiel.", "Martha: Maybe Paul could leave his cat at home in Kiel."),
        ("I would love to see your boat in Kiel.", "Martha would love to see Paul's boat in Kiel."),
    ],
)
def test_you_is_the_listener_where_that_is_sure(text: str, expected: str) -> None:
    assert said(text).text.startswith(expected)


@pytest.mark.parametrize(
    "text",
    [
        "You get used to it in a month.",
        "It's just your typical rock song about a girl.",
        "Moves are a little stressful, but you get them done and focus on your new digs.",
        "Do your research and find an adoption agency.",
        "Jiu-Jitsu is more like grappling and getting your opponent to submit.",
        "Reggae is an acquired taste, unless you grow up with it in Jamaica.",
    ],
)
def test_you_that_may_be_anybody_stays_and_needs_its_context(text: str) -> None:
    found = said(text)
    assert found.text == f"Martha: {text}" and not found.self_contained


def test_you_of_anybody_beside_what_the_speaker_says_of_herself_stays_readable() -> None:
    found = said("I loved the animals, but I hated the people that you have to deal with.")
    assert found.text == "Martha loved the animals, but she hated the people that you have to deal with."
    assert found.self_contained


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '"I will make sure the monument gets built," the president said in Kiel.',
            'Martha: "I will make sure the monument gets built," the president said in Kiel.',
        ),
        ('Ida said "I love your boat" to me in Kiel.', 'Ida said "I love your boat" to Martha in Kiel.'),
        ("Ida said “we sold my boat” to me in Kiel.", "Ida said “we sold my boat” to Martha in Kiel."),
    ],
)
def test_the_first_person_inside_quotation_marks_stays(text: str, expected: str) -> None:
    assert said(text).text == expected


def test_a_sentence_that_begins_inside_a_quotation_is_not_the_speakers() -> None:
    text = '"It is late, said Ida. I sold my boat in Kiel. Now I walk," she said.'
    found = [s.in_quotation for s in read_text(text) if s.text.startswith(("I sold", "Now"))]
    assert found == [True, True]
    last = said("I sold my boat in Kiel.", before='"It is late, said Ida.')
    assert last.text.startswith("Martha sold"), "a quotation that is never closed ends with its sentence"


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ('Ann said "yes" and left', ['"yes"']),
        ("Ann said “yes” and „ja“ and «oui» and »nein«", ["“yes”", "„ja“", "«oui»", "»nein«"]),
        ('a 24" screen', []),
        ("late” he said", ["late”"]),
        ('she said "never', ['"never']),
    ],
)
def test_quotations_of_every_kind_of_mark(text: str, inside: list[str]) -> None:
    assert [text[start:end] for start, end in quotations(text)] == inside


def test_a_quotation_must_be_closed_to_go_on() -> None:
    assert opens_before('"One. Two."', 6) and not opens_before('"One. Two.', 6)
