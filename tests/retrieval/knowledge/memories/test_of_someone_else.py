"""What someone or something else has ends nothing: another's rent, another server's version, what was paid once."""

from typing import Any

import pytest

from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.view import view
from brain_retrieval.knowledge.memories.whose import of_another_speaker
from tests.retrieval.knowledge.memories.rows import day, row
from tests.retrieval.knowledge.memories.test_changes import ends

AT = "2026-06-01"


def statuses(rows: list[dict[str, Any]], about: str) -> dict[str, str]:
    return {seen.row["memory_id"]: seen.status for seen in view(rows, about, at=day(AT))}


def pair(before: str, after: str, dimension: str = "number", **changes: Any) -> list[dict[str, Any]]:
    old, new = (next(word for word in text.split() if word[0].isdigit()) for text in (before, after))
    return [
        row("a", before, "2025-01-02", values=[(dimension, old)]),
        row("b", after, "2025-11-02", values=[(dimension, new)], **changes),
    ]


def test_the_rent_of_a_sister_is_no_answer_to_my_rent() -> None:
    assert statuses(pair("Rent is 820 a month", "Sister's rent is 1040"), "my rent")["a"] == "current"


def test_another_team_answers_nothing_about_ours() -> None:
    rows = [
        row("a", "Ana's team sits on the third floor", "2025-01-02"),
        row("b", "Bo's team moved to the fifth floor", "2025-11-02", cue="strong"),
    ]
    assert statuses(rows, "Ana's team")["a"] == "current"


@pytest.mark.parametrize(
    ("before", "after", "unit"),
    [
        ("The rent of the garage is 80 euros", "The rent of the flat rises to 790 euros", "EUR"),
        ("Hire price per bike is 12 euros", "The fee per stall is now 15 euros", "EUR"),
        ("The shop runs on Django 4.2", "The blog was upgraded to Django 5.1", "version"),
    ],
)
def test_a_value_of_another_thing_ends_none(before: str, after: str, unit: str) -> None:
    assert not ends(pair(before, after, unit, cue="strong"))["a"]


def test_a_value_of_the_same_thing_ends_the_earlier_one() -> None:
    assert ends(pair("The rent of the garage is 80 euros", "The rent of the garage rises to 95 euros", "EUR"))["a"]
    rows = pair("The shop runs on Django 4.2", "The shop runs on Django 5.1", "version", cue="strong")
    assert ends(rows)["a"] == [("b", "value")]


def test_what_was_paid_once_is_no_standing_price() -> None:
    rent = row("a", "The rent stays at 820", "2025-01-02", values=[("number", "820")])
    paid = row("b", "I paid 795 for the rent", "2025-11-02", kind="event", values=[("number", "795")])
    assert not ends([rent, paid])["a"]


def test_a_weekday_answers_which_day_is_asked_for() -> None:
    rows = [
        row("a", "Quiz is on Tuesdays at the inn", "2025-01-02"),
        row("b", "Quiz has a new host", "2025-02-02"),
    ]
    first = next(iter(view(rows, "quiz day", at=day(AT))))
    assert first.row["memory_id"] == "a"


@pytest.mark.parametrize(
    ("later", "apart"),
    [
        ("Ann: Just finished, finally on my way home.", True),
        ("Ann: I no longer keep the four cats at home.", False),
        ("Ann: I told Bo that home is out of the question.", False),
    ],
)
def test_what_another_speaker_does_changes_only_what_it_names(later: str, *, apart: bool) -> None:
    def said(who: str, text: str, on: str) -> Facet:
        speaker = {"entity_id": who, "name": who, "type": "Person", "role": "speaker"}
        return Facet(row(who, text, on, speaker=who, entities=[speaker], cue="strong"))

    cats = said("Bo", "Bo: Four cats live with me at home.", "2026-01-02")
    assert of_another_speaker(cats, said("Ann", later, "2026-02-02")) == apart
    assert not of_another_speaker(cats, said("Bo", later.replace("Ann", "Bo"), "2026-02-02"))
