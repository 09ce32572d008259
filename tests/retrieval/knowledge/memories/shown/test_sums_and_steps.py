"""Large amounts of money, and what is only a step of a matter that another line tells."""

from typing import Any

import pytest

from brain_retrieval.knowledge.memories.seen import CURRENT, Seen
from brain_retrieval.knowledge.memories.shown.choice import chosen
from brain_retrieval.knowledge.memories.shown.matters import is_matter, matter_of, without_steps
from tests.retrieval.knowledge.memories.shown.test_matters import ME, entity, home, row


@pytest.mark.parametrize(
    ("text", "value", "people", "matter"),
    [
        ("The barge went to Cleo for £6,300.", ("GBP", "6300"), [entity("Cleo")], "sum"),
        ("Nous prêtons 4 500 euros à Maud.", ("EUR", "4500"), [ME], "sum"),
        ("I paid £63 for the anchor.", ("GBP", "63"), [ME], None),
        ("The bridge cost £6,300,000.", ("GBP", "6300000"), [], None),
        ("I rowed 6,300 metres.", ("m", "6300"), [ME], None),
        ("We had dinner for 4,500 yen.", ("JPY", "4500"), [ME], None),
    ],
)
def test_a_large_amount_of_money_of_a_person(
    text: str, value: tuple[str, str], people: list[dict[str, Any]], matter: str | None
) -> None:
    assert matter_of(row(text, *people, values=(value,))) == matter
    assert matter_of(row(text, *people, values=(value,), source="email")) is None


def test_one_occasion_of_what_someone_does_again_and_again_is_no_matter() -> None:
    last_week = (("date", "2026-05-29"),)
    sang = row("Ida sings in the choir of the mill.", entity("Ida"))
    once = row("Ida was volunteering at the mill on Friday.", entity("Ida"), kind="event", values=last_week)
    since = row("Ida is the treasurer of the mill.", entity("Ida"), values=(("date", "2024-01-09"),))
    soon = row("Ida coaches the juniors on Saturdays from 6 June.", entity("Ida"), values=(("date", "2026-06-06"),))
    assert [is_matter(one, home(one)) for one in (sang, once, since, soon)] == [True, False, True, True]


def test_a_step_of_a_matter_that_is_shown_is_left_out() -> None:
    words = {"anchors": ["volunteer", "library", "town"], "speaker": "Ida", "source": "conversation"}
    step = row("Ida had the chance to volunteer at the library in town.", kind="event") | words
    still = row("Ida still volunteers at the library in town.") | words
    elsewhere = step | {"memory_id": "elsewhere", "anchors": ["volunteer", "harbour"]}
    another = step | {"memory_id": "another", "speaker": "Bo"}
    assert without_steps([step, elsewhere, still, another]) == [elsewhere, still, another]
    assert without_steps([step, step | {"memory_id": "again"}]) == [step]


def test_what_only_a_sum_lets_in_comes_behind_the_rest() -> None:
    sold = row("The barge went to Cleo for £6,300.", entity("Cleo"), values=(("GBP", "6300"),), anchors=["barge"])
    ill = row("Leo has asthma.", entity("Leo"), anchors=["asthma"])
    rows = {"sold": sold | {"memory_id": "sold"}, "ill": ill | {"memory_id": "ill"}}

    def order(useful: float) -> list[str]:
        scores = {"sold": 2.0, "ill": 1.0}
        ranked = {key: (scores[key], {"useful": useful}, Seen(one, CURRENT)) for key, one in rows.items()}
        return chosen(ranked, home(*rows.values()))

    assert order(0.4) == ["ill", "sold"]
    assert order(0.9) == ["sold", "ill"]
