"""Rows of SALIENCE equal the formula for one item, for all policies, confidences, recalls and mentions."""

import math
import random
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from brain_pipelines.knowledge.memory.salience import compute_salience
from brain_retrieval.knowledge.memory_states import expires_at, state_of
from brain_retrieval.knowledge.salience import fold_recalls, salience_at
from brain_retrieval.settings import MemorySettings

START = datetime(2026, 1, 1, 6, tzinfo=UTC)
SETTINGS = MemorySettings(base_rate=0.03, initial_salience=0.4, recall_boost=0.1, core_recalls=4, archive_below=0.02)
TIME = pl.Datetime("us", "UTC")
ITEMS = {"item": pl.String, "item_id": pl.String, "created_at": TIME, "confidence": pl.Float64}
ITEMS |= {"ttl_policy": pl.String, "sensitivity": pl.String, "initial": pl.Float64}
EVENTS = {"item": pl.String, "item_id": pl.String, "at": TIME}
Event = tuple[str, str, datetime]


def later(days: float) -> datetime:
    return START + timedelta(days=days)


def compute(
    items: list[dict[str, Any]], recalls: list[Event], mentions: list[Event], now: datetime
) -> list[dict[str, Any]]:
    spoken = pl.DataFrame(mentions, schema=EVENTS, orient="row").drop("item")
    log = pl.DataFrame(recalls, schema=EVENTS, orient="row")
    frame = pl.DataFrame(items, schema=ITEMS)
    return compute_salience(frame, log, now=now, settings=SETTINGS, mentions=spoken).to_dicts()


def by_hand(item: dict[str, Any], recalls: list[Event], mentions: list[Event], now: datetime) -> dict[str, Any]:
    """Return the row of `item`, from the formulas for one item."""
    mine = {at for kind, key, at in recalls if (kind, key) == (item["item"], item["item_id"]) and at < now}
    spoken = [at for _, key, at in mentions if key == item["item_id"] and at < now]
    certain = 1.0 if item["confidence"] is None else item["confidence"]
    initial = SETTINGS.initial_salience if item["initial"] is None else item["initial"]
    policy = item["ttl_policy"] or "decay"
    born = item["created_at"]
    end = fold_recalls(born, mine, confidence=certain, initial=initial, settings=SETTINGS, mentions=spoken)
    kept, ends = policy == "keep_forever", expires_at(item["item"], policy, born)
    salience = 1.0 if kept else salience_at(end.salience, end.at, end.rate, now, expires_at=ends)
    over = ends is not None and now >= ends
    state = state_of(
        salience, end.recalls, policy, archive_below=SETTINGS.archive_below, core_recalls=SETTINGS.core_recalls
    )
    return {
        "item": item["item"],
        "item_id": item["item_id"],
        "salience": salience,
        "state": "archived" if over else state,
        "access_count": end.recalls,
        "decay_gradient": end.gradient,
        "last_recall_interval": pytest.approx(end.interval / timedelta(days=1), abs=1e-9),
        "last_accessed_at": end.since if mine else None,
        "rate": pytest.approx(0.0 if kept else end.rate, rel=1e-12),
        "expires_at": ends,
        "sensitivity": item["sensitivity"] or "normal",
    }


@pytest.mark.parametrize("seed", range(3))
def test_rows_equal_the_formula_for_one_item(seed: int) -> None:
    dice = random.Random(seed)
    kinds, policies = ("fact", "source", "entity", "chunk"), ("keep_forever", "ephemeral", "decay", None)
    items = [
        {
            "item": kinds[n % 4],
            "item_id": f"{n // 2:03}",  # two kinds share an id
            "created_at": later(dice.randrange(60)),
            "confidence": dice.choice([None, 0.0, 0.5, 0.7999, 0.8, 1.0]),
            "ttl_policy": dice.choice(policies),
            "sensitivity": dice.choice([None, "low", "high"]),
            "initial": dice.choice([None, 0.0, 0.25, 1.0]),
        }
        for n in range(120)
    ]
    some = [(i["item"], i["item_id"]) for i in items if dice.random() < 0.6]
    recalls = [(*dice.choice(some), later(dice.randrange(160))) for _ in range(250)]
    mentions = [(*dice.choice(some), later(dice.randrange(160))) for _ in range(80)]
    now = later(dice.choice([45, 95, 120, 150]))
    found = compute(items, recalls, mentions, now)
    assert [(row["item_id"], row["item"]) for row in found] == sorted((i["item_id"], i["item"]) for i in items)
    expected = {(i["item_id"], i["item"]): by_hand(i, recalls, mentions, now) for i in items}
    for row in found:
        wanted = expected[row["item_id"], row["item"]]
        assert {key: row[key] for key in wanted} == wanted


def test_events_at_snapshot_end_belong_to_the_next_snapshot() -> None:
    item = dict.fromkeys(ITEMS) | {"item": "fact", "item_id": "f", "created_at": START}
    events = [("fact", "f", later(10))]
    before = compute([item], events, events, later(10))[0]
    assert (before["access_count"], before["anchor_at"]) == (0, START)
    assert before["salience"] == pytest.approx(0.4 * math.exp(-0.3))
    after = compute([item], events, events, later(11))[0]
    assert (after["access_count"], after["anchor_at"], after["last_recall_interval"]) == (1, later(10), 10.0)
    assert after["salience"] == pytest.approx(0.5 * math.exp(-0.015))  # renewed to 0.4, recalled to 0.5


def test_confidence_and_initial_salience_are_clipped_and_times_are_utc() -> None:
    item = dict.fromkeys(ITEMS) | {"item": "fact", "item_id": "f", "created_at": START}
    wild = item | {"confidence": -2.0, "initial": 7.0, "item_id": "g"}
    small = item | {"confidence": 9.0, "initial": -1.0, "item_id": "h"}
    now = later(1).astimezone(ZoneInfo("America/New_York"))
    plain, most, least = compute([item, wild, small], [], [], now)
    assert plain["salience"] == pytest.approx(0.4 * math.exp(-0.03))
    assert (most["anchor_salience"], most["rate"]) == (1.0, pytest.approx(0.09))
    assert (least["anchor_salience"], least["rate"]) == (0.0, 0.03)
    assert plain["anchor_at"] == START


def test_item_created_in_the_future_has_not_decayed() -> None:
    item = dict.fromkeys(ITEMS) | {"item": "fact", "item_id": "f", "created_at": later(3)}
    assert compute([item], [], [], START)[0]["salience"] == 0.4


def test_ephemeral_item_expires_exactly_at_its_expiry() -> None:
    item = dict.fromkeys(ITEMS) | {"created_at": START, "ttl_policy": "ephemeral", "initial": 1.0}
    items = [item | {"item": kind, "item_id": kind} for kind in ("chunk", "fact", "source")]
    instant = timedelta(microseconds=1)
    states = [[row["state"] for row in compute(items, [], [], at)] for at in (later(30) - instant, later(30))]
    assert states == [["candidate"] * 3, ["archived", "candidate", "archived"]]
    assert [row["state"] for row in compute(items, [], [], later(90))] == ["archived"] * 3
    assert [row["salience"] == 0.0 for row in compute(items, [], [], later(30))] == [True, False, True]


def test_kept_items_are_core_and_others_follow_recalls() -> None:
    item = dict.fromkeys(ITEMS) | {"item": "fact", "created_at": START}
    items = [item | {"item_id": key, "initial": 0.0 if key == "faint" else 0.4} for key in ("faint", "four", "three")]
    items.append(item | {"item_id": "kept", "ttl_policy": "keep_forever", "initial": 0.0})
    items.append(item | {"item_id": "last", "created_at": later(5), "initial": SETTINGS.archive_below})  # not below it
    recalls = [("fact", key, later(n)) for key, times in (("three", 3), ("four", 4)) for n in range(times)]
    found = {row["item_id"]: row for row in compute(items, recalls, [], later(5))}
    assert {key: row["state"] for key, row in found.items()} == {
        "faint": "archived", "four": "core", "kept": "core", "last": "candidate", "three": "active",
    }  # fmt: skip
    assert (found["kept"]["salience"], found["kept"]["rate"], found["kept"]["anchor_salience"]) == (1.0, 0.0, 1.0)
