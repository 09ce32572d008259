"""Forms of titles in a text: parts of runs of capitals, initials, and titles without their qualifiers."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain_retrieval.language.titles import MOST, title_forms, unqualified


@pytest.mark.parametrize(
    ("title", "bare"),
    [
        ("Ashby (village)", "Ashby"),
        ("Ashby (mill) (1901)", "Ashby"),
        ("Ashby(village)", "Ashby(village)"),
        ("(village)", "(village)"),
        ("", ""),
    ],
)
def test_a_qualifier_in_brackets_is_no_part_of_a_title(title: str, bare: str) -> None:
    assert unqualified(title) == bare


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("a song by Ada Wren and American rapper Bo", {"Ada Wren", "American", "Ada Wren and American", "Bo"}),
        ("directed by R. J. Ashby in 1955", {"R. J. Ashby", "J. Ashby"}),
        ("Ada, Countess of Wenlow", {"Ada", "Countess", "Wenlow", "Countess of Wenlow", "Ada, Countess of Wenlow"}),
        ("The Goose Woman", {"The Goose Woman", "Goose Woman"}),
        ("under Lieutenant General Ada Wren", {"Lieutenant General Ada Wren", "General Ada Wren", "Ada Wren"}),
        ("the film Ashby (Film)", {"Ashby"}),
    ],
)  # fmt: skip
def test_a_run_of_capitals_is_read_in_the_ways_a_title_may_stand_in_it(text: str, forms: set[str]) -> None:
    found = title_forms(text)
    assert forms <= set(found)
    assert len(found) == len(set(found))


def test_a_single_word_is_a_form_only_where_it_is_a_part_of_its_own() -> None:
    assert title_forms("the Goose Woman ran") == ("Goose Woman",)
    assert title_forms("Was Wren there?") == ("Was Wren", "Wren")
    assert title_forms("in lower case, and a. What?") == ()


def test_at_most_400_forms_of_a_text() -> None:
    assert len(title_forms(", ".join(f"Name{n}" for n in range(2000)))) == MOST


@settings(deadline=None)
@given(st.text(st.sampled_from("AaÉéЖж1 .-&'’,of\n()"), max_size=80))
def test_forms_stand_in_the_text(text: str) -> None:
    for form in title_forms(text):
        assert form in text
        assert len(form) > 1


@pytest.mark.parametrize("piece", ["A", "A-", "A.", "A. ", "A, ", "Aa of the ", "A of the ", "Aa & & ", "Aa ", "(A"])
def test_the_longest_texts_take_linear_time(piece: str) -> None:
    """Some tenths of a second; a pattern that goes back takes a minute."""
    title_forms.cache_clear()
    started = time.process_time()
    title_forms(piece * (100_000 // len(piece)))
    assert time.process_time() - started < 5
