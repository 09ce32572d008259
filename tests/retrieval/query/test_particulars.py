"""What a question asks for that has a form of its own, and which texts and passages may state it."""

import pytest

from brain_retrieval.query.analysis import Name, Question
from brain_retrieval.query.analysis.question import Wants
from brain_retrieval.query.ask.fitting import with_price
from brain_retrieval.query.ask.particulars import Particular, particular_asked
from tests.retrieval.query.packs.made_hits import hit


def question(text: str, language: str, wants: Wants, *names: str) -> Question:
    called = tuple(Name(name, text.index(name), text.index(name) + len(name)) for name in names)
    return Question(text, text, (), (), language=language, wants=wants, names=called)


@pytest.mark.parametrize(
    ("language", "wants", "text", "key", "states", "lacks"),
    [
        ("en", "time", "When is Ann's birthday?", "birthday", "Ann turned 40 in May", "Ann came on 4 May"),
        ("de", "time", "Wann hat Ann Geburtstag?", "birthday", "Ann wird im Mai 40, geboren in Ulm", "Ann wird müde"),
        ("es", "time", "¿Cuándo es el cumpleaños de Ann?", "birthday", "Ann cumple 40", "Ann llega el 4 de mayo"),
        ("fr", "time", "Quand est l'anniversaire d'Ann ?", "birthday", "Ann aura 40 ans", "Ann arrive le 4 mai"),
        ("it", "time", "Quando è il compleanno di Ann?", "birthday", "Ann compie 40 anni", "Ann arriva il 4 maggio"),
        ("pt", "time", "Quando é o aniversário de Ann?", "birthday", "Ann faz 40 anos", "Ann chega a 4 de maio"),
        (
            "en",
            "number",
            "What is Ann's phone number?",
            "telephone",
            "Ann: 0161 555 0188",
            "Ann came 2026-05-04",
        ),
        ("de", "number", "Wie ist die Telefonnummer von Ann?", "telephone", "Ann, Durchwahl 44", "Ann zahlt 4.200"),
        ("en", "thing", "What is Ann's email address?", "address", "Ann <a@lee.example>", "Ann wrote a mail"),
        ("fr", "thing", "Quel est le mot de passe d'Ann ?", "password", "Code d'Ann : 4471", "Ann a 44 clients"),
        ("de", "thing", "Welche Schuhgröße hat Ann?", "size", "Ann braucht Stiefel in 42", "Ann braucht Stiefel"),
        ("de", "thing", "Welche Schuhgröße hat Ann?", "size", "Ann hat 38,5", "Ann kommt um 17h30, 1,46 Euro"),
        ("en", "thing", "What is Ann's surname?", "surname", "I met Ann Hale there", "I met Ann there"),
        ("fr", "thing", "Quel est le nom de famille d'Ann ?", "surname", "Ann Hale viendra", "Ann viendra"),
        ("es", "thing", "¿Qué grupo sanguíneo tiene Ann?", "blood_type", "Ann es 0+", "Ann es de Bilbao"),
        ("de", "thing", "Welche Blutgruppe hat Ann?", "blood_type", "Ann: AB neg", "Ann hat Blutdruck 140 zu 90"),
        ("en", "number", "How tall is Ann?", "height", "Ann is 1.74 m", "Ann paid 1.74"),
        ("it", "number", "Qual è l'IBAN di Ann?", "account", "Ann: IT60X0542811101", "Ann ha pagato 60 euro"),
    ],
)
def test_a_text_without_the_form_and_without_a_word_for_it_states_nothing(
    language: str, wants: Wants, text: str, key: str, states: str, lacks: str
) -> None:
    asked = particular_asked(question(text, language, wants, "Ann"))
    assert asked is not None
    assert asked == Particular(key, frozenset({"ann"}))
    assert (asked.may_be_in(states), asked.may_be_in(lacks)) == (True, False)
    assert not asked.may_be_in(states.replace("Ann", "Bob"))


def test_a_question_about_something_else_with_such_a_word_asks_for_no_particular() -> None:
    assert particular_asked(question("What did we give Ann for her birthday?", "en", "thing")) is None
    assert particular_asked(question("Who knows the password?", "en", "person")) is None
    assert particular_asked(question("When does Ann call?", "en", "time")) is None


@pytest.mark.parametrize("silent", ["The sofa was scratched.", "They brought the sofa."])
def test_a_price_is_in_no_passage_without_an_amount_nor_in_one_that_has_less_of_the_thing(silent: str) -> None:
    asked = question("how much did the sofa cost", "en", "number")
    said, lamp = hit(silent), hit("The lamp was 40 euros.", 2)
    assert with_price(asked, (said, lamp)) == ()
    assert with_price(asked, (lamp,)) == (lamp,)
    for text in ("The sofa was 300 euros.", "The sofa was forty quid.", "The sofa was free."):
        assert with_price(asked, (said, hit(text, 2))) == (hit(text, 2),)
    assert with_price(question("when did the sofa come", "en", "time"), (said, lamp)) == (said, lamp)
