"""How likely the owner is glad to see a memory: by what it states, and by how it stands among the others."""

import math
from datetime import UTC, datetime
from typing import Any

import polars as pl
import pytest

from brain_retrieval.knowledge.memories.shown.bars import LESS_USEFUL
from brain_retrieval.knowledge.memories.shown.surroundings import Surroundings
from brain_retrieval.knowledge.memories.shown.usefulness import (
    CONSTANT,
    OWN_MESSAGE,
    TO_ASSISTANT,
    WITH,
    WITHOUT,
    features,
    fitted_weights,
    followed_up,
    usefulness,
)

ENTITY = pl.Struct(dict.fromkeys(("entity_id", "name", "type", "role"), pl.String))
SAID = datetime(2026, 3, 2, tzinfo=UTC)
IDA = {"entity_id": None, "name": "Ida", "type": "Person", "role": "subject"}
OBAN = {"entity_id": None, "name": "Oban", "type": "Location", "role": "named"}
OWNER = {"entity_id": None, "name": "Bo", "type": "Person", "role": "speaker"}


def memory(text: str, *entities: dict[str, Any], source_id: str = "a", **changes: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "memory_id": text, "text": text, "evidence": text, "kind": "event", "keep": 0.85, "method": "local",
        "self_contained": True, "speaker": "user", "listener": None, "source": "note", "source_id": source_id,
        "entities": list(entities), "values": [], "anchors": text.lower().strip(".").split(), "polarity": "affirmed",
        "cue": "none", "slot_attribute": None, "slot_subject": None, "from_stated": False, "valid_to": None,
        "said_at": SAID, "effective_from": SAID, "start": 900, "end": 960,
    }  # fmt: skip
    return made | changes


MOVED = memory("On 12 April Ida moves from Oban to the workshop in Leith.", IDA, OBAN, keep=0.95,
               values=[{"dimension": "date", "value": "2026-04-12"}], from_stated=True,
               effective_from=datetime(2026, 4, 12, tzinfo=UTC))  # fmt: skip
VAGUE = memory("some of it was not that bad", kind="fact", keep=0.62, self_contained=False)


def home(*rows: dict[str, Any]) -> Surroundings:
    columns = {"source_id": pl.String, "entities": pl.List(ENTITY), "anchors": pl.List(pl.String)}
    columns |= {"evidence": pl.String, "keep": pl.Float64, "source": pl.String, "end": pl.Int64}
    return Surroundings.of(pl.DataFrame([{name: row[name] for name in columns} for row in rows], schema=columns))


def test_news_of_a_person_with_a_day_is_useful_and_a_vague_remark_is_not() -> None:
    around = home(MOVED, VAGUE)
    assert usefulness(MOVED, around) > 4 * usefulness(VAGUE, around)
    assert usefulness(MOVED, around, 0.5) > LESS_USEFUL


def test_a_vector_moves_the_usefulness_towards_what_it_tells() -> None:
    around = home(MOVED, VAGUE)
    less, known, more = (usefulness(MOVED, around, added) for added in (-2.0, 0.0, 2.0))
    assert less < known < more
    assert usefulness(MOVED, around, 99.0) == pytest.approx(1)
    assert usefulness(MOVED, around, -99.0) == pytest.approx(0)


@pytest.mark.parametrize(
    ("useful", "followed", "expected"), [(0.5, 0, 0.5), (0.6, 1, 0.75), (0.5, 2, 0.75), (1.0, 3, 1.0)]
)
def test_a_value_that_replaced_others_is_more_useful(useful: float, followed: int, expected: float) -> None:
    assert followed_up(useful, followed) == pytest.approx(expected)


def test_every_weight_belongs_to_a_feature() -> None:
    found = features(MOVED, home(MOVED, VAGUE))
    assert set(fitted_weights()) == {WITH, WITHOUT}
    for weights in fitted_weights().values():
        assert set(weights) - {CONSTANT} <= set(found)
    assert all(math.isfinite(value) for value in found.values())


def test_what_people_write_to_their_own_memory_of_themselves_is_useful() -> None:
    row = memory("I am allergic to nuts.", OWNER, source="message", kind="fact", keep=0.3)
    assert usefulness(row, home(MOVED)) >= OWN_MESSAGE > usefulness({**row, "source": "note"}, home(MOVED))


def test_a_like_counts_in_a_note_of_a_few_lines_and_not_in_an_essay() -> None:
    jotted = memory("I love pickled herring.", OWNER, kind="preference", keep=0.3, source_id="jotted", start=0, end=40)
    essay = {**jotted, "source_id": "essay"}
    around = home(MOVED, jotted, essay, memory("The end.", source_id="essay", start=4000, end=4010))
    assert around.jotted == {"jotted"}
    assert usefulness(jotted, around) >= TO_ASSISTANT > usefulness(essay, around)
    allergic = {**essay, "text": "I am allergic to pickled herring."}
    assert usefulness(allergic, around) >= TO_ASSISTANT


def test_notes_of_facts_are_told_from_logs() -> None:
    facts = [memory(f"Vet {n} is Ida.", IDA, source_id=f"{n}", start=0, end=16, keep=0.8 - n / 10) for n in range(5)]
    logs = [{**row, "keep": 0.2} for row in facts]
    essay = [memory(f"Ida went on {n}.", IDA, source_id="essay", end=900 + n) for n in range(20)]
    assert home(*facts).of_facts
    assert not home(*logs).of_facts
    assert not home(*facts, *essay).of_facts
    assert not home().of_facts


def test_words_and_names_count_by_the_sources_that_have_them() -> None:
    rows = [memory("Ida fired Kiln.", IDA, source_id=source, memory_id=source) for source in "abc"]
    rows.append(memory("Oban rained.", OBAN, source_id="d", evidence="It rained.", memory_id="d"))
    around = home(*rows)
    common, rare = features(rows[0], around), features(rows[3], around)
    assert common["common_words"] > rare["common_words"] == 0
    assert common["known_name"] and common["known_person"] and common["repeated"]
    assert not (rare["known_name"] or rare["repeated"])
    assert home(*reversed(rows)).of_word == around.of_word


def test_an_attribute_counts_if_it_is_of_a_person() -> None:
    lives = memory("Ida lives in Oban.", IDA, OBAN, slot_attribute="lives_in", slot_subject="Ida")
    own = memory("I live in Oban.", OWNER, slot_attribute="lives_in", slot_subject="Bo")
    stands = memory("The kiln is in Oban.", IDA, OBAN, slot_attribute="stays_in", slot_subject="kiln")
    around = home(lives, own, stands)
    assert [features(row, around)["slot_of_person"] for row in (lives, own, stands)] == [1, 1, 0]


@pytest.mark.parametrize(
    ("text", "everyday", "turn"),
    [
        ("Ida bought a boat.", 0, 1),
        ("Ida bought some bread for breakfast.", 1, 0),
        ("Ida a été élue au bureau.", 0, 1),
        ("Der Antrag wurde einstimmig beschlossen.", 0, 1),
        ("Es regnete den ganzen Tag.", 1, 0),
        ("Ida talked to Bo.", 0, 0),
    ],
)
def test_a_turn_of_a_life_is_told_from_a_meal(text: str, everyday: int, turn: int) -> None:
    found = features(memory(text, IDA), home(MOVED))
    assert (found["everyday"], found["turn"]) == (everyday, turn)
