"""The log of recalls: once an occasion, order of arrival without effect, nothing created by reading."""

import sqlite3
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import polars as pl
import pytest

from brain_retrieval.errors import StoreError
from brain_retrieval.home import Home, Space
from brain_retrieval.stores.access_log import AccessLog, with_current_ids
from brain_retrieval.stores.knowledge_tables import ENTITY_NAMES

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def space(tmp_path: Path) -> Space:
    return Home(tmp_path).space("alice")


def test_reading_creates_nothing(space: Space) -> None:
    with AccessLog(space) as log:
        assert log.recalls(NOON).is_empty()
        assert log.recalls().columns == ["item", "item_id", "at", "occasion"]
        assert log.count() == log.remove("source", ["a"]) == 0
    assert not space.home.joinpath("users").exists()


def test_an_item_counts_once_a_session_or_day(space: Space) -> None:
    with AccessLog(space) as log:
        for hours in range(10):
            log.record([("source", "a")], session="s1", at=NOON + hours * 24 * HOUR)
            log.record([("source", "a"), ("source", "b"), ("source", "a")], at=NOON + hours * HOUR)
            log.record([("chunk", "c")], session="s1", at=NOON + hours * 24 * HOUR)
        counted = log.recalls().group_by("item", "item_id").len().sort("item_id").rows()
    assert counted == [("source", "a", 2), ("source", "b", 1), ("chunk", "c", 10)]


def test_recording_is_idempotent_and_order_independent(tmp_path: Path) -> None:
    visits = [("a", "s", 3), ("a", "s", 1), ("b", None, 2), ("a", None, 5), ("b", None, 0), ("a", "s", 3)]
    found = []
    for number, order in enumerate((visits, visits[::-1], visits * 2)):
        with AccessLog(Home(tmp_path / str(number)).space("alice")) as log:
            for key, session, hours in order:
                log.record([("entity", key)], session=session, at=NOON + hours * HOUR)
            assert log.record([("entity", "a")], session="s", at=NOON + 9 * HOUR) == 0
            found.append(log.recalls())
    assert found[0].equals(found[1])
    assert found[0].equals(found[2])
    assert found[0]["at"].is_sorted()


def test_until_is_exclusive_and_zones_do_not_matter(space: Space) -> None:
    with AccessLog(space) as log:
        log.record([("fact", "f")], at=NOON.astimezone(timezone(9 * HOUR)))
        assert log.count(NOON) == 0
        assert log.count(NOON + timedelta(microseconds=1)) == 1
        assert log.recalls(NOON + HOUR)["at"].to_list() == [NOON]


def test_unknown_items_and_naive_times_are_rejected(space: Space) -> None:
    with AccessLog(space) as log:
        with pytest.raises(ValueError, match="kind of item"):
            log.record([("picture", "p")], at=NOON)
        with pytest.raises(ValueError, match="zone"):
            log.record([("source", "a")], at=NOON.replace(tzinfo=None))
        assert log.record([], at=NOON) == 0
    assert not space.root.exists()


def test_removed_rows_leave_no_bytes_on_disk(space: Space) -> None:
    with AccessLog(space) as log:
        log.record([("source", f"src_{n}_secret") for n in range(50)], at=NOON)
        assert log.remove("source", [f"src_{n}_secret" for n in range(1, 50)]) == 49
        assert log.recalls()["item_id"].to_list() == ["src_0_secret"]
    assert b"src_7_secret" not in b"".join(p.read_bytes() for p in space.root.glob("access.sqlite*"))


def test_locked_log_fails_fast(space: Space) -> None:
    with AccessLog(space) as log:
        log.record([("source", "a")], at=NOON)
    other = sqlite3.connect(space.root / "access.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with AccessLog(space, wait=0.02) as log, pytest.raises(StoreError, match="locked"):
        log.record([("source", "b")], at=NOON)
    other.close()


def test_recalls_of_a_former_id_count_for_the_entity_now(space: Space) -> None:
    with AccessLog(space) as log:
        log.record([("entity", "bob"), ("entity", "bobby"), ("source", "bob")], session="s", at=NOON)
        log.record([("entity", "bobby")], session="s", at=NOON + HOUR)
        log.record([("entity", "bobby")], at=NOON - HOUR)
        log.record([("entity", "ann")], at=NOON)
        recalls = log.recalls()
    rows = [
        {"name_id": key, "entity_id": "bob", "name": key, "display": key, "entity_class": "Person", "source_count": 1}
        for key in ("bob", "bobby")
    ]
    names = pl.DataFrame(rows, schema=pl.from_arrow(ENTITY_NAMES.empty_table()).schema)
    found = with_current_ids(recalls, names)
    assert found.columns == recalls.columns
    counted = found.group_by("item", "item_id").len().sort("item", "item_id").rows()
    assert counted == [("entity", "ann", 1), ("entity", "bob", 2), ("source", "bob", 1)]
    assert with_current_ids(recalls.reverse(), names.reverse()).equals(found)
    assert with_current_ids(recalls.drop("occasion"), names).height == 4
