"""Rows that one stage read are kept for the next ones, and read again if a file is another, damaged or gone."""

import pytest

from brain_pipelines.knowledge import pinned_reader
from brain_pipelines.knowledge.pinned_inputs import pin_inputs
from brain_pipelines.knowledge.pinned_reader import PinnedReader
from brain_pipelines.knowledge.registry import SNAPSHOT_STAGES
from brain_retrieval.errors import StoreError
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake
from tests.pipelines.knowledge.test_pinned_inputs import store_row
from tests.pipelines.orchestration.snapshot_steps import DAY


def texts(bench, columns: list[str] | None = None, source: str | None = None) -> list[tuple]:
    with Catalog(bench.space()) as catalog:
        pinned = pin_inputs(bench.space(), bench.settings, catalog, DAY, SNAPSHOT_STAGES)
        reader = PinnedReader(bench.space(), bench.settings, catalog, DAY, pinned)
        return reader.read("text", columns or ["source", "source_id", "text"], source).rows()


def test_rows_in_memory_are_those_of_the_files(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[int] = []
    read = Lake.read_files
    monkeypatch.setattr(
        Lake, "read_files", lambda self, table, files, **more: reads.append(1) or read(self, table, files, **more)
    )
    store_row(bench, "text", "note", "peas", "2026-01-05")
    store_row(bench, "text", "note", "beans", "2026-01-07")
    store_row(bench, "text", "email", "leeks", "2026-01-06")
    expected = [("email", "leeks", "leeks"), ("note", "peas", "peas"), ("note", "beans", "beans")]
    assert texts(bench) == expected and texts(bench) == expected
    assert texts(bench, ["source_id", "source"]) == [(one, source) for source, one, _ in expected]
    assert len(reads) == 1
    assert texts(bench, source="note") == expected[1:] and texts(bench) == expected
    store_row(bench, "text", "note", "kale", "2026-01-05")
    assert texts(bench) == [expected[0], ("note", "kale", "kale"), expected[2]]
    monkeypatch.setattr(pinned_reader, "KEPT_BYTES", 0)  # nothing fits
    reads.clear()
    assert texts(bench) and texts(bench) and len(reads) == 1  # the first one is still from memory


def test_a_damaged_or_missing_file_is_noticed_after_its_rows_were_read(bench) -> None:
    store_row(bench, "text", "note", "peas")
    assert texts(bench)
    [path] = bench.space().lake.rglob("*.parquet")
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(StoreError, match="damaged"):
        texts(bench)
    path.unlink()
    with pytest.raises(StoreError, match="a lake file is missing"):
        texts(bench)
    path.write_bytes(content)
    assert texts(bench)
