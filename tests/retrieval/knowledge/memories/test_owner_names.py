"""Which words of a question name the owner of a memory: by the settings, and by the user id."""

import pytest

from brain_retrieval.knowledge.memories.asked.owner_names import owner_named, owner_names
from brain_retrieval.language.content_words import content_words


@pytest.mark.parametrize(
    ("user", "declared", "names"),
    [
        ("jonas", (), ("jonas",)),
        ("ann-lee", (), ("ann lee", "ann")),
        ("ann", ("Ann Lee", "Annie"), ("Ann Lee", "Annie", "ann")),
        ("jonas2", (), ("jonas",)),
        ("me", (), ()),
        ("17", ("",), ()),
    ],
)
def test_names_of_the_owner(user: str, declared: tuple[str, ...], names: tuple[str, ...]) -> None:
    assert owner_names(user, declared) == names


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Where does Jonas work?", {"jonas"}),
        ("where does jonas work", {"jonas"}),
        ("What is Jonas's salary?", {"jonas"}),
        ("Wo arbeitet Jonas?", {"jonas"}),
        ("Where does Jonas Lund work?", {"jonas", "lund"}),
        ("Where does Jonas Byrne work?", set()),  # another person
        ("Where does Jonasson work?", set()),
        ("Where do I work?", set()),
    ],
)
def test_words_of_a_question_that_name_the_owner(question: str, words: set[str]) -> None:
    assert owner_named(question, ("jonas", "Jonas Lund")) == set(content_words(" ".join(words)))
