"""What minutes and the notes of a team turn on: contracts, what is paid again, decisions, who owns what."""

from typing import Any

import pytest

from brain_retrieval.knowledge.memories.shown.matters import is_matter, matter_of
from tests.retrieval.knowledge.memories.shown.test_matters import ME, entity, home, row


@pytest.mark.parametrize(
    ("text", "people", "values", "changes", "matter"),
    [
        ("The lease runs until 2031.", (), (("year", "2031"),), {}, "dues"),
        ("The lease ran out in May.", (), (("month", "2026-05"),), {}, None),
        ("Der Pachtvertrag gilt bis 30. April 2029.", (), (("date", "2029-04-30"),), {}, "dues"),
        ("Le bail court jusqu'en 2031.", (), (("year", "2031"),), {}, "dues"),
        ("Hosting is 12 euros a month.", (), (("EUR/month", "12"),), {}, "sum"),
        ("Cherries were 4 euros a kilo.", (), (("EUR/kilo", "4"),), {}, None),
        ("We store amounts in cents.", (), (), {"anchors": [":title:decision"]}, "decided"),
        ("Nora owns the importer.", (entity("Nora"),), (), {}, "project"),
        ("Nora ist zuständig für den Zelt-Verleih.", (entity("Nora"),), (), {}, "project"),
        ("Nora wird mit 20 Stimmen zur neuen Vorsitzenden gewählt.", (entity("Nora"),), (), {}, "work"),
        ("Iván fue reelegido en marzo.", (entity("Iván"),), (), {}, "work"),
        ("The trailer padlock is 7730.", (), (), {}, "details"),
    ],
)
def test_contracts_rates_decisions_and_owners_of_work(
    text: str, people: tuple[Any, ...], values: tuple[Any, ...], changes: dict[str, Any], matter: str | None
) -> None:
    assert matter_of(row(text, *people, values=values, **changes)) == matter


def test_a_day_of_what_stands_elsewhere_is_no_matter() -> None:
    later = (("date", "2026-09-15"),)
    one = row("Deadline is 15 September 2026.", ME, values=later)
    titled = row("Deadline is 15 September 2026 [Dashboard].", ME, values=later)
    assert (is_matter(one, home(one)), is_matter(titled, home(titled))) == (False, True)


def test_a_task_of_a_note_is_no_matter_of_work() -> None:
    task = row("Ask Nora for a new treasurer.", entity("Nora"), kind="instruction")
    told = row("Nora is the new treasurer.", entity("Nora"))
    assert (is_matter(task, home(task)), is_matter(told, home(told))) == (False, True)
