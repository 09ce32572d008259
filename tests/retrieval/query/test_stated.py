"""Questions for what has a form of its own: whether any passage may state it, or it is not there."""

import pytest

from brain_retrieval.brain import Brain
from brain_retrieval.query.analysis import Name, Question
from brain_retrieval.query.analysis.question import Wants
from brain_retrieval.query.ask.stated import LOOKED_AT, Price, may_be_stated

PHONE, SOFA = "What is Ann's phone number?", "how much did the sofa cost"


def question(text: str, wants: Wants, *names: str, language: str = "en") -> Question:
    called = tuple(Name(name, text.index(name), text.index(name) + len(name)) for name in names)
    return Question(text, text, (), (), language=language, wants=wants, names=called)


def stated(asked: Question, *texts: str, own: bool = True) -> bool:
    return may_be_stated(asked, texts, lambda _: own)


def test_a_telephone_number_is_there_if_any_passage_of_the_person_has_a_number() -> None:
    asked = question(PHONE, "number", "Ann")
    assert stated(asked, "Ann likes tea.", "Ann: 0161 555 0188")
    assert not stated(asked, "Ann likes tea.", "Bob: 0161 555 0188")
    assert not stated(asked, "Ann likes tea.", own=False)  # a number needs no words


def test_only_the_best_passages_are_looked_at() -> None:
    asked, before = question(PHONE, "number", "Ann"), ["Ann likes tea."] * LOOKED_AT
    assert stated(asked, *before[1:], "Ann: 0161 555 0188")
    assert not stated(asked, *before, "Ann: 0161 555 0188")


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("The sofa was 480 euros.", True),
        ("480 for the couch", True),  # another word for it
        ("Das Sofa war gratis.", True),
        ("A sofa came.", False),
        ("The lamp was 40 euros.", False),
    ],
)
def test_a_price_is_there_if_a_passage_has_an_amount_and_a_word_for_the_thing(text: str, there: bool) -> None:
    asked = question(SOFA, "number")
    assert stated(asked, "The dog slept.", text) is there
    assert stated(asked, text, own=False)  # it may be there in words of another language


def test_the_price_of_what_has_no_list_of_words_may_be_anywhere() -> None:
    assert Price.asked(question("how much did fixing the pipes cost", "number")) is None
    assert Price.asked(question("how many sofas did we buy", "number")) is None
    assert Price.asked(question("how much did it cost", "number")) is None
    assert stated(question("how much did fixing the pipes cost", "number"), "The plumber took four hundred euros.")


def test_what_has_no_form_of_its_own_may_be_anywhere() -> None:
    assert stated(question("Where does Ann live?", "place", "Ann"), "Nothing of the kind.")


@pytest.mark.parametrize("absent", ["What is Nina's phone number?", "When is Omar's birthday?"])
def test_a_search_finds_nothing_where_nobody_has_stated_it(brain: Brain, absent: str) -> None:
    found = brain.search(absent)
    assert not found
    assert found.nearest is not None
    assert brain.search(absent, min_score=0)
    assert brain.search(absent, sources=["note"])  # narrowed: the best is shown
    assert brain.search(absent, day_from="2020-01-01")
