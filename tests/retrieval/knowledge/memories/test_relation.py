"""Sentences that say who someone is to their speaker, in six languages."""

import pytest

from brain_retrieval.knowledge.memories.relation import tells_relation


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
