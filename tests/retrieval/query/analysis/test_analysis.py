"""Query analysis: content words, dates, normalisation."""

from datetime import date

import pytest

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.query.analysis import DateMention, analyse, content_words, find_dates


def test_words_that_only_ask_are_removed() -> None:
    assert content_words("What did Caroline say about the support group?") == "Caroline support"
    assert content_words("When will May meet Will in May?") == "May meet Will May"


@pytest.mark.parametrize("query", ["Who is it?", "what", "the the"])
def test_a_question_of_nothing_but_stop_words_keeps_them(query: str) -> None:
    assert content_words(query).split() == query.rstrip("?").split()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on 2026-01-05 exactly", (2026, 1, 5)),
        ("7 May 2023", (2023, 5, 7)),
        ("the 7th of May", (None, 5, 7)),
        ("October 31st, 2023", (2023, 10, 31)),
        ("Oct. 31", (None, 10, 31)),
        ("in September 2023", (2023, 9, None)),
        ("what happened in June?", (None, 6, None)),
        ("29 February", (None, 2, 29)),
    ],
)
def test_dates_are_found(text: str, expected: tuple[int | None, int, int | None]) -> None:
    assert find_dates(text) == (DateMention(*expected),)


@pytest.mark.parametrize("text", ["I may go", "we march on", "31 April 2023", "2026-13-01", "section 12", "maybe 12"])
def test_what_is_no_date_is_not_found(text: str) -> None:
    assert find_dates(text) == ()


def test_a_date_mention_matches_what_it_leaves_open() -> None:
    assert DateMention(None, 5, None).matches(date(2023, 5, 31))
    assert not DateMention(2024, 5, None).matches(date(2023, 5, 31))
    assert not DateMention(2023, 5, 30).matches(date(2023, 5, 31))


@pytest.mark.parametrize("query", ["", "   ", "\n\t\x00"])
def test_an_empty_query_is_refused(query: str) -> None:
    with pytest.raises(InvalidQueryError, match="empty"):
        analyse(query, max_characters=100)


@pytest.mark.parametrize("query", [None, 7, b"bytes", ["list"]])
def test_a_query_is_text(query: object) -> None:
    with pytest.raises(InvalidQueryError, match="text"):
        analyse(query, max_characters=100)  # pyright: ignore[reportArgumentType]


def test_text_is_normalised_and_cut_with_a_warning() -> None:
    question = analyse("Cafe\u0301\x00  lone \ud800 surrogate" + " x" * 100, max_characters=50)
    assert question.text.startswith("Café lone ? surrogate")
    assert question.warnings == ("query cut to its first 50 of 224 characters",)


@pytest.mark.parametrize("query", ["?!…", "🎉🎉", "--- *** ---", "(((((("])
def test_nothing_to_search_for_is_said(query: str) -> None:
    question = analyse(query, max_characters=100)
    assert not question.searchable
    assert "no letter or digit" in question.warnings[0]


def test_a_german_question_loses_its_german_stop_words() -> None:
    assert content_words("Was hat Maria über das neue Haus gesagt?", "de") == "Maria neue Haus"
    assert content_words("Was hat Maria gesagt?", "tr") == "Was hat Maria gesagt"  # no list of this language


def test_german_dates_are_found_and_english_ones_besides() -> None:
    mentions = find_dates("Was war am 7. Mai 2023, im Juni und on 3 October 2022?", "de")
    assert set(mentions) == {DateMention(2023, 5, 7), DateMention(None, 6, None), DateMention(2022, 10, 3)}
    assert find_dates("im Mai und im Dezember") == ()
