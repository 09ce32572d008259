"""Which passages come first: those that state what is asked for, and what is one's own before what was read."""

from dataclasses import replace

import pytest

from brain_retrieval.query.analysis import Question
from brain_retrieval.query.analysis.question import Wants
from brain_retrieval.query.ask.fitting import in_order_of_fit, with_all_words
from brain_retrieval.query.hits import Hit
from tests.retrieval.query.packs.made_hits import hit


def asked(text: str, wants: Wants = "thing", language: str = "en") -> Question:
    return Question(text, text, (), (), language=language, wants=wants)


def scored(text: str, score: float, source: str = "note") -> Hit:
    made = hit(text, source_id=text[:12])
    return replace(made, score=score, source_ref=replace(made.source_ref, source=source))


@pytest.mark.parametrize(
    ("question", "wants", "language", "silent", "stating"),
    [
        ("When does the course start?", "time", "en", "The course is full.", "The course starts on 4 May."),
        ("How much is the course?", "number", "en", "The course is full.", "The course: 90 euros."),
        ("Where does Ann stay?", "place", "en", "Ann stays with friends.", "Ann has a room in Ghent."),
        ("Wo wohnt Ann?", "place", "de", "Ann wohnt nicht mehr allein.", "Ann hat ein Zimmer in Gent."),
    ],
)
def test_what_states_the_thing_asked_for_comes_before_what_is_up_to_twice_as_likely(
    question: str, wants: Wants, language: str, silent: str, stating: str
) -> None:
    one, other = scored(silent, 0.5), scored(stating, 0.3)
    assert in_order_of_fit(asked(question, wants, language), (one, other)) == (other, one)
    assert in_order_of_fit(asked(question, "thing", language), (one, other)) == (one, other)
    unlikely = replace(other, score=0.2)
    assert in_order_of_fit(asked(question, wants, language), (one, unlikely)) == (one, unlikely)


def test_the_place_that_a_question_names_is_no_answer_to_where() -> None:
    one, other = scored("Ann is happy at Larkspur.", 0.5), scored("Larkspur is in Ghent.", 0.4)
    assert in_order_of_fit(asked("Where is Larkspur?", "place"), (one, other)) == (other, one)


@pytest.mark.parametrize("source", ["web-page", "web-crawl"])
def test_what_was_read_comes_behind_what_is_ones_own_and_has_as_much_of_the_question(source: str) -> None:
    page = scored("Rents in Ghent are 900 to 1,200 euros.", 0.8, source)
    lease, note = scored("Lease of 4 Dock Road, Ghent. Rent: 850 euros.", 0.3), scored("I moved to Ghent.", 0.3)
    question = asked("how much is the rent in Ghent", "number")
    assert in_order_of_fit(question, (page, lease)) == (lease, page)
    assert in_order_of_fit(question, (page, note)) == (page, note)
    assert in_order_of_fit(question, (page,)) == (page,)


def test_an_unlikely_passage_is_shown_if_it_has_the_words_of_the_question() -> None:
    books, other = (
        scored("Out at the moment: a book on knots, a book on bees.", 0.02),
        scored("The bees are out.", 0.03),
    )
    question = asked("how many books are lent", "number")
    assert with_all_words(asked("how many books", "number"), (other, books)) == (books,)
    assert with_all_words(question, (other, books)) == ()
    assert with_all_words(asked("how many books", "number"), (replace(books, score=0.005),)) == ()
    assert with_all_words(asked("what is it"), (books,)) == ()
