"""Headlines: whole clauses of a few words in six languages, never a fragment, a question or a cut name."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain_pipelines.knowledge.memory.stories.headlines import LONG_WORDS, MOST_WORDS, headline
from brain_pipelines.knowledge.memory.stories.titles import titles_apart


@pytest.mark.parametrize(
    ("text", "language", "title"),
    [
        ("Version 3 of the library slips to May because the tokens are late [2026-01-21].", "en",
         "Version 3 of the library slips to May"),
        ("Dana: We moved the launch to 12 May.", "en", "Moved the launch to 12 May"),
        ("Melanie ran a charity race for mental health last Saturday [2023-05-20].", "en",
         "Melanie ran a charity race for mental health"),
        ("In March, Bob moved to Rio de Janeiro with all of his many books.", "en", "Bob moved to Rio de Janeiro"),
        ("From today Priya Nair leads the UI redesign.", "en", "Priya Nair leads the UI redesign"),
        ("I moved to Lisbon yesterday, and it is great!", "en", "Moved to Lisbon"),
        ("The rent is 1,200.50 euros per month, payable in advance at the bank.", None,
         "The rent is 1,200.50 euros per month"),
        ("Dr. Novak leaves the clinic.", "en", "Dr. Novak leaves the clinic"),
        ("Die Miete in Jena steigt auf 840 Euro, weil das Haus saniert wird.", "de",
         "Die Miete in Jena steigt auf 840 Euro"),
        ("Ana firmó el contrato del piso en Lisboa ayer.", "es", "Ana firmó el contrato del piso en Lisboa"),
        ("No vino Ana a la reunión.", "es", "No vino Ana a la reunión"),
        ("Le lancement est reporté au 12 mai parce que les tests échouent.", "fr",
         "Le lancement est reporté au 12 mai"),
        ("Marta ha lasciato il lavoro da Helio e si trasferisce a Torino.", "it", "Marta ha lasciato il lavoro"),
        ("Rui mudou-se para o Porto na semana passada.", "pt", "Rui mudou-se para o Porto"),
        ("Abbiamo chiesto un incontro con Bluewind s.r.l. per discutere del progetto.", "it",
         "Abbiamo chiesto un incontro con Bluewind s.r.l."),
        ("@mfa -- verdient Geld mit Python", "de", "Verdient Geld mit Python"),
        ("Nous sommes heureux de vous annoncer que notre club porte un nouveau nom : Arts Genas.", "fr",
         "Notre club porte un nouveau nom"),
        ("We're happy to share that Ann joined the board.", "en", "Ann joined the board"),
        ("Recentemente, Rui mudou-se para o Porto.", "pt", "Rui mudou-se para o Porto"),
        ("I'm planning a trip to Lisbon, and I compare offers.", "en", "Planning a trip to Lisbon"),
        ("As for the shop, Ann sold it to a friend of hers.", "en", "Ann sold it to a friend of hers"),
    ],
)  # fmt: skip
def test_a_sentence_becomes_a_headline(text: str, language: str | None, title: str) -> None:
    made = headline(text, language)
    assert made is not None and made.text == title


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("It is great that Bob left.", "en"),
        ("Did Bob move to Lisbon?", "en"),
        ("Good luck with your move!", "en"),
        ("Because Bob left.", "en"),
        ("Seven years now, and I've finally found my real muses.", "en"),
        ("Thanks, Bob!", "en"),
        ("The report of the group of the friends of the house of the board of trustees passed.", "en"),
        ("Das ist schön.", "de"),
        ("Maija muutti Tampereelle", "fi"),  # a language without a lexicon
        ("See https://example.org for the new plan", "en"),
        ("See Https://example.org for the new plan", "en"),
        ("As I continue building the shop", "en"),
        ("Davis--who sat beside Sen. Clinton and four governors of the west of the country--agreed with them", "en"),
        ("Finlandia demuestra que con un sistema de apoyo sólido, el empleo de todos es posible en pocos meses", "es"),
        ("The California Independent System Operator", "en"),
        ("2.4 Ottimizzazione della cartella dei documenti", "it"),
        ("Sarah Gibson / Turing Institute / @sgibson", "en"),
        ("Durante il terzo incontro della squadra dei proponenti che hanno scritto per la seconda volta", "it"),
    ],
)
def test_what_cannot_stand_alone_is_no_headline(text: str, language: str) -> None:
    assert headline(text, language) is None


def test_a_longer_headline_is_only_made_when_asked_for() -> None:
    text = "The course on humanitarian information analysis in Abuja was successfully completed."
    short = headline(text, "en")
    assert short is None or len(short.text.split()) <= MOST_WORDS
    made = headline(text, "en", most=LONG_WORDS)
    assert made is not None and made.text == text.rstrip(".")


def test_a_list_of_names_is_no_headline() -> None:
    assert headline("Ana Júlia e Weverton", "pt", ["Ana Júlia", "Weverton"]) is None
    assert headline("Went to Lisbon", "en", ["Lisbon"]) is not None


def test_a_name_is_not_cut() -> None:
    text = "The board finally chose Bank for Ideas and People as its first partner."
    assert headline(text, "en", ["Bank for Ideas and People"]) is None
    assert headline(text, "en") is not None


WORDS = [
    "Bob",
    "moved",
    "the",
    "launch",
    "to",
    "3.5",
    "May,",
    "because",
    "with",
    "and",
    "we",
    "(x",
    "—",
    "«a",
    "12.000",
]


@given(st.lists(st.sampled_from(WORDS), max_size=25), st.sampled_from(["en", "de", "es", "fr", "it", "pt", None]))
def test_a_headline_is_a_short_piece_of_the_sentence(words: list[str], language: str | None) -> None:
    text = " ".join(words)
    made = headline(text, language)
    if made is not None:
        assert len(made.text.split()) <= MOST_WORDS
        assert made.text.casefold() in text.casefold()
        numbers = re.findall(r"\d[\d.]*\d", made.text)
        assert all(number in words for number in numbers)


def test_what_is_always_so_is_marked_as_a_habit() -> None:
    made = [headline(text, "en") for text in ("Bob always paints with Mira.", "Bob finished the mural with Mira.")]
    assert [one.habitual for one in made if one] == [True, False]


def test_two_storylines_have_different_titles() -> None:
    candidates = [
        ["Alice: Moved the studio to Lisbon", "Alice, 2026-01"],
        ["Bob: Moved the studio to Lisbon", "Bob: Signed the lease", "Bob, 2026-01"],
        ["Moved the studio to Lisbon", "Lisbon, 2026-01"],
        ["Bob: Signed the lease"],
    ]
    assert titles_apart(candidates) == [
        "Alice: Moved the studio to Lisbon",
        "Bob: Signed the lease",
        "Lisbon, 2026-01",
        "Bob: Signed the lease",  # there is no other one
    ]
