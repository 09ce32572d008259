"""Changes as people tell them of everyday things: figures put right, numbers of guests, places, sisters' flats."""

from typing import Any

import pytest

from brain_retrieval.knowledge.memories.supersession import ANSWER
from brain_retrieval.knowledge.memories.view import answered, view
from brain_retrieval.language.values import find_values
from tests.retrieval.knowledge.memories.rows import day, row


def statuses(rows: list[dict[str, Any]], about: str) -> dict[str, str]:
    return {seen.row["memory_id"]: seen.status for seen in view(rows, about, at=day("2025-12-01"))}


def test_the_flat_of_a_sister_changes_nothing_about_ours() -> None:
    rows = [
        row("a", "The flat costs us 905", "2025-01-02", values=[("number", "905")]),
        row("b", "My sister's flat went up as well, 675 now", "2025-03-02", cue="strong", values=[("number", "675")]),
    ]
    assert statuses(rows, "flat costs")["a"] == "current"


def test_to_a_question_of_ones_own_the_thing_of_someone_else_is_not_shown() -> None:
    rows = [row("a", "Rent is 820 a month", "2025-01-02"), row("b", "Sister's rent is 1040", "2025-03-02")]
    assert statuses(rows, "my rent") == {"a": "current"}
    assert statuses(rows, "rent").keys() == {"a", "b"}


def test_a_number_of_what_was_counted_is_a_new_count() -> None:
    rows = [
        row("a", "80 guests for the party", "2025-01-02", values=[("guest", "80")]),
        row("b", "The guest list is now at 71", "2025-03-02", cue="weak", values=[("number", "71")]),
    ]
    assert statuses(rows, "guests")["a"] == "perhaps outdated"


def test_a_day_that_is_named_as_the_wrong_one_is_replaced() -> None:
    rows = [
        row("a", "The regatta is on 3 May [2026-05-03]", "2025-01-02", values=[("date", "2026-05-03")]),
        row(
            "b",
            "The regatta isn't on 3 May [2026-05-03] but on 10 May [2026-05-10]",
            "2025-03-02",
            cue="strong",
            polarity="negated",
            values=[("date", "2026-05-03"), ("date", "2026-05-10")],
        ),
    ]
    assert statuses(rows, "regatta")["a"] == "ended"


def test_a_new_day_of_lessons_leaves_their_price_to_who_asks_for_it() -> None:
    rows = [
        row("a", "Greta's flute lesson is 22 euros on Mondays", "2025-01-02", values=[("EUR", "22")]),
        row("b", "Greta's flute lesson is on Thursdays now", "2025-03-02", cue="weak"),
    ]
    assert statuses(rows, "price of the flute lesson")["a"] == "current"


def test_where_something_is_now_answers_where_it_was() -> None:
    rows = [
        row("a", "Practice is in the bakery cellar", "2025-01-02"),
        row("b", "Practice is in the boathouse till further notice", "2025-03-02", cue="weak"),
    ]
    assert statuses(rows, "where is practice")["a"] == "perhaps outdated"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("lunges 3 x 12", [("by", "3x12")]),
        ("lunges 2x8", [("by", "2x8")]),
        ("2 x 500 mg", [("number", "2"), ("mg", "500")]),
        ("1920x1080", []),
    ],
)
def test_so_many_times_so_many(text: str, values: list[tuple[str, str]]) -> None:
    assert [(one.dimension, one.value) for one in find_values(text)] == values


def test_what_is_told_with_a_cue_replaces_what_was_said_of_the_same() -> None:
    rows = [
        row("a", "Luis: Nana has room 31, above the kitchen", "2025-01-02"),
        row("b", "Luis: Nana's in 8 now, by the garden", "2025-03-02", cue="weak"),
    ]
    assert statuses(rows, "Nana's room")["a"] == "perhaps outdated"


def test_a_time_of_day_without_a_word_for_it_is_replaced_by_another_one() -> None:
    rows = [
        row("a", "Ferry leaves 7:35 from the old pier", "2025-01-02", values=[("duration", "7:35")]),
        row("b", "The island ferry is at 7:20 now", "2025-03-02", cue="weak", values=[("time", "7:20")]),
    ]
    assert statuses(rows, "ferry time")["a"] == "perhaps outdated"


@pytest.mark.parametrize(
    ("later", "cue"),
    [
        ("Bea's sister has a lease in Leganes", "strong"),
        ("Bea's sister lives in Leganes", "none"),
        ("My sister lives in Leganes", "none"),
    ],
)
def test_where_a_sister_lives_leaves_where_someone_lives(later: str, cue: str) -> None:
    rows = [
        row("a", "Bea has a flat in the street of the mills 14", "2025-01-02"),
        row("b", later, "2025-03-02", cue=cue),
    ]
    answers = answered(rows, "where does Bea live", at=day("2025-12-01"))
    assert [ended.kind for one in answers for ended in one.ended_by if ended.kind == ANSWER] == []


@pytest.mark.parametrize("later", ["Rent stays as it was, says the landlord", "Die Miete bleibt, sagt der Vermieter"])
def test_what_is_as_it_was_replaces_nothing(later: str) -> None:
    word = "Rent" if later.startswith("Rent") else "Miete"
    rows = [row("a", f"{word} 820 a month", "2025-01-02", values=[("number", "820")]), row("b", later, "2025-03-02")]
    assert statuses(rows, f"{word} flat")["a"] == "current"


def test_an_appointment_is_put_off_as_soon_as_that_is_said() -> None:
    rows = [
        row("a", "Optician booked for 14 May [2026-05-14]", "2025-10-02", values=[("date", "2026-05-14")]),
        row(
            "b",
            "Called the optician, they have put me on 23 May [2026-05-23]",
            "2025-11-02",
            cue="strong",
            values=[("date", "2026-05-23")],
            effective_from=day("2026-05-23"),
            from_stated=True,
        ),
    ]
    assert statuses(rows, "optician appointment") == {"a": "ended", "b": "upcoming"}
