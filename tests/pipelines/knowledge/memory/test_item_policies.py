"""Retention and sensitivity of entities, facts and notes follow from their sources."""

from datetime import timedelta

import polars as pl

from brain_pipelines.knowledge.memory.items import snapshot_items
from brain_pipelines.knowledge.memory.salience import compute_salience
from brain_retrieval.settings import MemorySettings
from tests.pipelines.knowledge.frames import AT, frame

SETTINGS = MemorySettings()
SOURCES = {"keep": ("keep_forever", "high"), "gone": ("ephemeral", "high"), "plain": ("decay", "normal")}
RECALLS = {"item": pl.String, "item_id": pl.String, "at": pl.Datetime("us", "UTC")}


def tables() -> dict[str, pl.DataFrame]:
    """Return entities e0-e4, facts and notes, each named after the sources it rests on."""
    sources = [
        {"source_id": name, "received_at": AT, "ttl_policy": ttl, "sensitivity": level}
        for name, (ttl, level) in SOURCES.items()
    ]
    facts = [{"fact_id": "+".join(ids), "known_from": AT, "confidence": 1.0, "source_ids": ids} for ids in
             (["gone"], ["gone", "plain"], ["gone", "keep"], ["keep"])]  # fmt: skip
    members = [("kept", "keep"), ("short", "gone"), ("both", "gone"), ("both", "plain"), ("noted", "gone")]
    notes = [
        {"note_id": "n1", "target": "entity", "entity_id": "noted", "source_id": "keep", "date_added": AT},
        {"note_id": "n2", "target": "entity", "entity_id": "both", "source_id": "gone", "date_added": AT},
        {"note_id": "n3", "target": "entity", "entity_id": "both", "source_id": "unknown", "date_added": AT},
    ]
    return {
        "known_sources": frame("known_sources", *sources),
        "known_facts": frame("known_facts", *facts),
        "known_entities": frame("known_entities", *({"entity_id": e, "confidence": 1.0} for e, _ in set(members))),
        "entity_members": frame("entity_members", *({"entity_id": e, "source_id": s} for e, s in members)),
        "notes": frame("notes", *notes),
    }


def test_policies_follow_the_sources() -> None:
    given = tables()
    given["known_entities"] = given["known_entities"].unique("entity_id")
    items = {
        (row["item"], row["item_id"]): (row["ttl_policy"], row["sensitivity"])
        for row in snapshot_items(given, SETTINGS).iter_rows(named=True)
    }
    assert {key: items["fact", key] for key in ("gone", "gone+plain", "gone+keep", "keep")} == {
        "gone": ("ephemeral", "high"),
        "gone+plain": ("decay", "normal"),
        "gone+keep": ("keep_forever", "high"),
        "keep": ("keep_forever", "high"),
    }
    assert {key: items["entity", key][0] for key in ("kept", "short", "both", "noted")} == {
        "kept": "decay",
        "short": "ephemeral",
        "both": "decay",
        "noted": "keep_forever",
    }
    assert [items["note", key] for key in ("n1", "n2", "n3")] == [
        ("keep_forever", "high"),
        ("ephemeral", "high"),
        ("decay", "normal"),
    ]


def test_ephemeral_sources_end_after_30_days_and_other_items_after_90() -> None:
    given = tables()
    given["known_entities"] = given["known_entities"].unique("entity_id")
    items = snapshot_items(given, SETTINGS)

    def states(days: int) -> dict[tuple[str, str], str]:
        found = compute_salience(items, pl.DataFrame(schema=RECALLS), now=AT + timedelta(days=days), settings=SETTINGS)
        return {(row["item"], row["item_id"]): row["state"] for row in found.iter_rows(named=True)}

    month, quarter = states(31), states(91)
    assert (month["source", "gone"], month["note", "n2"], month["entity", "short"]) == (
        "archived",
        "candidate",
        "candidate",
    )
    assert {quarter[key] for key in (("note", "n2"), ("entity", "short"), ("fact", "gone"))} == {"archived"}
    assert {quarter[key] for key in (("note", "n1"), ("entity", "noted"), ("source", "keep"))} == {"core"}
