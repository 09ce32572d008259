"""Sentences that say who someone is to their speaker, in six languages."""

import pytest

from brain_retrieval.knowledge.memories.relation import says_who, tells_relation


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("My boyfriend Rob and I are moving.", ["Rob"]),
        ("Our landlord Mr Tremlett wants 1,450.", ["Tremlett"]),
        ("Greg will be my new boss.", ["Greg Pollard", "Greg"]),
        ("Vroni: Meine Chefin ist die Annemarie Huber.", ["Annemarie"]),
        ("Ma cheffe, Mme Delmas, a fait un discours.", ["Delmas"]),
        ("Mi jefe es Vicent Ferrandis.", ["Vicent", "Vicent Ferrandis"]),
        ("Mia zia Carla arriva domani.", ["Carla"]),
        ("A minha chefe é a Joana.", ["Joana"]),
    ],
)
def test_who_someone_is_to_the_speaker(text: str, names: list[str]) -> None:
    assert tells_relation(text, names)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("My boss met Greg.", ["Greg"]),
        ("Rob's mum Sandra is coming for dinner.", ["Rob"]),
        ("My sister and Gregory came.", ["Greg"]),
        ("Greg said that my boss is ill.", ["Greg"]),
        ("My boss left.", list[str]()),
    ],
)
def test_others_are_nobody_to_the_speaker(text: str, names: list[str]) -> None:
    assert not tells_relation(text, names)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The contact is Mr Pell, telephone 0161 555 0188.", "Pell"),
        ("Mi sobrina Vega cumple dos.", "Vega"),
        ("Oona, la sœur de Luc, arrive lundi.", "Oona"),
        ("Pell is the warden.", "Pell"),
    ],
)
def test_who_somebody_is(text: str, name: str) -> None:
    assert says_who(text, [name])


@pytest.mark.parametrize("text", ["Send Pell the invoice.", "Regards, Pell", "My sister met us. Pell paid."])
def test_what_somebody_does_or_gets_is_not_who_it_is(text: str) -> None:
    assert not says_who(text, ["Pell"])
