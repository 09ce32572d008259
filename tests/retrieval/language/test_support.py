"""Whether a sentence of a model rests on the passages that it cites."""

from datetime import UTC, datetime

import pytest

from brain_retrieval.language.content_words import content_words
from brain_retrieval.language.support import is_supported

DAY = datetime(2026, 3, 2, tzinfo=UTC)


def rests(said: str, *quotes: str, known: str = "") -> bool:
    return is_supported(said, quotes, [DAY], content_words, known=known)


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("Ines pays 310 euros for the garage.", "The garage of Ines costs 310 euros."),
        ("On 2 March 2026 Ines rented the garage.", "Ines rented the garage today."),
        ("Ines no longer rows with Pavel.", "Ines gave up rowing, Pavel goes on."),
        ("Ines doesn’t eat walnuts.", "Ines does not eat walnuts."),
        ("Not only Ines rows.", "Ines rows."),
    ],
)
def test_a_sentence_in_other_words_rests_on_its_passage(said: str, quote: str) -> None:
    assert rests(said, quote)


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("Ines pays 350 euros for the garage.", "The garage of Ines costs 310 euros."),
        ("Ines rented the garage with Tobias Brandt.", "Ines rented the garage with a neighbour."),
        ("Ines eats walnuts.", "Ines does not eat walnuts. She likes almonds."),
        ("Ines never rows on Sundays.", "Ines rows on Sundays."),
        ("Vera wohnt nicht in Jena.", "Vera wohnt in Jena."),
        ("Paulo mora em Faro.", "Paulo não mora em Faro."),
    ],
)
def test_another_number_or_name_or_the_opposite_does_not(said: str, quote: str) -> None:
    assert not rests(said, quote)


@pytest.mark.parametrize(
    ("said", "quote", "rests_on_it"),
    [
        ("Tobias paints the shed green.", "Ines paints the shed green.", False),
        ("Tobias pinta o barracão de verde.", "Inês pinta o barracão de verde.", False),
        ("Heute streicht Ines den Schuppen.", "Ines streicht den Schuppen mit einer Rolle.", True),
        ("Lately Ines paints the shed green.", "Ines paints the shed green.", True),
        ("Ines paints the shed green.", "I paint the shed green.", True),  # whose words these are is not in them
        ("Painting goes on in the shed of Ines.", "Ines paints the shed green and the door of the shed red.", True),
        ("Today the shed is green.", "The shed is green.", True),
    ],
)
def test_what_is_said_of_one_is_not_said_of_another(said: str, quote: str, rests_on_it: bool) -> None:
    assert rests(said, quote) is rests_on_it


def test_one_of_two_passages_may_say_the_opposite() -> None:
    assert rests("Ines eats walnuts.", "Ines does not eat walnuts.", "Since June Ines eats walnuts again.")


def test_a_name_may_be_one_of_the_question() -> None:
    assert not rests("The garage is Tobias's.", "The garage is his.")
    assert rests("The garage is Tobias's.", "The garage is his.", known="Is the garage of Tobias?")
