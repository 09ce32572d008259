"""A source that repeats another one, alone or as its beginning, is no second witness; what was received first stays."""

from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any

import polars as pl
import pytest

from brain_pipelines.knowledge.memory.copied_sources import find_copies
from brain_retrieval.stores.memory_tables import ECHOES

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
JANUARY = "user: The allotment meeting is on Thursdays.\nassistant: Thursdays, noted."
MARCH = f"{JANUARY}\nuser: Correction: it is on Tuesdays now."
MAY = f"{MARCH}\nassistant: Tuesdays."
TEXTS = {"source_id": pl.String, "source_type": pl.String, "text": pl.String}
TEXTS |= dict.fromkeys(("event_at", "received_at"), pl.Datetime("us", "UTC"))


def source(name: str, text: str, received: int, *, kind: str = "conversation", at: datetime = NOON) -> dict[str, Any]:
    received_at = NOON + timedelta(days=received)
    return {"source_id": name, "source_type": kind, "text": text, "event_at": at, "received_at": received_at}


def copies(*sources: dict[str, Any]) -> dict[str, tuple[int, str]]:
    """Return by source how many characters of its beginning are a copy of which other; the most."""
    found = find_copies(pl.DataFrame(list(sources), schema=TEXTS)).sort("end")
    assert found.is_empty() or found["start"].unique().to_list() == [0]
    return {row["source_id"]: (row["end"], row["of_source_id"]) for row in found.iter_rows(named=True)}


def test_empty_input_gives_an_empty_table() -> None:
    found = find_copies(pl.DataFrame(schema=TEXTS))
    assert found.schema == pl.DataFrame(ECHOES.empty_table()).schema
    assert found.is_empty()


def test_the_same_text_counts_as_that_which_was_received_first() -> None:
    assert copies(source("b", JANUARY, 1), source("a", JANUARY, 2)) == {"a": (len(JANUARY), "b")}
    assert copies(source("b", JANUARY, 1), source("a", JANUARY + "\n", 1)) == {"b": (len(JANUARY), "a")}


def test_what_a_grown_chat_adds_counts() -> None:
    assert copies(source("old", JANUARY, 1), source("new", MARCH, 3)) == {"new": (len(JANUARY), "old")}


def test_an_older_state_that_comes_later_adds_nothing() -> None:
    assert copies(source("old", JANUARY, 3), source("new", MARCH, 1)) == {"old": (len(JANUARY), "new")}


def test_three_states_in_any_order_tell_each_line_once() -> None:
    states = [source("jan", JANUARY, 1), source("mar", MARCH, 3), source("may", MAY, 5)]
    for order in permutations(states):
        assert copies(*order) == {"mar": (len(JANUARY), "jan"), "may": (len(MARCH), "mar")}
    again = [source("may", MAY, 1), source("mar", MARCH, 3), source("jan", JANUARY, 5)]
    assert copies(*again) == {"mar": (len(MARCH), "may"), "jan": (len(JANUARY), "mar")}


@pytest.mark.parametrize(
    "other",
    [
        source("b", JANUARY, 2, kind="message"),
        source("b", JANUARY, 2, at=NOON + timedelta(seconds=1)),
        source("b", JANUARY + " Or not.", 2),
        source("b", JANUARY.replace("Thursdays", "Fridays"), 2),
    ],
    ids=["type", "time", "the same line goes on", "words"],
)
def test_sources_that_differ_are_no_copies(other: dict[str, Any]) -> None:
    assert copies(source("a", JANUARY, 1), other) == {}


def test_short_texts_are_alike_by_chance() -> None:
    assert copies(source("a", "Gym at six.", 1), source("b", "Gym at six.", 2)) == {}


def test_many_equal_sources_take_no_longer_than_their_number() -> None:
    many = [source(f"{number:05}", JANUARY, number) for number in range(20_000)]
    found = find_copies(pl.DataFrame(many, schema=TEXTS))
    assert found.height == len(many) - 1
    assert found["of_source_id"].unique().to_list() == ["00000"]
