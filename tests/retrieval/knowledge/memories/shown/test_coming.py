"""What is coming up: days from today on, what does not count, and what is over."""

from datetime import UTC, date, datetime, timedelta

import polars as pl
import pytest

from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.memories.shown.coming import LONG_OVER, coming_up, dated_within, is_long_over, is_over
from tests.retrieval.query.packs.made_hits import memory

TODAY = date(2026, 1, 15)


def on(text: str, *days: str, **changes: object) -> MemoryCard:
    return memory(text, values=tuple(("date", day) for day in days), **changes)


def test_the_nearest_day_first_and_of_a_day_the_surest() -> None:
    cards = [
        on("The boiler is checked on the 29th.", "2026-01-29"),
        on("The van is back on the 15th.", "2026-01-15", keep=0.3),
        on("Bring the keys to Odile on the 15th.", "2026-01-15", keep=0.9),
        on("From the 2nd to the 20th the lift is out of order.", "2026-01-02", "2026-01-20"),
        on("The fair is on the 30th.", "2026-01-30"),
        on("It rained on the 14th.", "2026-01-14"),
        memory("The rent is 840.", values=(("amount", "840"),)),
    ]
    found = [(one.day.day, one.card.text) for one in coming_up(cards, TODAY)]
    assert found == [
        (15, "Bring the keys to Odile on the 15th."),
        (15, "The van is back on the 15th."),
        (20, "From the 2nd to the 20th the lift is out of order."),
        (29, "The boiler is checked on the 29th."),
    ]
    assert found == [(one.day.day, one.card.text) for one in coming_up(reversed(cards), TODAY)]
    assert [one.day.day for one in coming_up(cards, TODAY, within=timedelta(15))][-1] == 30


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "ended"},
        {"status": "perhaps outdated"},
        {"modality": "question"},
        {"modality": "reported"},
        {"polarity": "negated"},
        {"keep": 0.2},
    ],
)
def test_what_has_ended_is_asked_hearsay_negated_or_unlikely_is_not_coming_up(changes: dict[str, object]) -> None:
    said = "The chimney sweep comes on the 20th."
    assert coming_up([on(said, "2026-01-20")], TODAY)
    assert not coming_up([on(said, "2026-01-20", **changes)], TODAY)


def test_what_is_said_twice_is_listed_once_unless_the_day_differs() -> None:
    said = "The annual meeting of the rowing club is on {} January in the boat house."
    cards = [
        on(said.format(20), "2026-01-20", keep=0.6),
        memory("again", values=(("date", "2026-01-20"),)),
        on(said.format(20) + " Bring cake.", "2026-01-20", keep=0.9, memory_id="m2"),
        on(said.format(22), "2026-01-22"),
    ]
    assert [one.card.text for one in coming_up(cards, TODAY)] == [cards[2].text, "again", cards[3].text]


def test_ids_of_rows_that_name_a_day_of_the_span() -> None:
    values = {
        "a": [("date", "2026-01-15")],
        "b": [("amount", "2026-01-16"), ("date", "2026-02-01")],
        "c": [("date", "2026-01-01"), ("date", "2026-01-29/2026-01-31")],
        "d": [],
        "e": None,
        "f": [("date", "2026-01-30")],
    }
    rows = pl.DataFrame(
        {
            "memory_id": list(values),
            "values": [
                None if each is None else [{"dimension": name, "value": value} for name, value in each]
                for each in values.values()
            ],
        },
        schema={"memory_id": pl.String, "values": pl.List(pl.Struct({"dimension": pl.String, "value": pl.String}))},
    )
    open_to_all = rows.with_columns(sensitivity=pl.lit("normal"))
    assert dated_within(open_to_all, TODAY, date(2026, 1, 29)) == ["a", "c"]
    of_a = pl.when(pl.col("memory_id") == "a").then(pl.lit("high")).otherwise(None)
    assert dated_within(rows.with_columns(sensitivity=of_a), TODAY, date(2026, 1, 29)) == ["c"]


@pytest.mark.parametrize(
    ("days", "changes", "over"),
    [
        (("2026-01-10",), {}, True),
        (("2026-01-10/2026-01-14",), {}, True),
        (("2026-01-10/2026-01-15",), {}, False),  # its last day is today
        (("2026-01-10", "2026-02-01"), {}, False),
        (("2026-01-10",), {"from_stated": True}, False),  # holds from then on
        (("2026-01-05",), {}, False),  # it was told when it happened
        (("2026-01-02",), {}, False),
        ((), {}, False),
    ],
)
def test_an_announcement_is_over_after_its_last_day(days: tuple[str, ...], changes: dict, *, over: bool) -> None:
    said = on("The party is in the park.", *days, said_at=datetime(2026, 1, 5, tzinfo=UTC), **changes)
    assert is_over(said, TODAY) is over


@pytest.mark.parametrize(
    ("changes", "over"),
    [
        ({}, True),
        ({"said_at": datetime(2026, 1, 10, tzinfo=UTC)}, False),  # said when it had been
        ({"from_stated": True}, False),
        ({"kind": "event"}, True),  # "I booked flights for 2 January"
        ({"slot_attribute": "venue"}, False),
        ({"values": []}, False),
    ],
)
def test_what_was_announced_for_a_day_long_past_is_over(changes: dict[str, object], over: bool) -> None:
    fair = {"said_at": datetime(2025, 12, 1, tzinfo=UTC), "from_stated": False, "slot_attribute": None, "kind": "fact"}
    fair |= {"values": [{"dimension": "date", "value": "2026-01-02"}]} | changes
    day = date(2026, 1, 2)
    assert is_long_over(fair, day + LONG_OVER + timedelta(1)) is over
    assert not is_long_over(fair, day + LONG_OVER)
