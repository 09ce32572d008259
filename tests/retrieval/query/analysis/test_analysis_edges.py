"""Dates in every spelling, names that look like stop words, and what is cleaned away before anything is read."""

from datetime import date

import pytest

from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.query.analysis import DateMention, analyse, clean, content_words, find_dates


@pytest.mark.parametrize("number", range(1, 13))
def test_every_month_is_known_by_name_and_by_three_letters(number: int) -> None:
    name = SHARED.read("dates", "en").listed("months")[number - 1]
    expected = (DateMention(2024, number, 3),)
    for spelling in (name, name.title(), name.upper(), name[:3], name[:3].title() + "."):
        assert find_dates(f"3 {spelling} 2024") == expected
        assert find_dates(f"{spelling} 3rd, 2024") == expected
    assert find_dates(f"since {name}") == (DateMention(None, number, None),)
    assert find_dates(f"{name} of 2024") == (DateMention(2024, number, None),)


def test_september_has_four_letters_too() -> None:
    assert find_dates("Sept. 9") == find_dates("9 sept") == (DateMention(None, 9, 9),)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-05, 6 January 2026 and in July", [(2026, 1, 5), (2026, 1, 6), (None, 7, None)]),
        ("in June and on 7 May 2023", [(2023, 5, 7), (None, 6, None)]),  # the longest reading first
        ("7 May 2023, again 7 May 2023", [(2023, 5, 7)]),
        ("May 7, 2023 or May 2023", [(2023, 5, 7), (2023, 5, None)]),
        ("mid-May", [(None, 5, None)]),
        ("during last March", [(None, 3, None)]),
        ("29 February 2024", [(2024, 2, 29)]),
        ("29 February 2023", []),
        ("2024-00-10", []),
        ("2024-12-31", [(2024, 12, 31)]),
        ("0 May", []),
        ("May 0000", []),
        ("in Mayfair", []),
        ("order 12024-01-05", []),
    ],
)
def test_dates_are_found_once_and_the_longest_first(text: str, expected: list[tuple]) -> None:
    assert find_dates(text) == tuple(DateMention(*parts) for parts in expected)


def test_a_mention_matches_only_when_every_part_it_names_does() -> None:
    day = date(2023, 5, 31)
    assert DateMention(2023, 5, 31).matches(day)
    assert DateMention(None, 5, 31).matches(day)
    assert not DateMention(None, 6, None).matches(day)
    assert not DateMention(None, 6, 31).matches(day)
    assert not DateMention(None, 5, 30).matches(day)
    assert not DateMention(2022, 5, 31).matches(day)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What's the budget?", "budget"),
        ("Who did Caroline's sister meet?", "Caroline's sister meet"),
        ("Will Bob come with Will?", "Bob come Will"),  # the first word has its capital anyway
        ("WHAT ABOUT I?", "WHAT ABOUT I"),
        ("can I have A cat", "cat"),
        ("when do Do and Am meet", "Do Am meet"),  # names of two letters
        ("where is don’t-know", "don’t know"),
        ("Tell me about E-4711", "E 4711"),
    ],
)
def test_content_words(question: str, words: str) -> None:
    assert content_words(question) == words


def test_control_and_line_characters_are_blanks_and_letters_are_composed() -> None:
    assert clean("a\x00b\u2028c\u2029d\te\n") == "a b c d e"
    assert clean("Cafe\u0301") == "Caf\u00e9"
    assert clean("soft\u00adhyphen 👩‍🚀") == "soft\u00adhyphen 👩‍🚀"


def test_a_question_is_cut_behind_its_last_character_allowed() -> None:
    whole = analyse("seven words", max_characters=11)
    assert (whole.text, whole.warnings) == ("seven words", ())
    cut = analyse("seven words!", max_characters=11)
    assert (cut.text, cut.warnings) == ("seven words", ("query cut to its first 11 of 12 characters",))
    assert analyse("x" * 2000, max_characters=1000).warnings == ("query cut to its first 1,000 of 2,000 characters",)


def test_the_whole_text_is_kept_beside_its_words_and_dates() -> None:
    question = analyse("  What happened on\n7 May 2023? ", max_characters=100)
    assert question.text == "What happened on 7 May 2023?"
    assert question.words == "happened 7 May 2023"
    assert question.dates == (DateMention(2023, 5, 7),)
    assert question.searchable
    silent = analyse("?!", max_characters=100)
    assert (silent.words, silent.searchable) == ("", False)
    assert silent.warnings == ("the query has no letter or digit; nothing was searched",)
