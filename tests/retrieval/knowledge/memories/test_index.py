"""The index of memories finds what a comparison of every row finds, and follows the lake."""

import random
from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from brain_retrieval.home import Home
from brain_retrieval.knowledge.memories import candidates
from brain_retrieval.knowledge.memories.candidates import rows_about
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.knowledge.memories.later import MOST_COMPARED, LaterOnes
from brain_retrieval.knowledge.memories.matching import match_all
from brain_retrieval.knowledge.memories.stored import memory_index
from brain_retrieval.knowledge.memories.supersession import ending
from brain_retrieval.knowledge.memories.view import view
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from tests.pipelines.knowledge.frames import frame
from tests.retrieval.knowledge.memories.rows import day, row

NOW = day("2026-01-01")
WHO, WHAT = ("Jana", "Oskar", "Mira"), ("rent", "bicycle", "choir", "garden", "Mietvertrag")
SAID: tuple[tuple[str, dict[str, Any]], ...] = (
    ("{a} likes the {t}", {}),
    ("{a} now pays {n} euros for the {t}", {"cue": "weak", "values": "EUR"}),
    ("{a} no longer wants the {t}", {"cue": "strong", "polarity": "negated"}),
    ("The {t} of {a} costs {n} euros", {"values": "EUR"}),
    ("Perhaps {a} sells the {t}", {"modality": "possible"}),
    ("{a} lives in {t}", {"slot_attribute": "lives_in"}),
)


def history(count: int) -> list[dict[str, Any]]:
    """Return made-up memories, one a day."""
    rng, rows = random.Random(count), []
    for number in range(count):
        (text, changes), who, what = rng.choice(SAID), rng.choice(WHO), rng.choice(WHAT)
        changes = {**changes}
        if dimension := changes.pop("values", None):
            changes["values"] = [(dimension, str(number))]
        if "slot_attribute" in changes:
            changes |= {"slot_subject": who, "slot_value": what}
        said = (day("2024-01-01") + timedelta(days=number)).date().isoformat()
        named = [{"name": who, "role": "subject"}]
        rows.append(row(f"m{number:05}", text.format(a=who, t=what, n=number), said, entities=named, **changes))
    return rows


def index_of(rows: list[dict[str, Any]]) -> MemoryIndex:
    return MemoryIndex.of(pl.DataFrame(rows, infer_schema_length=None, schema_overrides=TYPES))


TYPES = {
    "valid_to": pl.Datetime("us", "UTC"),
    "speaker": pl.String,
    "slot_subject": pl.String,
    "ends_hint": pl.List(pl.String),
}


@pytest.mark.parametrize("topic", ["Jana", "rent", "Miete", "Oskar bicycle", "where lives", "nothing of this"])
def test_a_topic_finds_every_memory_that_matches(topic: str) -> None:
    rows = history(150)
    facets = [Facet(one) for one in rows]
    wanted = {one.row["memory_id"] for one, match in zip(facets, match_all(topic, facets), strict=True) if match}
    found = {one["memory_id"] for one in rows_about(index_of(rows), topic, at=NOW)}
    assert wanted <= found
    assert wanted or topic == "nothing of this"


def test_no_ending_is_missed_by_the_index_of_later_ones() -> None:
    facets = sorted(map(Facet, history(90)), key=lambda facet: facet.order)
    assert len(facets) < MOST_COMPARED
    later, endings = LaterOnes(facets), 0
    for one in facets:
        every = [other.row["memory_id"] for other in facets if ending(one, other, NOW)]
        assert every == [other.row["memory_id"] for other in later.of(one) if ending(one, other, NOW)]
        endings += len(every)
    assert endings > 20


def test_many_matches_are_bounded_and_the_best_stay() -> None:
    rows = history(700)
    shuffled = random.Random(1).sample(rows, len(rows))
    found, again = (rows_about(index_of(each), "Jana rent", at=NOW) for each in (rows, shuffled))
    assert sorted(found, key=lambda one: one["memory_id"]) == sorted(again, key=lambda one: one["memory_id"])
    most = candidates.MOST_MATCHES * (1 + candidates.CHANGES_EACH) + candidates.MOST_CHANGES
    assert len(found) < min(most, len(rows))
    both = [one for one in rows if "Jana" in one["text"] and "rent" in one["text"]]
    assert {one["memory_id"] for one in both} <= {one["memory_id"] for one in found}


def test_what_ended_a_memory_is_read_among_many_changes() -> None:
    rows = history(1500)
    rows[700] = row("old", "Jana lives in Jena", "2025-12-01", entities=[{"name": "Jana", "role": "subject"}])
    rows[700] |= {"slot_subject": "Jana", "slot_attribute": "lives_in", "slot_value": "Jena"}
    moved = {"slot_subject": "Jana", "slot_attribute": "lives_in", "slot_value": "Kiel", "cue": "strong"}
    named = [{"name": "Jana", "role": "subject"}]
    rows.append(row("new", "Jana moved to Kiel and lives there", "2025-12-05", entities=named, **moved))
    found = rows_about(index_of(rows), "Jena", at=NOW)
    seen = {one.row["memory_id"]: one for one in view(found, "Jena", at=NOW)}
    assert "new" in [one.memory_id for one in seen["old"].ended_by]


def test_the_index_is_kept_until_the_lake_changes(tmp_path: Path) -> None:
    space = Home(tmp_path).space("alice").create()
    one = {"memory_id": "a", "source": "note", "day": "2026-01-05", "text": "Jana likes tea", "anchors": ["jana"]}
    with Catalog(space) as catalog:
        lake = Lake(space, catalog)
        lake.replace("memories", "note", "2026-01-05", frame("memories", one).to_arrow())
        first = memory_index(space)
        assert memory_index(space) is first
        lake.replace("memories", "note", "2026-01-05", frame("memories", {**one, "memory_id": "b"}).to_arrow())
        assert memory_index(space).rows["memory_id"].to_list() == ["b"]
        lake.replace("memories", "note", "2026-01-05", frame("memories").to_arrow())
        assert memory_index(space).rows.is_empty()
        assert rows_about(memory_index(space), "Jana", at=NOW) == []


def test_a_memory_that_names_another_as_ended_is_read_without_a_common_word() -> None:
    said = row("a", "Jana waters the plants.", "2024-01-02", entities=[{"name": "Jana", "role": "subject"}])
    ends = row("b", "Moritz takes care of it from now on.", "2024-02-02", cue="strong", ends_hint=["a"])
    other = row("c", "Oskar sings.", "2024-02-03")
    found = rows_about(index_of([said, ends, other]), "plants", at=NOW)
    assert [(seen.row["memory_id"], seen.status) for seen in view(found, "plants", at=NOW)] == [
        ("a", "ended"),
        ("b", "current"),
    ]
