"""Snapshots on disk: what is written is read back, readers see whole snapshots only, old ones go."""

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

from brain_retrieval.errors import StoreError
from brain_retrieval.home import Home
from brain_retrieval.stores.snapshots import SNAPSHOT_TABLES, SnapshotStore

DAY = "2026-01-31"


def quality(value: float) -> pl.DataFrame:
    row = {"metric": "m", "value": value, "limit": None, "passed": True, "detail": ""}
    return pl.DataFrame(pl.from_arrow(SNAPSHOT_TABLES["quality"].empty_table())).vstack(
        pl.DataFrame([row], schema_overrides={"limit": pl.Float64})
    )


def write(store: SnapshotStore, day: str = DAY, value: float = 1.0) -> str:
    return store.write_stage(day, "quality", {"quality": quality(value)}, code_version="1").output_hash


@pytest.fixture
def store(tmp_path: Path) -> SnapshotStore:
    return SnapshotStore(Home(tmp_path).space("alice").create())


def test_a_snapshot_is_seen_only_when_it_is_complete(store: SnapshotStore) -> None:
    write(store)
    assert store.days() == []
    with pytest.raises(StoreError, match="brain nightly --user alice"):
        store.read(DAY, "quality")
    assert store.complete(DAY, ["quality"])
    assert store.newest() == DAY
    assert store.read(DAY, "quality").equals(quality(1.0))
    assert not store.complete(DAY, ["quality"])


def test_readers_see_the_old_snapshot_until_the_new_one_is_complete(store: SnapshotStore) -> None:
    write(store)
    store.complete(DAY, ["quality"])
    write(store, value=2.0)
    assert store.read(DAY, "quality")["value"].to_list() == [1.0]
    assert store.read_stage(DAY, "quality", "quality")["value"].to_list() == [2.0]
    assert store.complete(DAY, ["quality"])
    assert store.read(DAY, "quality")["value"].to_list() == [2.0]


def test_equal_content_has_equal_digests(store: SnapshotStore) -> None:
    first = write(store)
    assert write(store) == first
    assert write(store, value=2.0) != first
    assert write(store) == first


def test_stage_with_a_lost_file_counts_as_not_run(store: SnapshotStore) -> None:
    write(store)
    store.complete(DAY, ["quality"])
    next((store.space.knowledge / DAY).glob("*.parquet")).unlink()
    assert store.stage(DAY, "quality") is None
    with pytest.raises(StoreError, match="missing"):
        store.read(DAY, "quality")
    write(store)
    assert store.read(DAY, "quality").height == 1


def test_a_damaged_file_is_said_to_be_damaged(store: SnapshotStore) -> None:
    write(store)
    store.complete(DAY, ["quality"])
    next((store.space.knowledge / DAY).glob("*.parquet")).write_bytes(b"PAR1")
    with pytest.raises(StoreError, match="damaged"):
        store.read(DAY, "quality")


def test_an_incomplete_snapshot_cannot_be_completed(store: SnapshotStore) -> None:
    with pytest.raises(StoreError, match="lacks quality"):
        store.complete(DAY, ["quality"])


def test_rows_that_do_not_fit_are_refused(store: SnapshotStore) -> None:
    with pytest.raises(ValueError, match="columns"):
        store.write_stage(DAY, "q", {"quality": quality(1.0).drop("detail")}, code_version="1")
    with pytest.raises(ValueError, match="null"):
        store.write_stage(
            DAY, "q", {"quality": quality(1.0).with_columns(metric=pl.lit(None, pl.String))}, code_version="1"
        )


def test_month_ends_stay_and_stray_files_go(store: SnapshotStore) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC).date()
    for n in range(100):
        write(store, (start + timedelta(days=n)).isoformat())
        store.complete((start + timedelta(days=n)).isoformat(), ["quality"])
    stray = store.space.knowledge / "2026-04-10" / "known_facts-0.parquet"
    stray.write_bytes(b"x")
    old = time.time() - 7200
    os.utime(stray, (old, old))
    assert store.prune(30) == 100 - 30 - 3
    kept = store.days()
    assert kept[:3] == ["2026-01-31", "2026-02-28", "2026-03-11"]
    assert kept[3:] == [(start + timedelta(days=n)).isoformat() for n in range(70, 100)]
    assert not stray.exists()
    assert store.prune(30) == 0


def test_the_newest_snapshot_until_a_day(store: SnapshotStore) -> None:
    for day in ("2026-01-01", "2026-01-05"):
        write(store, day)
        store.complete(day, ["quality"])
    assert store.newest("2026-01-04") == "2026-01-01"
    assert store.newest("2025-12-31") is None
    store.remove()
    assert store.days() == []
