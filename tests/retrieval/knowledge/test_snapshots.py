"""Snapshots on disk: what is written is read back, readers see whole snapshots only, old ones go."""

import json
import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest

from brain_retrieval.errors import StoreError
from brain_retrieval.home import Home
from brain_retrieval.stores.snapshot_tables import SNAPSHOT_TABLES
from brain_retrieval.stores.snapshots import SnapshotStore

DAY = "2026-01-31"


def quality(value: float) -> pl.DataFrame:
    row = {"metric": "m", "value": value, "limit": None, "passed": True, "detail": ""}
    return pl.DataFrame(pl.from_arrow(SNAPSHOT_TABLES["quality"].empty_table())).vstack(
        pl.DataFrame([row], schema_overrides={"limit": pl.Float64})
    )


def write(store: SnapshotStore, day: str = DAY, value: float = 1.0) -> str:
    return store.write_stage(day, "quality", {"quality": quality(value)}, code_version="1").output_hash


def sources(ids: list[str]) -> pl.DataFrame:
    rows = [{f.name: [] if "list" in str(f.type) else None for f in SNAPSHOT_TABLES["known_sources"]} for _ in ids]
    at = datetime(2026, 1, 1, tzinfo=UTC)
    texts = dict.fromkeys(
        ("source_type", "uri", "title", "day", "summary", "bucket", "sensitivity", "ttl_policy", "trust", "digest"), ""
    )
    filled = [
        {**row, **texts, "source_id": one, "event_at": at, "received_at": at}
        for row, one in zip(rows, ids, strict=True)
    ]
    return pl.DataFrame(pa.Table.from_pylist(filled, schema=SNAPSHOT_TABLES["known_sources"]))


def tables(store: SnapshotStore) -> list[str]:
    return sorted(path.name for path in (store.space.knowledge / "tables").iterdir())


def aged(store: SnapshotStore, name: str) -> Path:
    """Return a stray file of two hours ago."""
    path = store.space.knowledge / "tables" / name
    path.write_bytes(b"x")
    old = time.time() - 7200
    os.utime(path, (old, old))
    return path


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
    next((store.space.knowledge / "tables").glob("*.parquet")).unlink()
    assert store.stage(DAY, "quality") is None
    with pytest.raises(StoreError, match="missing"):
        store.read(DAY, "quality")
    write(store)
    assert store.read(DAY, "quality").height == 1


def test_a_damaged_file_is_said_to_be_damaged(store: SnapshotStore) -> None:
    write(store)
    store.complete(DAY, ["quality"])
    next((store.space.knowledge / "tables").glob("*.parquet")).write_bytes(b"PAR1")
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
    stray = aged(store, "known_facts-0.parquet")
    assert store.prune(30) == 100 - 30 - 3
    kept = store.days()
    assert kept[:3] == ["2026-01-31", "2026-02-28", "2026-03-11"]
    assert kept[3:] == [(start + timedelta(days=n)).isoformat() for n in range(70, 100)]
    assert not stray.exists()
    assert store.prune(30) == 0


def test_equal_tables_of_several_days_are_one_file_until_the_last_day_goes(store: SnapshotStore) -> None:
    days = [f"2026-01-0{n}" for n in range(1, 6)]
    for day, value in zip(days, (3.0, 1.0, 1.0, 1.0, 2.0), strict=True):
        write(store, day, value)
        store.complete(day, ["quality"])
    alone, *shared, last = (store.manifest(day)["quality"].file for day in days)
    assert len(set(shared)) == 1
    assert tables(store) == sorted([alone, shared[0], last])
    assert store.prune(3, grace=timedelta()) == 1
    assert tables(store) == sorted([shared[0], last])
    assert store.prune(2, grace=timedelta()) == 1
    assert store.read("2026-01-04", "quality").equals(quality(1.0))
    for day in ("2026-01-03", "2026-01-04"):
        write(store, day, 2.0)
        store.complete(day, ["quality"])
    assert store.sweep() == 0  # readers may have just read the manifest that was replaced
    assert store.sweep(timedelta()) == 1
    assert tables(store) == [last]


def test_no_file_goes_while_a_manifest_cannot_be_read(store: SnapshotStore) -> None:
    write(store)
    store.complete(DAY, ["quality"])
    stray = aged(store, "known_facts-0.parquet")
    manifest = store.space.knowledge / f"{DAY}.json"
    whole = manifest.read_text("utf-8")
    manifest.write_text(whole[:50])
    store.prune(30)
    assert stray.exists()
    with pytest.raises(StoreError, match="manifest of the snapshot 2026-01-31 is damaged"):
        store.read(DAY, "quality")
    manifest.write_text(whole)
    store.prune(30)
    assert not stray.exists()
    assert store.read(DAY, "quality").height == 1


def test_a_forgotten_source_leaves_no_file_that_holds_its_rows(store: SnapshotStore) -> None:
    for day, ids in (("2026-01-01", ["kept"]), ("2026-01-02", ["kept", "gone"]), ("2026-01-03", ["gone"])):
        store.write_stage(day, "sources", {"known_sources": sources(ids)}, code_version="1")
        write(store, day)
        if day != "2026-01-03":  # an unfinished day holds rows too
            store.complete(day, ["sources", "quality"])
    assert store.holding("gone") == ["2026-01-02", "2026-01-03"]
    assert store.forget("gone") == 2
    assert store.begun() == ["2026-01-01"]
    assert not [f for f in tables(store) if b"gone" in (store.space.knowledge / "tables" / f).read_bytes()]
    assert store.read("2026-01-01", "known_sources")["source_id"].to_list() == ["kept"]
    assert store.forget("gone") == 0


def test_snapshots_of_the_first_layout_are_read_until_computed_again(store: SnapshotStore) -> None:
    write(store)
    store.complete(DAY, ["quality"])
    table, folder = store.manifest(DAY)["quality"], store.space.knowledge / DAY
    folder.mkdir()
    (store.space.knowledge / "tables" / table.file).rename(folder / table.file)
    (store.space.knowledge / f"{DAY}.json").unlink()
    (folder / "snapshot.json").write_text(json.dumps({"tables": {"quality": {"file": table.file, "rows": 1}}}))
    assert store.days() == [DAY]
    assert store.read(DAY, "quality").equals(quality(1.0))
    assert store.stage(DAY, "quality") is None
    write(store, value=2.0)
    assert store.complete(DAY, ["quality"])
    assert store.read(DAY, "quality").equals(quality(2.0))
    assert not folder.exists()


def test_the_newest_snapshot_until_a_day(store: SnapshotStore) -> None:
    for day in ("2026-01-01", "2026-01-05"):
        write(store, day)
        store.complete(day, ["quality"])
    assert store.newest("2026-01-04") == "2026-01-01"
    assert store.newest("2025-12-31") is None
    store.remove()
    assert store.days() == []
