"""Measures of the memories that are shown: each defect is counted, and the sample does not depend on the day."""

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import polars as pl
import pytest

from brain_pipelines.knowledge.memory_quality import is_generic, measure_memories, merged_amounts
from brain_pipelines.knowledge.quality import MEMORY_LIMITS
from brain_retrieval.schemas.tables import MEMORIES
from tests.pipelines.knowledge.frames import frame

NOW = datetime(2026, 3, 1, tzinfo=UTC)
AT = datetime(2026, 1, 5, 12, tzinfo=UTC)


def memory(key: str, text: str, name: str, **more: Any) -> dict[str, Any]:
    empty = {column.name: None for column in MEMORIES}
    person = {"entity_id": None, "name": name, "type": "Person", "role": "subject"}
    words = [word.strip(".").casefold() for word in text.split() if len(word) > 3]
    stated = {"memory_id": key, "source_id": key, "text": text, "evidence": text, "anchors": words, "keep": 0.9}
    fixed = {"kind": "event", "self_contained": True, "modality": "asserted", "polarity": "affirmed", "cue": "none"}
    times = {"said_at": AT, "effective_from": AT, "received_at": AT, "event_at": AT, "from_stated": False}
    rest = {"source": "note", "method": "local", "values": [], "entities": [person], "start": 0, "end": 1, "clause": 0}
    return {**empty, **stated, **fixed, **times, **rest, **more}


def memories(*rows: dict[str, Any]) -> pl.DataFrame:
    schema = pl.DataFrame(pl.from_arrow(MEMORIES.empty_table())).schema
    return pl.DataFrame(list(rows), schema=schema)


def entity(key: str, name: str, kind: str = "Person", sources: int = 3) -> dict[str, Any]:
    row = {"entity_id": key, "name": name, "type": kind, "entity_class": kind, "is_owner": False}
    return {**row, "source_count": sources, "distinct_source_days": sources}


def evidence(*passages: tuple[str, str]) -> pl.DataFrame:
    return pl.DataFrame(list(passages), schema={"fact_id": pl.String, "evidence": pl.String}, orient="row")


@cache
def sound() -> pl.DataFrame:
    texts = {"a": "Ben Okoro lives in Lagos.", "b": "Ben Okoro sold his boat."}
    return memories(*(memory(key, text, "Ben Okoro") for key, text in texts.items()))


@cache
def people() -> pl.DataFrame:
    return frame("known_entities", entity("e1", "Ben Okoro"))


def test_sound_memories_pass_and_the_sample_names_them() -> None:
    found = measure_memories(sound(), people(), evidence(), now=NOW)
    assert set(found.measures) == set(MEMORY_LIMITS)
    assert all(found.measures[name] <= limit for name, limit in MEMORY_LIMITS.items())
    assert set(found.sample) == {"a", "b"}
    assert measure_memories(sound(), people(), evidence(), now=NOW + timedelta(days=1)).sample == found.sample


def test_junk_is_the_mean_probability_of_not_being_kept() -> None:
    rows = memories(memory("a", "Ben Okoro lives in Lagos.", "Ben Okoro", keep=0.7))
    assert measure_memories(rows, people(), evidence(), now=NOW).measures["expected_junk"] == pytest.approx(0.3)


def test_what_a_card_shows_in_place_of_a_likely_memory_counts_as_doubtful() -> None:
    home = {"slot_subject": "Ben Okoro", "slot_attribute": "lives_in", "modality": "asserted"}
    later = {"said_at": AT + timedelta(days=9), "effective_from": AT + timedelta(days=9)}
    rows = memories(
        memory("a", "Ben Okoro lives in Lagos.", "Ben Okoro", **home, slot_value="Lagos"),
        memory("b", "Ben Okoro then lives in Abuja.", "Ben Okoro", **home, **later, slot_value="Abuja", keep=0.4),
    )
    found = measure_memories(rows, people(), evidence(), now=NOW)
    assert found.sample == ("b",)
    assert found.measures["doubtful_shown"] == 1.0 > MEMORY_LIMITS["doubtful_shown"]
    # What someone stated as a memory is not read from a text, and so not doubtful.
    rows = rows.with_columns(pl.lit("owner").alias("method"))
    assert measure_memories(rows, people(), evidence(), now=NOW).measures["doubtful_shown"] == 0.0


def test_markup_and_entries_of_a_log_count_as_broken() -> None:
    rows = memories(
        memory("a", "Ben Okoro lives in Lagos.", "Ben Okoro"),
        memory("b", "[2026-01-04 10:02] Ben Okoro: in the vault.", "Ben Okoro"),
    )
    assert measure_memories(rows, people(), evidence(), now=NOW).measures["broken_shown"] == 0.5


def test_generic_entities_and_odd_people_are_counted() -> None:
    known = frame(
        "known_entities",
        entity("e1", "Ben Okoro"),
        entity("e2", "dogs", "Concept"),
        entity("e3", "12:30 Call", "Person"),
        entity("e4", "Łukasz Żak"),
    )
    found = measure_memories(sound(), known, evidence(), now=NOW).measures
    assert (found["generic_entities"], found["odd_people"]) == (0.25, pytest.approx(1 / 3, abs=1e-6))
    topics = [entity("e7", "launch", "Project", sources=5), entity("e8", "dogs", "Concept", sources=5)]
    found = measure_memories(sound(), frame("known_entities", *topics), evidence(), now=NOW).measures
    assert found["generic_entities"] == 0.5
    assert not is_generic("v2") and not is_generic("東京") and is_generic("rent")
    handles = frame("known_entities", entity("e5", "@vasco-santos"), entity("e6", "info@example.org", "Concept"))
    found = measure_memories(sound(), handles, evidence(), now=NOW).measures
    assert (found["generic_entities"], found["odd_people"]) == (0.0, 0.0)


def test_two_values_of_one_attribute_conflict() -> None:
    home = {"slot_subject": "Ben Okoro", "slot_attribute": "lives_in"}
    rows = memories(
        memory("a", "Ben Okoro lives in Lagos.", "Ben Okoro", **home, slot_value="Lagos"),
        # said in one breath, so that the view ends neither
        memory(
            "b", "Ben Okoro lives in Abuja.", "Ben Okoro", **home, slot_value="Abuja", source_id="a", start=30, end=55
        ),
    )
    assert measure_memories(rows, people(), evidence(), now=NOW).measures["conflicting_values"] == 1.0


def test_facts_that_merge_two_amounts_are_counted() -> None:
    rent = ("f1", "The rent is 840 euros."), ("f1", "The rent is 910 euros.")
    same = ("f2", "Bug 318 is open."), ("f2", "We fixed bug 318."), ("f3", "No number here."), ("f3", "None.")
    more = [(f"f{n}", f"Bug {n} is open.") for n in range(10, 13) for _ in range(2)]
    assert merged_amounts(evidence(*rent, *same, *more)) == 0.2
    assert merged_amounts(evidence(*same, *more)) == 0.0
    assert merged_amounts(evidence(*rent, *same)) == 0.0  # of two facts none is a share
