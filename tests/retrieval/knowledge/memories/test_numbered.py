"""Things of one kind that a number or a letter distinguishes."""

import pytest

from brain_retrieval.knowledge.memories.compared.numbered import numbers_asked, of_another_number, of_other_numbers
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.view import answered, view
from tests.retrieval.knowledge.memories.rows import day, row


@pytest.mark.parametrize(
    ("before", "after", "apart"),
    [
        ("Tank 2 holds 40 litres", "Tank 5 holds 60 litres now", True),
        ("Tank 2 holds 40 litres", "It leaked, so tank 5 goes down to 30", True),
        ("Gruppe A trifft sich um 9", "Gruppe C trifft sich um 10", True),
        ("She has room 14", "She moved to room 22", False),
        ("Room 14", "Room 22 now", False),
        ("The cup is played in hall B on 3 May", "New date for the cup: 9 June, hall D", False),
        ("Rent 840 warm", "Rent 890 warm", False),
        ("Tank 2 holds 40 litres", "Tank 2 holds 60 litres now", False),
    ],
)
def test_two_numbers_name_two_things_where_something_else_is_said_of_each(before: str, after: str, apart: bool) -> None:
    a, b = Facet(row("a", before, "2026-01-02")), Facet(row("b", after, "2026-02-02"))
    assert of_other_numbers(a, b) == apart


@pytest.mark.parametrize(
    ("about", "text", "another"),
    [
        ("plot 14b", "Plot 9 costs 45", True),
        ("plot 14b", "Plot 14b costs 45", False),
        ("team b", "Team D trains on Mondays", True),
        ("node-c", "The job runs on node-a", True),
        ("the plot", "Plot 9 costs 45", False),
        ("plot 14b", "The plots were sold", False),
    ],
)
def test_a_question_for_one_of_them_asks_for_no_other(about: str, text: str, another: bool) -> None:
    assert of_another_number(numbers_asked(about), Facet(row("a", text, "2026-01-02"))) == another


def test_a_change_of_one_of_them_leaves_the_other_as_it_is() -> None:
    rows = [
        row("a", "Tank 2 holds 40 litres", "2026-01-02", values=[("number", "2"), ("number", "40")]),
        row("b", "Tank 5 goes to 30 now", "2026-02-02", cue="weak", values=[("number", "5"), ("number", "30")]),
        row("c", "Tank 2 goes to 35 now", "2026-04-02", cue="weak", values=[("number", "2"), ("number", "35")]),
    ]
    seen = {one.row["memory_id"]: one.status for one in view(rows, "tank 2", at=day("2026-03-01"))}
    assert seen == {"a": "current"}
    lines = [one.row["memory_id"] for one in answered(rows, "tank 2", at=day("2026-05-01"))]
    assert lines[0] == "c" and "b" not in lines
