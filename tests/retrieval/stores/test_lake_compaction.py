"""Compaction and garbage collection: contents and digests stay, readers keep their files, leftovers go."""

import time
from datetime import timedelta

import pytest

from brain_retrieval.home import Space
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.lake_compaction import collect_garbage, compact
from tests.retrieval.stores.rows import chunks
from tests.retrieval.stores.test_lake import on_disk

JANUARY = [f"2026-01-{day:02}" for day in range(1, 8)]
FEBRUARY = ["2026-02-01", "2026-02-02"]
HOUR = timedelta(hours=1)


@pytest.fixture
def filled(lake: Lake) -> Lake:
    for source in ("note", "mail"):
        lake.replace_many("chunks", source, {day: chunks(source, day, 3) for day in [*JANUARY, *FEBRUARY]})
    return lake


def test_compaction_keeps_contents_and_digests(filled: Lake) -> None:
    before, digests = filled.read("chunks"), filled.digest()
    assert compact(filled, "2026-02") == 2
    assert filled.read("chunks") == before
    assert filled.read("chunks", source="mail", days=JANUARY[2:4]).num_rows == 6
    assert (filled.digest(), filled.verify()) == (digests, {})
    assert len({file.path for file in filled.catalog.lake_files()}) == 2 + 2 * len(FEBRUARY)
    assert compact(filled, "2026-02") == 0


def test_a_day_replaced_after_compaction_hides_its_old_rows(filled: Lake) -> None:
    compact(filled, "2026-02")
    filled.replace("chunks", "note", JANUARY[1], chunks("note", JANUARY[1], 1, text="late"))
    filled.replace("chunks", "note", JANUARY[2], [])
    found = filled.read("chunks", source="note")
    assert found.num_rows == 3 * (len(JANUARY) + len(FEBRUARY)) - 3 - 2
    assert found.column("day").to_pylist() == sorted(found.column("day").to_pylist())
    assert compact(filled, "2026-02") == 1
    assert filled.read("chunks", source="note") == found
    assert filled.verify() == {}


def test_compaction_removes_rows_of_emptied_days(filled: Lake, space: Space) -> None:
    compact(filled, "2026-02")
    filled.replace("chunks", "note", JANUARY[-1], [])
    assert compact(filled, "2026-02") == 1
    collect_garbage(filled, timedelta(0), now=time.time() + 1)
    assert len(on_disk(space)) == 2 + 2 * len(FEBRUARY)
    assert filled.verify() == {}


def test_collection_waits_for_readers_and_removes_orphans(filled: Lake, space: Space) -> None:
    old = {file.path for file in filled.catalog.lake_files(days=JANUARY)}
    compact(filled, "2026-02")
    for name in ("chunks/note/2026-01-01/day-1.tmp", "chunks/note/2026-01-01/day-2.parquet", "stray"):
        (space.lake / name).write_bytes(b"killed")
    assert collect_garbage(filled) == 0
    assert all((space.lake / path).is_file() for path in old)
    assert collect_garbage(filled, HOUR, now=time.time() + 3601) == len(old) + 3
    assert {path.relative_to(space.lake).as_posix() for path in on_disk(space)} == filled.catalog.known_paths()
    assert [folder for folder in space.lake.rglob("*") if folder.is_dir() and not any(folder.iterdir())] == []
    assert filled.verify() == {}


def test_reader_retries_after_garbage_collection(filled: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """The paths are listed, then all of them are compacted away and collected, then they are read."""
    before = filled.read("chunks")
    listing, raced = filled.catalog.lake_files, []

    def list_then_lose(*args: object, **options: object) -> list:
        found = listing(*args, **options)
        if not raced:
            raced.append(True)
            compact(filled, "2026-03")
            collect_garbage(filled, timedelta(0), now=time.time() + 1)
        return found

    monkeypatch.setattr(filled.catalog, "lake_files", list_then_lose)
    assert filled.read("chunks") == before
