"""A question in other words: those of the languages of a user's notes, and those that the notes have."""

import polars as pl
import pytest

from brain_retrieval.knowledge.memories.postings import Postings
from brain_retrieval.language.content_words import content_words
from brain_retrieval.query.analysis import Question, analyse
from brain_retrieval.query.hits import SearchResult
from brain_retrieval.query.rewording.other_languages import as_asked, in_other_languages, with_its_words

NOTES = {
    "de": ["Miete der Werkstatt 512 warm", "Zahnarzttermin am 4. Mai", "Der Vermieter heißt Karsten", "Gehalt 2.900"],
    "fr": ["Le loyer passe à 640", "Rendez-vous chez le dentiste le 4 mai", "Allergie au pollen de bouleau"],
}


def words_of(language: str) -> Postings:
    pairs = [(n, word) for n, text in enumerate(NOTES[language]) for word in content_words(text)]
    return Postings.of(pl.DataFrame(pairs, schema=["row", "word"], orient="row"))


def asked(text: str, language: str = "en") -> Question:
    return analyse(text, max_characters=500, language=language)


@pytest.mark.parametrize(
    ("question", "language", "expected"),
    [
        ("How much is the rent of the workshop?", "de", "wie viele miete werkstatt?"),
        ("What is the rent for Harbour House 12?", "de", "wie viele miete Harbour House 12?"),
        ("When do I have the dentist?", "de", "wann ich zahnarzttermi?"),  # the compound that the notes have
        ("Who is the landlady?", "de", "wer vermieter?"),
        ("How much is the rent?", "fr", "combien loyer?"),
        ("What am I allergic to?", "fr", "que je allergie?"),
    ],
)
def test_the_words_of_a_question_are_those_of_the_notes(question: str, language: str, expected: str) -> None:
    found = dict(in_other_languages(asked(question), [language], words_of(language)))
    assert set(content_words(found[language], language)) == set(content_words(expected, language))


def test_words_that_ask_and_those_of_another_meaning_are_not_put_into_another_language() -> None:
    notes = words_of("de")
    found = dict(in_other_languages(asked("Quanto custa a renda da oficina?", "pt"), ["de"], notes))
    assert "quanto" not in found["de"].lower()
    anything = dict(in_other_languages(asked("Is Ann allergic to anything?"), ["fr"], words_of("fr")))
    assert content_words(anything["fr"], "fr")[-1] == content_words("allergie", "fr")[0]


def test_a_question_without_a_known_word_or_of_a_language_without_a_list_stays() -> None:
    assert list(in_other_languages(asked("Where is Larkspur?"), ["de"], words_of("de"))) == []
    assert list(in_other_languages(asked("How much is the rent?"), ["nl", "ru"], words_of("de"))) == []


def test_in_its_own_language_only_what_no_note_has_is_replaced() -> None:
    words = words_of("de")
    assert dict(in_other_languages(asked("Wie viel verdiene ich netto?", "de"), ["de"], words)) == {
        "de": "Wie viel gehalt ich netto?"
    }
    assert list(in_other_languages(asked("Wie hoch ist die Miete?", "de"), ["de"], words)) == []
    assert list(in_other_languages(asked("Was kostet der Klempner?", "de"), ["de"], words)) == []  # for one is no other


def test_what_was_read_in_the_question_stays() -> None:
    question = asked("Which dentists did I see in May 2025?")
    other = as_asked(asked("was zahnarzt", "de"), question)
    assert (other.language, other.wants, other.lists, other.time) == ("de", "thing", True, question.time)
    assert other.text == "was zahnarzt"


def test_a_result_without_a_question_keeps_nothing() -> None:
    assert with_its_words(SearchResult()) == []
