"""Measures of the quality gate: defects are counted and sound tables pass."""

from datetime import UTC, datetime

import pytest

from brain_pipelines.knowledge.memory.stories.themes import themes
from brain_pipelines.knowledge.quality import TABLE_LIMITS, measure, quality_table
from brain_pipelines.knowledge.snapshot_gate import BLOCKING
from tests.pipelines.knowledge.frames import frame


def when(day: int) -> datetime:
    return datetime(2026, 1, day, tzinfo=UTC)


def entity(key: str, name: str = "", **more) -> dict:
    return {
        "entity_id": key,
        "entity_class": "Person",
        "name": name or key,
        "canonical_name": name or key,
        "mention_count": 5,
        "confidence": 0.9,
        **more,
    }


def fact(key: str, subject: str, obj: str, **more) -> dict:
    base = {"fact_id": key, "subject_id": subject, "object_id": obj, "object_key": obj, "status": "current"}
    return {**base, "polarity": "affirmed", "modality": "asserted", "predicate": "know", **more}


def measured(entities, facts=(), members=(), storylines=(), sources=(), unsupported=0) -> dict[str, float]:
    return measure(
        frame("entity_members", *members),
        frame("known_entities", *entities),
        frame("known_facts", *facts),
        frame("storylines", *storylines),
        frame("storyline_sources", *sources),
        unsupported_summaries=unsupported,
    )


def test_a_sound_snapshot_passes() -> None:
    found = measured([entity("a"), entity("b")], [fact("f", "a", "b")], [{"member_id": "m", "entity_id": "a"}])
    assert found == dict.fromkeys(TABLE_LIMITS, 0.0)
    table = quality_table(found)
    assert table["passed"].all() and table["metric"].to_list() == sorted(TABLE_LIMITS)


def test_an_empty_snapshot_passes() -> None:
    assert measured([]) == dict.fromkeys(TABLE_LIMITS, 0.0)


@pytest.mark.parametrize(
    "broken",
    [
        {"facts": [fact("f", "a", "gone")]},
        {"facts": [fact("f", "gone", "a")]},
        {"members": [{"member_id": "m", "entity_id": "gone"}]},
        {"storylines": [{"storyline_id": "s", "anchor_id": "gone"}]},
        {"sources": [{"storyline_id": "gone", "source_id": "x"}]},
    ],
)
def test_dangling_references_are_counted_as_orphans(broken: dict) -> None:
    found = measured([entity("a")], **broken)
    assert found["orphan_edges"] == 1
    assert not quality_table(found).filter(quality_table(found)["metric"] == "orphan_edges")["passed"].any()
    assert "orphan_edges" in BLOCKING


def test_the_theme_of_a_storyline_is_no_orphan() -> None:
    for theme in themes():
        assert measured([entity("a")], storylines=[{"storyline_id": "s", "anchor_id": theme}])["orphan_edges"] == 0


def test_literal_objects_are_not_orphans() -> None:
    assert measured([entity("a")], [fact("f", "a", None, object_key="42")])["orphan_edges"] == 0


def test_overlapping_functional_facts_are_counted() -> None:
    first = fact("1", "a", "b", functional=True, valid_from=when(1), valid_to=when(5), status="superseded")
    second = fact("2", "a", "c", functional=True, valid_from=when(5))
    people = [entity("a"), entity("b"), entity("c")]
    assert measured(people, [first, second])["overlapping_facts"] == 0
    assert measured(people, [{**first, "valid_to": when(6)}, second])["overlapping_facts"] == 1
    assert measured(people, [{**first, "valid_to": None}, second])["overlapping_facts"] == 1
    disputed = [{**first, "valid_to": None, "status": "contradicted"}, {**second, "status": "contradicted"}]
    assert measured(people, disputed)["overlapping_facts"] == 0
    assert measured(people, [{**first, "valid_to": None, "functional": False}, second])["overlapping_facts"] == 0


def test_duplicates_have_equal_letters_within_a_class() -> None:
    twice = [entity("a", "anna-lee"), entity("b", "annalee"), entity("c", "bob"), entity("d", "eve")]
    assert measured(twice)["duplicate_rate"] == 0.25
    other = {**twice[1], "entity_class": "Concept"}
    assert measured([twice[0], other])["duplicate_rate"] == 0


def test_junk_is_a_single_low_confidence_mention_without_facts() -> None:
    unsure = entity("a", mention_count=1, confidence=0.3)
    assert measured([unsure, entity("b")])["junk_rate"] == 0.5
    assert measured([unsure, entity("b")], [fact("f", "b", "a")])["junk_rate"] == 0
    assert measured([{**unsure, "is_owner": True}])["junk_rate"] == 0


def test_rates_of_facts() -> None:
    facts = [
        fact(str(n), "a", "b", status=status) for n, status in enumerate(["current", "superseded", "contradicted"])
    ]
    found = measured([entity("a"), entity("b")], facts)
    assert found["contradiction_rate"] == found["retired_rate"] == pytest.approx(1 / 3)
    failed = quality_table(found).filter(~quality_table(found)["passed"])["metric"].to_list()
    assert failed == ["contradiction_rate", "retired_rate"]


def test_unsupported_summaries_block_publication() -> None:
    row = quality_table(measured([], unsupported=1)).filter(
        quality_table(measured([]))["metric"] == "unsupported_summaries"
    )
    assert row["passed"].to_list() == [False] and row["detail"].to_list() == ["blocks publication"]
