"""How useful a memory has to be to be shown: less where people jot down facts, more for what diaries and blogs tell."""

from datetime import UTC, datetime
from typing import Any

import polars as pl
import pytest

from brain_retrieval.knowledge.memories.shown.bars import (
    FILLED,
    JOTTED_USEFUL,
    LESS_USEFUL,
    MAIL_USEFUL,
    MATTER_IN_TALK,
    MATTER_USEFUL,
    MIN_USEFUL,
    NEVER,
    STORY_USEFUL,
    TALK_USEFUL,
    filled_up,
    least_alone,
    least_useful,
    useful_enough,
)
from brain_retrieval.knowledge.memories.shown.surroundings import Surroundings

NOW = datetime(2026, 6, 1, 9, tzinfo=UTC)
ENTITY = pl.Struct(dict.fromkeys(("entity_id", "name", "type", "role"), pl.String))
SCHEMA = {"source_id": pl.String, "entities": pl.List(ENTITY), "anchors": pl.List(pl.String), "evidence": pl.String}
SCHEMA |= {"keep": pl.Float64, "source": pl.String, "end": pl.Int64}
JOTTED, LONG = 40, 4000  # characters
TODAY = ("date", "2026-06-01")
ME = {"entity_id": None, "name": "user", "type": "Person", "role": "speaker"}


STEPS = SCHEMA | {"kind": pl.String, "slot_attribute": pl.String, "valid_to": pl.Datetime("us", "UTC")}


def row(text: str, *names: str, source_id: str = "day1", values: tuple[tuple[str, str], ...] = (), **changes: object):
    named = [{"entity_id": None, "name": name, "type": "Tool", "role": "named"} for name in names]
    made: dict[str, Any] = {
        "memory_id": text, "text": text, "evidence": text, "kind": "event", "method": "local", "keep": 0.9,
        "entities": named,
        "values": [{"dimension": dimension, "value": value} for dimension, value in values], "anchors": [],
        "slot_attribute": None, "said_at": NOW, "source": "note", "source_id": source_id, "speaker": "user",
        "listener": None, "end": LONG, "modality": "asserted", "self_contained": True, "sensitivity": "normal",
        "polarity": "affirmed", "valid_to": None,
    }  # fmt: skip
    return made | changes


def home(*rows: dict[str, Any]) -> Surroundings:
    return Surroundings.of(pl.DataFrame([{name: one[name] for name in SCHEMA} for one in rows], schema=SCHEMA))


DIARY = [row("Fixed the Trangia.", "Trangia", source_id=f"day{n}") for n in range(1, 8)]
FACTS = [row("Gate is 880.", source_id=f"jotted{n}", end=JOTTED) for n in range(1, 8)]


@pytest.mark.parametrize(
    ("said", "least", "alone"),
    [
        (row("I saw Casablanca in 2019.", "Casablanca", values=(("year", "2019"),), entities=[ME]), STORY_USEFUL, 1.0),
        (row("I watched Casablanca.", "Casablanca", entities=[ME]), NEVER, 1.0),
        (row("I watched it today.", "Casablanca", entities=[ME], values=(TODAY,)), NEVER, 1.0),
        (row("The Trangia has leaked since 2019.", "Trangia", values=(("year", "2019"),)), NEVER, 1.0),
        (row("I got the job at Trangia.", "Trangia", entities=[ME]), MATTER_USEFUL, 1.0),
        (row("I got the job at Trangia.", "Trangia", entities=[ME], end=JOTTED), MATTER_USEFUL, 1.0),
        (row("I watched Casablanca.", "Casablanca", source="conversation"), MIN_USEFUL, LESS_USEFUL),
        (row("I watched Casablanca.", "Casablanca", method="agent"), MIN_USEFUL, LESS_USEFUL),
        (row("I like the agenda.", entities=[ME], kind="preference"), STORY_USEFUL, 1.0),
    ],
)
def test_what_a_diary_tells_must_be_surer_than_what_a_life_turns_on(
    said: dict[str, Any], least: float, alone: float
) -> None:
    around = home(*DIARY, said)
    assert (least_useful(said, around), least_alone(said, around)) == (least, alone)


def test_few_sources_do_not_tell_whether_a_home_is_a_diary() -> None:
    said = row("I watched Casablanca.", "Casablanca")
    assert least_useful(said, home(*DIARY[:5], said)) == MIN_USEFUL


def test_what_is_merely_a_story_only_fills_a_short_list() -> None:
    stories = [row(f"I watched Casablanca in {n} parts.", "Casablanca", source_id=f"day{n}") for n in range(1, 6)]
    matters = [row(f"I got the job in shop {n}.", entities=[ME], source_id=f"day{n}") for n in range(1, 6)]
    rows = [row | {"memory_id": row["text"]} for row in (*matters, *stories)]
    around = home(*DIARY, *rows)
    assert filled_up(rows, around) == rows[:5]
    assert filled_up(rows[4:], around) == rows[4 : 4 + FILLED]
    assert filled_up(rows[5:], around) == rows[5 : 5 + FILLED]


def test_in_a_home_of_jotted_facts_more_is_shown() -> None:
    around = home(*FACTS, DIARY[0])
    assert around.of_facts

    def least(source: str, source_id: str, said: str = "Gate is 880.", *, stated: bool = True) -> float:
        values = (("number", "880"),) if stated else ()
        return least_useful(row(said, source=source, source_id=source_id, values=values), around)

    assert least("note", "jotted1") == JOTTED_USEFUL
    assert least("email", "mail") == MAIL_USEFUL < TALK_USEFUL < least("email", "mail", stated=False) < MIN_USEFUL
    assert least("conversation", "talk") == TALK_USEFUL
    born = row("Ida was born.", entities=[ME], source="conversation", source_id="talk", speaker="Bo")
    assert least_useful(born, around) == MATTER_IN_TALK < MATTER_USEFUL
    assert JOTTED_USEFUL < least("note", "jotted1", stated=False) < MIN_USEFUL
    assert least("note", "day1", stated=False) == MIN_USEFUL
    assert least("note", "jotted1", "Ann read the agenda.") == MIN_USEFUL
    assert least_useful(row("Gate is 880.", source_id="jotted1"), home(*DIARY, FACTS[0])) == MIN_USEFUL


def test_a_short_note_that_tells_of_a_day_is_no_note_of_facts() -> None:
    day = [row(said, entities=[ME], source_id="evening", end=JOTTED) for said in ("Baked bread.", "Rang Cleo.")]
    bought = row("We own a kiln now.", kind="fact", entities=[ME], source_id="evening", end=JOTTED)
    meeting = [row(said, "Cleo", source_id="minutes", end=JOTTED) for said in ("Cleo spoke.", "The hall was full.")]
    rows = [*FACTS, *day, bought, *meeting]
    around = Surroundings.of(pl.DataFrame([{name: one[name] for name in STEPS} for one in rows], schema=STEPS))
    assert around.diaries == {"evening"}
    assert around.of_facts
    assert {"minutes", "jotted1"} <= around.jotted
    assert "evening" not in around.jotted
    assert [least_useful(one, around) for one in (day[0], bought)] == [NEVER, MIN_USEFUL]
    assert least_useful(meeting[0], around) < MIN_USEFUL


@pytest.mark.parametrize(
    ("chances", "shown"),
    [
        ({"a": 0.9, "b": 0.8, "c": MIN_USEFUL, "d": MIN_USEFUL - 0.01}, "abc"),
        ({"a": LESS_USEFUL + 0.02, "b": LESS_USEFUL + 0.01}, "a"),  # rather than nothing
        ({"a": 0.9, "b": LESS_USEFUL + 0.01}, "a"),
        ({"a": LESS_USEFUL - 0.01, "b": 0.3}, ""),
    ],
)
def test_an_empty_list_is_filled_with_what_is_likely_useful(chances: dict[str, float], shown: str) -> None:
    least, alone = dict.fromkeys(chances, MIN_USEFUL), dict.fromkeys(chances, LESS_USEFUL)
    assert useful_enough(chances, least, alone) == set(shown)


def test_each_memory_has_its_own_bar() -> None:
    alone = {"a": 1.0, "b": LESS_USEFUL}
    assert useful_enough({"a": 0.69, "b": 0.65}, {"a": 0.7, "b": 0.7}, alone) == {"b"}
    assert useful_enough({"a": 0.5, "b": 0.69}, {"a": 0.5, "b": 0.7}, alone) == {"a"}
