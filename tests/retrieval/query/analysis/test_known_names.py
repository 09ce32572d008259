"""The index of a user's names: whole names, first and last names, and names with a slip of the pen."""

import pytest

from brain_retrieval.query.analysis import Known, NameIndex


def index(*names: str, kind: str = "Person") -> NameIndex:
    return NameIndex((name, Known(name, name, kind)) for name in names)


def found(names: NameIndex, folded: str) -> list[str]:
    return [known.entity_id for known in names.lookup(folded)]


def similar(names: NameIndex, folded: str) -> list[str]:
    return [known.entity_id for known in names.similar(folded)]


def test_a_whole_name_counts_more_than_a_part_and_a_slip_half() -> None:
    names = index("Caroline Smith")
    assert [(known.how, known.confidence) for known in names.lookup("caroline smith")] == [("exact", 1.0)]
    assert [(known.how, known.confidence) for known in names.lookup("smith")] == [("alias", 0.6)]
    assert [(known.how, known.confidence) for known in names.similar("caroline smiht")] == [("fuzzy", 0.5)]


def test_a_last_name_of_more_than_three_people_names_none() -> None:
    three = ["Ann Smith", "Bob Smith", "Cem Smith"]
    assert found(index(*three), "smith") == three
    assert found(index(*three, "Dora Smith"), "smith") == []


def test_a_name_given_twice_is_listed_once() -> None:
    assert found(index("Ann Smith", "Ann Smith"), "ann smith") == ["Ann Smith"]
    assert found(index("Ann Smith", "Ann Smith"), "smith") == ["Ann Smith"]


def test_only_people_have_first_and_last_names() -> None:
    assert found(index("Project Phoenix", kind="Project"), "project") == []
    assert found(index("Jo Smith"), "jo") == []  # too short for a part
    assert found(index("Bo"), "bo") == ["Bo"]
    assert found(index("B"), "b") == []


def test_names_are_looked_up_by_six_words_at_most() -> None:
    assert index("Ann Smith").most_words == 2
    assert index("the old man and his two small dogs").most_words == 6


@pytest.mark.parametrize(
    ("known", "asked", "is_found"),
    [
        ("Pietra", "petra", True),
        ("Hanna", "anna", False),  # short names that differ by one letter are others
        ("Caroline", "carolibe", True),
        ("Caroline", "carolina", False),  # names that differ at their end are others
        ("Schmidtke", "schmidtk", False),
        ("Kantonalbank", "kantonlbank", True),
        ("Kantonalbank", "kantonlbak", False),  # two letters missing
        ("Zuger Kantonalbank", "zubger kantonalbang", True),  # both ends are wrong
    ],
)
def test_a_slip_of_the_pen_is_one_letter(known: str, asked: str, *, is_found: bool) -> None:
    assert similar(index(known), asked) == ([known] if is_found else [])
