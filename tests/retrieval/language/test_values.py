"""Values of a text: parts of a unit and of a dose, and numbers beside dates that are read elsewhere."""

import pytest

from brain_retrieval.language.values import find_values


def values(text: str, language: str, taken: str = "") -> list[tuple[str, str]]:
    """Return dimension and value of what a text states, without the date `taken`."""
    start = text.index(taken) if taken else 0
    spans = [(start, start + len(taken))] if taken else []
    return [(one.dimension, one.value) for one in find_values(text, language, spans)]


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("en", "Half a tablet in the evening, a whole tablet at noon", [("tablet", "0.5"), ("tablet", "1")]),
        ("en", "one and a half tablets, then two tablets", [("tablet", "1.5"), ("tablet", "2")]),
        ("en", "half an hour, half a kilo", [("hour", "0.5"), ("kg", "0.5")]),
        ("en", "one friend, half the class, a whole day", []),
        ("de", "abends eine halbe Tablette, ein Haus", [("tablett", "0.5")]),
        ("fr", "un demi comprimé, une maison", [("comprim", "0.5")]),
        ("es", "media pastilla, una casa", [("pastilla", "0.5")]),
        ("it", "mezza compressa, una casa", [("compressa", "0.5")]),
        ("pt", "meio comprimido, uma casa", [("comprimid", "0.5")]),
    ],
)
def test_parts_of_a_unit_or_a_dose(language: str, text: str, found: list[tuple[str, str]]) -> None:
    assert values(text, language) == found


def test_a_time_behind_a_date_that_is_read_elsewhere_stays_a_time() -> None:
    assert values("Dentista el 17 a las 8:15", "es", "17") == [("time", "8:15")]
    assert values("Dentista il 17 alle 8:15", "it", "17") == [("time", "8:15")]
    assert values("From 3 to 5 kg", "en", "3") == [("kg", "5")]


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("en", "The rent goes up to 1,340", [("number", "1340")]),
        ("en", "The club is up to 10.50 btw", [("number", "10.5")]),
        ("en", "It covers up to 14 boats", [("boat limit", "14")]),
        ("en", "It goes over 300 euros", [("EUR limit", "300")]),
        ("es", "El alquiler sube hasta 900 euros", [("EUR", "900")]),
        ("fr", "Cela couvre jusqu'à 900 euros", [("EUR limit", "900")]),
    ],
)
def test_a_bound_behind_a_verb_of_rising_is_the_new_amount(
    language: str, text: str, found: list[tuple[str, str]]
) -> None:
    assert values(text, language) == found


def test_an_article_behind_an_amount_is_no_unit() -> None:
    assert values("Chiede 10,50 l'ora", "it") == [("number", "10.5")]
    assert values("Chiede 9 euro l'ora", "it") == [("EUR/ora", "9")]
    assert values("Compra 5 l di latte", "it") == [("l", "5")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The best class I took", []),
        ("We are building a house", []),
        ("My seat I'm in", []),
        ("They are building T-shirts", []),
        ("Room B, gate A.", [("room", "b"), ("gate", "a")]),
        ("Seat 12A", [("seat", "12a")]),
    ],
)
def test_a_word_behind_a_room_is_not_its_letter(text: str, found: list[tuple[str, str]]) -> None:
    assert values(text, "en") == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("My salary is 85k now.", [("number", "85000")]),
        ("The flat costs 1.2k a month.", [("number", "1200")]),
        ("The deposit is €2,5k", [("EUR", "2500")]),
        ("It weighs 2 kg.", [("kg", "2")]),
    ],
)
def test_numbers_in_thousands(text: str, found: list[tuple[str, str]]) -> None:
    assert [(one.dimension, one.value) for one in find_values(text)] == found


def test_a_clock_before_the_word_for_it_is_a_time() -> None:
    assert values("Zahnarzt 10:20 Uhr", "de") == [("time", "10:20")]
    assert values("Call at the office 4:30 pm", "en") == [("time", "4:30")]
    assert values("He ran it in 52:40", "en") == [("duration", "52:40")]


def test_since_when_an_amount_is_due_is_no_unit_of_it() -> None:
    for text, language in (
        ("a renda sobe para 620 euros a partir de maio", "pt"),
        ("sono 620 euro a partire da maggio", "it"),
    ):
        assert [one.dimension for one in find_values(text, language)] == ["EUR"]
    assert [one.dimension for one in find_values("620 euros a noite", "pt")] == ["EUR/noit"]
