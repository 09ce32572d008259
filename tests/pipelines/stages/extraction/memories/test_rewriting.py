"""Sentences readable on their own: names for pronouns, dates in brackets, and nothing lost."""

import re
from datetime import date

import pytest

from brain_pipelines.stages.extraction.memories.rewriting.rewriting import Rewritten, rewrite
from brain_pipelines.stages.extraction.memories.signals import read_signals
from tests.pipelines.stages.extraction.local.documents import conversation, document
from tests.pipelines.stages.extraction.memories import sentences
from tests.pipelines.stages.extraction.memories.reading import read

DIGITS = re.compile(r"\d+")


def said(text: str, *, language: str = "en", before: str = "", owner: str | None = None) -> Rewritten:
    """Return the last sentence of what Martha says to Paul, rewritten."""
    row = conversation([("Paul", "So what?"), ("Martha", f"{before} {text}".strip())], language=language)
    *earlier, last = read(row)
    return rewrite(last, read_signals(last), earlier, owner)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm moving to Jena.", "Martha is moving to Jena."),
        ("I run a bakery and try new recipes.", "Martha runs a bakery and tries new recipes."),
        ("I've sold my boat.", "Martha has sold her boat."),
        ("I don't eat meat.", "Martha doesn't eat meat."),
        ("My sister met me at the harbour.", "Martha's sister met her at the harbour."),
        ("The boat is mine.", "The boat is Martha's."),
        ("I'd rather have the window seat.", "Martha would rather have the window seat."),
        ("I think I'll buy the boat.", "Martha thinks she will buy the boat."),
        ("Ida and I share a boat.", "Ida and Martha share a boat."),
        ("I owe you 60 euros.", "Martha owes Paul 60 euros."),
        ("Haven't sold the boat.", "Martha hasn't sold the boat."),
        ("Sold the boat to Ida in Kiel.", "Martha sold the boat to Ida in Kiel."),
    ],
)
def test_first_and_second_person_become_names(text: str, expected: str) -> None:
    assert said(text).text == expected


def test_we_is_quoted() -> None:
    found = said("We sold our boat because I wanted a van.")
    assert found.text == "Martha: We sold our boat because I wanted a van."


def test_what_says_nothing_of_its_speaker_is_put_behind_her_name() -> None:
    assert said("Ida runs the choir now.").text == "Martha: Ida runs the choir now."


@pytest.mark.parametrize(
    "text",
    [
        "Hey Paul, I sold the boat.",
        "By the way, I sold the boat.",
        "Oh wow, yeah - I sold the boat.",
        "And I sold the boat.",
        "Yes, but I sold the boat.",
    ],
)
def test_openers_are_cut(text: str) -> None:
    assert said(text).text == "Martha sold the boat."


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("de", "Und Ida verkaufte am 3. Mai das Boot in Kiel.", "Ida verkaufte am 3. Mai"),
        ("es", "Pero Ida vendió el barco en Kiel el 3 de mayo.", "Ida vendió el barco"),
        ("fr", "Et Ida a vendu le bateau à Kiel le 3 mai.", "Ida a vendu le bateau"),
        ("it", "Ma Ida ha venduto la barca a Kiel il 3 maggio.", "Ida ha venduto la barca"),
        ("pt", "Mas Ida vendeu o barco em Kiel no dia 3 de maio.", "Ida vendeu o barco"),
    ],
)
def test_a_conjunction_in_front_is_cut_in_every_language(language: str, text: str, expected: str) -> None:
    found = said(text, language=language)
    assert found.text.startswith(f"Martha: {expected}") and found.self_contained


def test_but_stays_where_it_means_except() -> None:
    assert said("But for the rain I sold the boat.").text == "But for the rain Martha sold the boat."


def test_an_answer_keeps_its_no() -> None:
    assert said("No, I sold the boat.").text == "No, Martha sold the boat."


def test_he_is_the_only_other_person_named() -> None:
    one = said("He sold the boat.", before="Martin came by.")
    assert (one.text, one.self_contained) == ("Martha: Martin sold the boat.", True)
    assert [(p.name, p.role) for p in one.participants] == [("Martin", "subject")]
    assert one.person_of("he") == "Martin"
    two = said("He sold the boat.", before="Martin and Peter came by.")
    assert (two.text, two.self_contained) == ("Martha: He sold the boat.", False)
    her = said("She sold the boat.", before="Martin came by.")
    assert not her.self_contained


def test_a_name_before_a_pronoun_explains_it() -> None:
    found = said("Martin said that he sold the boat.", before="Peter came by.")
    assert (found.text, found.self_contained) == ("Martha: Martin said that he sold the boat.", True)


def test_a_leading_it_is_joined_with_the_only_thing_before() -> None:
    found = said("It cost 900 euros.", before="I bought a red canoe.")
    assert (found.text, found.self_contained) == ("Martha: It [a red canoe] cost 900 euros.", True)
    assert not said("It cost 900 euros.", before="I bought a canoe and a tent.").self_contained


@pytest.mark.parametrize("text", ["I love it.", "They sold the boat.", "That was in Kiel.", "I went there by boat."])
def test_what_points_outside_is_not_self_contained(text: str) -> None:
    assert not said(text).self_contained


@pytest.mark.parametrize(
    "text", ["I sold the boat that I loved.", "It rained in Kiel.", "I bought a canoe and sold it."]
)
def test_what_is_explained_inside_is_self_contained(text: str) -> None:
    assert said(text).self_contained


def test_relative_dates_get_their_day() -> None:
    found = said("I sold the boat yesterday for 900 euros.")
    assert found.text == "Martha sold the boat yesterday [2026-03-01] for 900 euros."
    stated = said("I sold the boat on 3 May 2025.")
    assert stated.text == "Martha sold the boat on 3 May 2025."


def test_the_owner_has_the_name_that_is_given() -> None:
    row = document("I sold the boat. Ida bought it.", source="note")
    first, second = read(row)
    assert rewrite(first, read_signals(first), ()).text == "I sold the boat."
    assert rewrite(first, read_signals(first), (), "Jonas").text == "Jonas sold the boat."
    assert rewrite(second, read_signals(second), (first,), "Jonas").text == "Ida bought it."
    assert [(p.name, p.role) for p in rewrite(first, read_signals(first), (), "Jonas").participants] == [
        ("user", "speaker")
    ]


def test_a_machine_has_no_name_for_i() -> None:
    row = conversation([("user", "Go on."), ("assistant", "I moved the file to the archive folder.")])
    last = read(row)[-1]
    assert rewrite(last, read_signals(last), ()).text == "assistant: I moved the file to the archive folder."


ELSEWHERE = {
    "de": ("Ich schulde deinem Bruder seit gestern 60 Euro.", "60"),
    "es": ("Debo 60 euros a tu hermano desde ayer.", "60"),
    "fr": ("Je dois 60 euros à ton frère depuis hier.", "60"),
    "it": ("Devo 60 euro a tuo fratello da ieri.", "60"),
    "pt": ("Devo 60 euros ao teu irmão desde ontem.", "60"),
}


@pytest.mark.parametrize("language", ELSEWHERE)
def test_other_languages_keep_their_words(language: str) -> None:
    text, _ = ELSEWHERE[language]
    found = said(text, language=language).text
    assert found.startswith("Martha: ")
    assert found.removeprefix("Martha: ").replace(" [2026-03-01]", "") == text
    assert date(2026, 3, 1).isoformat() in found


HOSTILE = [
    "I paid 1,250.50 euros, 3.5 % more, for 2 kg at 9:30 on 2026-01-05 in room 204b.",
    "We moved from flat 12 to flat 14 on 3 May, and my rent of 840 rose to 912.40 yesterday.",
    "Hey Paul, by the way, I ran 10.5 km in 52:40 with my 2 dogs and you ran 8, you know.",
    "You owe me 350 and I owe you 275, so that's 75 for me by 31 March.",
    "Version 2.3.1 cost me 99 dollars; I, Martha, bought 3 of 7 in Q4 2025!",
    "I " * 60 + "have 7 boats.",
    "my my my 8 I's, he she it 9 they're 10",
    '"I\'m 43", he said, "and you\'re 44"',
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_no_number_is_lost(text: str, language: str) -> None:
    row = conversation([("Paul", "So what?"), ("Martha", text)], language=language)
    for sentence in read(row):
        found = rewrite(sentence, read_signals(sentence), (), "Jonas")
        without_dates = re.sub(r" \[[\d/-]+\]", "", found.text)
        assert DIGITS.findall(without_dates) == DIGITS.findall(sentence.text)


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("4 were unclear about the harbour form.", False),
        ("5 sailors were unclear about the harbour form.", True),
        ("On our boat in Kiel,", False),
        ("From which the sails in Kiel are made.", False),
        ("A good account of the harbour is in the book of", False),
        ("Ida reading to Paul in Kiel.", False),
        ("Dentist in Kiel on 3 May at 9:30.", True),
        ("Ida painted the boat (with help from Tom and Mike) and sold it in Kiel.", True),
    ],
)
def test_a_piece_of_a_sentence_is_not_readable_alone(text: str, whole: bool) -> None:
    [*_, last] = read(document(text, language="en"))
    assert rewrite(last, read_signals(last), []).self_contained is whole


@pytest.mark.parametrize(
    "text",
    [
        "Because I am tired of it - The Larks (88 plays)",
        "A better tool for the history of plays (PocketCasts has one)",
        "Heineken is my choice for this.",
    ],
)
def test_titles_and_asides_are_no_sentences(text: str) -> None:
    assert not said(text).self_contained


@pytest.mark.parametrize(
    "text", ["Dentist in Jena on 3 May at 9:30", "New roof: 8,200 euros", "Paid Dad back 40 euros"]
)
def test_a_line_without_a_verb_may_say_when_or_how_much(text: str) -> None:
    assert said(text).self_contained


NOTE = """\
# Board, 3 May 2024

## Organ

Ann calls the builder. I called the vicar. The organ sounds bad. Ann wrote to Microsoft.

## Next steps

Ann sings alone.
"""


def test_a_line_of_minutes_has_the_title_it_stands_under() -> None:
    lines = read(document(NOTE, source="note"))
    texts = [rewrite(line, read_signals(line), []).text for line in lines]
    assert texts[0] == "Ann calls the builder [Organ]."
    assert [text for text in texts if "[" in text] == texts[:1]  # not of oneself, of a thing, or in the same words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ida rested the past few weeks.", "Ida rested the past few weeks."),
        ("Ida came today (Wednesday).", "Ida came today [2025-06-18] (Wednesday)."),
    ],
)
def test_a_date_is_added_once_and_only_where_it_is_exact(text: str, expected: str) -> None:
    line = sentences.sentence(text)
    assert rewrite(line, read_signals(line), []).text == expected


def test_a_place_is_never_he() -> None:
    found = said("He wants a boat.", before="We saw Galicia.")
    assert "Galicia" not in found.text
    assert not found.self_contained


@pytest.mark.parametrize(
    ("text", "complete"),
    [
        ("Michael, will close the ticket on Friday.", False),
        ("Michael, our treasurer, will close the account on Friday.", True),
        ("Michael will close the account on Friday.", True),
    ],
)
def test_who_is_called_in_minutes_is_no_subject(text: str, complete: bool) -> None:
    (line,) = read(document(text, source="note"))
    assert rewrite(line, read_signals(line), []).self_contained is complete


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Who is named or told of in the sentence itself is meant, and not somebody of the sentence before.
        ("My cat is called Pickle and he is old.", "Martha's cat is called Pickle and he is old."),
        ("My brother eats no meat and he likes lentils.", "Martha's brother eats no meat and he likes lentils."),
        ("The landlord sold the house, he wants us out.", "Martha: The landlord sold the house, he wants us out."),
        ("The installer said he needs the keys.", "Martha: The installer said he needs the keys."),
        # But what governs the pronoun, too, and what is no person, does not explain it.
        ("The dog bit him.", "Martha: The dog bit Tom."),
        ("The boat was old, so he sold it.", "Martha: The boat was old, so Tom sold it."),
    ],
)
def test_who_is_in_the_sentence_itself_explains_a_pronoun(text: str, expected: str) -> None:
    assert said(text, before="Tom moved to Hull.").text == expected
