"""Names by capital letters: what counts as one, in several scripts, and in linear time whatever the text."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain_retrieval.language.names import MOST, capital_letters, name_pattern, names_in


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("When did Ada Lovelace meet the Duke of Wellington?", ["ada lovelace", "duke of wellington"]),
        ("The Smiths. What Ada said, ADA or Ada's dog.", ["smiths", "ada", "ada's"]),
        ("Sons & Daughters & Co with 3M or a 4Runner", ["sons & daughters & co", "3m", "4runner"]),
        ("Simon and Garfunkel, O’Neill, Jean-Luc", ["simon and garfunkel", "o'neill", "jean-luc"]),
        ("He saw Oslo. Bergen is U.S.A. Inc.", ["oslo", "bergen", "u.s.a", "inc"]),  # a full stop ends a name
        ("the camelCase word, the iPhone, in 2026 and A, I", []),
        ("Ludwig van Beethoven of the the the Bonn", ["ludwig van beethoven", "bonn"]),
        ("Élodie Durand fuhr nach Österreich über Århus", ["élodie durand", "österreich", "århus"]),
        ("Čapek met Łukasz Żak in Łódź, then čeká łosoś", ["čapek", "łukasz żak", "łódź"]),
        ("Иван Петров приехал в Москву вчера", ["иван петров", "москву"]),
        ("Ο Γιώργος πήγε στην Αθήνα χθες", ["γιώργοσ", "αθήνα"]),
        ("Հայաստան և երևան", ["հայաստան"]),
        ("東京に行った。 تحدث محمد مع علي، और राम घर गया, ქართული ენა", []),
        ("東京 の Tanaka さん", ["tanaka"]),
        ("", []),
    ],
)  # fmt: skip
def test_names_are_runs_of_capitalised_words(text: str, names: list[str]) -> None:
    assert names_in(text) == tuple(names)


def test_each_name_is_there_once_and_at_most_64() -> None:
    many = ", ".join(f"Name{n} then Name{n}" for n in range(100))
    assert names_in(many) == tuple(f"name{n}" for n in range(MOST))
    assert MOST == 64


@settings(deadline=None)
@given(st.text(st.sampled_from("AaÉéЖж1 .-&'’of\n"), max_size=80))
def test_any_text_has_folded_names_that_start_as_names_do(text: str) -> None:
    for name in names_in(text):
        assert name == name.casefold()
        assert len(name) > 1
        assert name[0].isalnum()


@settings(deadline=None)
@given(st.text(st.sampled_from("AaÉéЖж1 _.-&'’of\n"), max_size=80))
def test_a_name_begins_where_no_letter_digit_or_apostrophe_stands_before_it(text: str) -> None:
    """The first word of a name as it is meant, with the condition before it; the pattern has it after a letter."""
    word = rf"(?:[{capital_letters()}][\w'’&.-]*\w|\d+[A-Z]\w*)"
    meant = re.compile(rf"(?<![\w'’]){word}(?: (?:(?:of|&) ){{0,2}}{word})*")
    found = [match.span() for match in name_pattern().finditer(text)]
    assert found == [match.span() for match in meant.finditer(text)]


@pytest.mark.parametrize(
    "piece",
    [
        "A",
        "A-",
        "A.",
        "A--------",
        "Aa of the ",
        "A of the ",
        "Aa & & ",
        "1",
        "1-",
        "Aa ",
        "A' ",
        "’A",
        "Aa van der x ",
    ],
)
def test_the_longest_texts_take_linear_time(piece: str) -> None:
    """Some hundredths of a second; a pattern that goes back takes a minute."""
    text = piece * (100_000 // len(piece))
    started = time.process_time()
    names_in(text)
    assert time.process_time() - started < 5


def test_one_word_without_an_end_takes_linear_time() -> None:
    started = time.process_time()
    assert names_in("A" + "-" * 1_000_000) == ()
    assert time.process_time() - started < 5
