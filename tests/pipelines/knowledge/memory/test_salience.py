"""Salience of all items of a snapshot: equal to the formulas for one item, independent of order."""

import math
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain_pipelines.knowledge.memory.salience import compute_salience
from brain_retrieval.knowledge.salience import salience_of, state_at
from brain_retrieval.settings import MemorySettings
from brain_retrieval.stores.memory_tables import SALIENCE

START = datetime(2026, 1, 1, tzinfo=UTC)
SETTINGS = MemorySettings()
TIME = pl.Datetime("us", "UTC")
ITEMS = {"item": pl.String, "item_id": pl.String, "created_at": TIME, "confidence": pl.Float64}
ITEMS |= {"ttl_policy": pl.String, "sensitivity": pl.String, "initial": pl.Float64}
RECALLS = {"item": pl.String, "item_id": pl.String, "at": TIME}


def day(number: float) -> datetime:
    return START + timedelta(days=number)


def items(*rows: dict[str, Any]) -> pl.DataFrame:
    empty = {"item": "fact", "created_at": START, "confidence": None, "ttl_policy": None}
    empty |= {"sensitivity": None, "initial": None}
    return pl.DataFrame([empty | row for row in rows], schema=ITEMS)


def recalls(*rows: tuple[str, float], item: str = "fact") -> pl.DataFrame:
    return pl.DataFrame([(item, key, day(at)) for key, at in rows], schema=RECALLS, orient="row")


def snapshot(frame: pl.DataFrame, log: pl.DataFrame, number: float) -> dict[str, dict[str, Any]]:
    found = compute_salience(frame, log, now=day(number), settings=SETTINGS)
    assert found.drop("salience").schema == pl.from_arrow(SALIENCE.empty_table()).schema
    return {row["item_id"]: row for row in found.iter_rows(named=True)}


def test_empty_input_gives_empty_output() -> None:
    assert compute_salience(items(), recalls(), now=day(1), settings=SETTINGS).is_empty()


def test_daily_salience_equals_the_closed_form() -> None:
    """Computing a snapshot from scratch equals decaying any earlier snapshot, whichever ones were skipped."""
    frame = items(*({"item_id": f"c{c}", "confidence": c / 10} for c in range(11)), {"item_id": "r"})
    log = recalls(("r", 10.5), ("r", 40.2), ("r", 41))
    snapshots = {n: snapshot(frame, log, n) for n in range(1, 366)}
    for key in snapshots[1]:
        for n in range(42, 366):
            for earlier in (42, (n + 42) // 2):
                row = snapshots[earlier][key]
                assert salience_of(row, day(n)) == snapshots[n][key]["salience"]
                assert state_at(row, day(n), SETTINGS) == snapshots[n][key]["state"]
    archived = {
        key: min(n for n in snapshots if snapshots[n][key]["state"] == "archived") for key in ("c10", "c7", "c5", "c4")
    }
    assert archived == {"c10": 196, "c7": 123, "c5": 98, "c4": 89}


def test_recalls_change_the_memory_state() -> None:
    frame = items({"item_id": "a"}, {"item_id": "b"}, {"item_id": "c"})
    log = recalls(("a", 250), *(("b", n * 3.0) for n in range(10)), ("c", 250.5), ("x", 3))
    before, after = snapshot(frame, log, 249), snapshot(frame, log, 251)
    assert (before["a"]["state"], after["a"]["state"]) == ("archived", "active")
    assert (after["b"]["state"], after["b"]["access_count"]) == ("core", 10)
    assert after["a"]["last_accessed_at"] == day(250)
    assert before["a"]["last_accessed_at"] is None
    assert (after["a"]["last_recall_interval"], after["b"]["last_recall_interval"]) == (250.0, 3.0)
    assert after["a"]["salience"] == pytest.approx((0.5 * math.exp(-5) + 0.075) * math.exp(-0.01), abs=1e-8)


def test_ttl_policies_and_their_precedence() -> None:
    rows = [{"item_id": p, "ttl_policy": p, "initial": 0.9} for p in ("keep_forever", "ephemeral", "decay")]
    frame = pl.concat([items(*rows), items({"item": "source", "item_id": "s", "ttl_policy": "ephemeral"})])
    log = pl.concat([recalls(*(("ephemeral", n * 8.0) for n in range(11))), recalls(("s", 29.5), item="source")])
    first, second, third = (snapshot(frame, log, n) for n in (29.9, 30, 90))
    assert [f["keep_forever"]["salience"] for f in (first, second, third)] == [1.0, 1.0, 1.0]
    assert third["keep_forever"]["state"] == "core"
    assert (first["s"]["state"], second["s"]["state"]) == ("active", "archived")
    assert second["s"]["salience"] == 0.0
    keeps_all = SETTINGS.model_copy(update={"archive_below": 0.0})
    ended = compute_salience(frame, log, now=day(30), settings=keeps_all).filter(pl.col("item_id") == "s")
    assert ended["state"].to_list() == ["archived"]
    assert (second["ephemeral"]["state"], third["ephemeral"]["state"]) == ("active", "archived")
    assert third["decay"]["state"] == "candidate"
    assert snapshot(frame, log, 5000)["keep_forever"]["salience"] == 1.0


def test_sensitivity_does_not_affect_salience() -> None:
    rows = [{"item_id": s, "sensitivity": s, "confidence": 0.6} for s in ("low", "normal", "high")]
    found = snapshot(
        items(*rows, {"item_id": "none", "confidence": 0.6}), recalls(*((r["item_id"], 9) for r in rows)), 90
    )
    assert {found[s]["sensitivity"] for s in ("low", "normal", "high")} == {"low", "normal", "high"}
    assert found["none"]["sensitivity"] == "normal"
    assert len({found[s]["salience"] for s in ("low", "normal", "high")}) == 1


def test_ids_are_separate_by_kind_and_snapshot_end_is_exclusive() -> None:
    frame = pl.concat([items({"item_id": "x"}), items({"item": "source", "item_id": "x"})])
    log = pl.concat([recalls(("x", 3), ("x", 3)), recalls(("x", 5))])
    found = compute_salience(frame, log, now=day(5).astimezone(ZoneInfo("Asia/Tokyo")), settings=SETTINGS)
    assert found.select("item", "access_count").rows() == [("fact", 1), ("source", 0)]


KEYS = st.sampled_from("abcdef")
VISITS = st.lists(st.tuples(KEYS, st.integers(0, 400)), max_size=40)


@given(VISITS, st.integers(1, 400), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=40)
def test_salience_does_not_depend_on_row_order(visits: list[tuple[str, int]], number: int, random: Any) -> None:
    rows = [{"item_id": key, "confidence": n / 5, "created_at": day(n)} for n, key in enumerate("abcdef")]
    log = [(key, float(at)) for key, at in visits]
    first = compute_salience(items(*rows), recalls(*log), now=day(number), settings=SETTINGS)
    random.shuffle(rows)
    random.shuffle(log)
    assert compute_salience(items(*rows), recalls(*log), now=day(number), settings=SETTINGS).equals(first)
    for row in first.iter_rows(named=True):
        assert row["salience"] == salience_of(row, day(number))
        assert row["state"] == state_at(row, day(number), SETTINGS)
