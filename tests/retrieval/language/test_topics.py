"""Trades and things of a household in a text, by their words in any language."""

import pytest

from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.topics import KINDS, SUBJECT, things_in, topics_in


@pytest.mark.parametrize(
    ("text", "language", "written", "there"),
    [
        ("Who is my dentist?", "en", "termin beim zahnarzt am montag", True),
        ("Who is my dentist?", "en", "der kinderzahnarzt in ulm", True),
        ("Who is my dentist?", "en", "the doctor called", False),
        ("Wer hat die Spülmaschine repariert?", "de", "the dishwasher is fixed", True),
        ("Wer hat die Spülmaschine repariert?", "de", "die waschmaschine läuft", False),
        ("Where is the new bed made of bee wood?", "en", "it has been a while", False),  # "bee" is no beginning
    ],
)
def test_a_thing_is_found_by_any_word_for_it(text: str, language: str, written: str, there: bool) -> None:
    (thing,) = things_in(text, language)
    assert (thing.search(written) is not None) is there


def test_names_and_what_has_names_of_its_own_are_no_things() -> None:
    assert things_in("Where does Ann Carpenter live?", "en", [(15, 28)]) == []
    assert things_in("Which car and which dog do we have?", "en") == []


def test_every_thing_has_words_in_english() -> None:
    assert all(SHARED.read(SUBJECT, "en").listed(key) for key in SHARED.read(KINDS).words("things"))


def test_of_topics_with_a_word_of_one_form_the_one_that_is_called_so_counts() -> None:
    assert topics_in("Seit wann zahlen wir so viel?", "de") == [(10, 16, ("pay",))]
    assert topics_in("Os pais vêm?", "pt")[0][2] == ("parents",)
