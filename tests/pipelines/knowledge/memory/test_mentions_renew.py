"""New mentions reset the salience of an item without counting as recalls."""

import math
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from brain_pipelines.knowledge.memory.items import ITEM_COLUMNS, mentions_of, snapshot_items
from brain_pipelines.knowledge.memory.salience import compute_salience
from brain_retrieval.settings import MemorySettings
from tests.pipelines.knowledge.frames import frame

SETTINGS = MemorySettings()
BORN = datetime(2026, 1, 1, tzinfo=UTC)


def later(days: float) -> datetime:
    return BORN + timedelta(days=days)


def salience(now: datetime, mentions: list[datetime], recalls: list[datetime] = (), ttl: str = "decay") -> dict:
    item = ("entity", "e", BORN, BORN, 1.0, ttl, "normal", 0.5)
    items = pl.DataFrame([item], schema=ITEM_COLUMNS, orient="row")
    log = pl.DataFrame(
        [("entity", "e", at) for at in recalls],
        schema={"item": pl.String, "item_id": pl.String, "at": pl.Datetime("us", "UTC")},
        orient="row",
    )
    spoken = pl.DataFrame(
        [("e", at) for at in mentions], schema={"item_id": pl.String, "at": pl.Datetime("us", "UTC")}, orient="row"
    )
    return compute_salience(items, log, now=now, settings=SETTINGS, mentions=spoken).row(0, named=True)


def test_mention_resets_salience_to_the_initial_value() -> None:
    row = salience(later(100), [BORN, later(90)])
    assert row["salience"] == pytest.approx(0.5 * math.exp(-0.02 * 10), abs=1e-8)
    assert (row["state"], row["access_count"], row["last_accessed_at"]) == ("candidate", 0, None)


def test_mention_never_lowers_salience() -> None:
    recalls = [later(n) for n in range(1, 30)]
    strong = salience(later(40), [BORN], recalls)
    assert strong["salience"] > 0.9
    again = salience(later(40), [BORN, later(39)], recalls)
    assert again["salience"] == pytest.approx(strong["salience"], abs=1e-8)
    assert again["state"] == "core"


def test_recall_after_a_mention_builds_on_the_renewed_salience() -> None:
    row = salience(later(100), [BORN, later(90)], [later(100) - timedelta(seconds=1)])
    assert row["salience"] == pytest.approx(0.5 * math.exp(-0.02 * 10) + 0.075, abs=1e-6)
    assert row["last_accessed_at"] == later(100) - timedelta(seconds=1)
    mentioned_after = salience(later(102), [BORN, later(101)], [later(50)])
    assert mentioned_after["last_accessed_at"] == later(50) and mentioned_after["anchor_at"] == later(101)
    assert mentioned_after["last_recall_interval"] == 50


def test_mentions_and_recalls_are_applied_in_time_order() -> None:
    mentions, recalls = [BORN, later(20), later(60)], [later(10), later(30), later(70)]
    assert salience(later(80), mentions, recalls) == salience(later(80), mentions[::-1], recalls[::-1])


def test_mention_reactivates_an_archived_item() -> None:
    assert salience(later(300), [BORN])["state"] == "archived"
    assert salience(later(300), [BORN, later(299)])["state"] == "candidate"
    assert salience(later(600), [BORN, later(299)])["state"] == "archived"
    assert salience(later(300), [BORN, later(299)], [later(1)])["state"] == "active"


def test_future_mentions_are_ignored() -> None:
    assert salience(later(50), [BORN, later(60)]) == salience(later(50), [BORN])


def test_keep_forever_items_ignore_mentions() -> None:
    assert salience(later(500), [later(400)], ttl="keep_forever")["salience"] == 1.0


def test_the_closed_form_holds_after_a_renewal() -> None:
    first, second = salience(later(100), [later(90)]), salience(later(150), [later(90)])
    days = (later(150) - first["anchor_at"]).total_seconds() / 86400
    assert second["salience"] == pytest.approx(first["anchor_salience"] * math.exp(-first["rate"] * days), abs=1e-8)


def test_items_and_mentions_of_a_snapshot() -> None:
    tables = {
        "known_sources": frame(
            "known_sources",
            {
                "source_id": "s",
                "event_at": later(2),
                "received_at": later(9),
                "sensitivity": "high",
                "ttl_policy": "decay",
            },
        ),
        "notes": frame("notes"),
        "known_entities": frame(
            "known_entities",
            {"entity_id": "me", "is_owner": True, "first_mentioned_at": BORN, "first_received_at": later(9)},
            {"entity_id": "e", "confidence": 0.7, "first_mentioned_at": BORN, "first_received_at": later(9)},
        ),
        "entity_members": frame(
            "entity_members",
            {"member_id": "1", "entity_id": "e", "event_at": BORN, "received_at": later(9)},
            {"member_id": "2", "entity_id": "e", "event_at": later(50), "received_at": later(5)},
        ),
        "known_facts": frame(
            "known_facts",
            {"fact_id": "f", "first_said_at": later(1), "known_from": later(9), "evidence_ids": ["v", "w"]},
        ),
        "fact_evidence": frame(
            "fact_evidence",
            {"evidence_id": "v", "said_at": later(1), "received_at": later(9)},
            {"evidence_id": "w", "said_at": later(4), "received_at": later(9)},
        ),
        "storylines": frame("storylines", {"storyline_id": "l", "anchor_id": "e"}),
        "storyline_sources": frame("storyline_sources", {"storyline_id": "l", "source_id": "s"}),
        "macros": frame("macros", {"macro_id": "m", "anchor_id": "e", "storyline_ids": ["l"]}),
    }
    strength = frame("salience", {"item": "entity", "item_id": "e", "anchor_salience": 0.8})
    items = {row["item_id"]: row for row in snapshot_items(tables, SETTINGS, anchors=strength).to_dicts()}
    assert {key: (row["item"], row["ttl_policy"], row["initial"]) for key, row in items.items()} == {
        "s": ("source", "decay", 0.5),
        "me": ("entity", "keep_forever", 1.0),
        "e": ("entity", "decay", 0.5),
        "f": ("fact", "decay", 0.5),
        "l": ("storyline", "decay", 0.8),
        "m": ("macro", "keep_forever", 0.8),
    }
    assert items["s"]["sensitivity"] == "high" and items["e"]["confidence"] == 0.7
    assert [items[key]["created_at"] for key in ("s", "e", "f")] == [later(2), BORN, later(1)]
    assert items["l"]["created_at"] == items["m"]["created_at"] == later(2)
    spoken = mentions_of(tables).rows()
    assert spoken == [("e", BORN), ("e", later(5)), ("f", later(1)), ("f", later(4)), ("l", later(2))]
    assert snapshot_items(tables, SETTINGS).height == 4
