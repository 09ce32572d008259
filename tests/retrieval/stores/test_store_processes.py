"""Several processes on the stores of one user: concurrent writers, a reader among them, and writers that are killed."""

import random
import time
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from brain_retrieval.home import Home, Space
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.lance.lance_index import LanceIndex
from brain_retrieval.stores.lake import Lake
from brain_retrieval.stores.lake_compaction import collect_garbage
from tests.retrieval.stores.rows import DIM
from tests.retrieval.stores.test_lake import on_disk
from tests.retrieval.stores.writer import ROWS, write, write_rounds
from tests.victims import start

DAYS = ["2026-01-05", "2026-01-06", "2026-01-08"]

Marks = Callable[[Space], dict[str, list[str]]]


def start_writer(space: Space, store: str, source: str, prefix: str, rounds: int) -> tuple[BaseProcess, Path]:
    """Start a writer; return its process and the file that it makes after its first round."""
    wrote = space.home.with_name(f"{prefix}.wrote")
    return start(write_rounds, space.home, store, source, DAYS, prefix, rounds, wrote), wrote


def lake_marks(space: Space) -> dict[str, list[str]]:
    """Return source -> texts of its rows, as one read of the lake shows them."""
    with Catalog(space) as catalog:
        return by_source(Lake(space, catalog).read("chunks", columns=["source", "text"]).to_pylist())


def index_marks(space: Space) -> dict[str, list[str]]:
    """Return source -> texts of its rows, as one read of the index shows them."""
    return by_source(LanceIndex(space, model="test-model", dim=DIM).read(columns=["source", "text"]).to_pylist())


def by_source(rows: list[dict]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["source"], []).append(row["text"])
    return found


def assert_whole(marks: dict[str, list[str]]) -> None:
    """Each source shows all rows of exactly one round of one writer."""
    for source, texts in marks.items():
        assert len(set(texts)) == 1, f"torn: {source} shows {sorted(set(texts))}"
        assert len(texts) == ROWS * len(DAYS)


@pytest.mark.parametrize(("store", "marks", "rounds"), [("lake", lake_marks, 15), ("index", index_marks, 6)])
def test_concurrent_writers_and_a_reader(space: Space, store: str, marks: Marks, rounds: int) -> None:
    """Two writers on one partition and one on another, while this process reads without a lock."""
    jobs = [("note", "a"), ("note", "b"), ("mail", "c")]
    started = [start_writer(space, store, source, prefix, rounds) for source, prefix in jobs]
    writers = [writer for writer, _ in started]
    reads = 0
    while any(writer.is_alive() for writer in writers):
        assert_whole(marks(space))
        reads += all(wrote.exists() for _, wrote in started) or reads > 3
        if reads == 4:  # all of them write: each may end
            for _, wrote in started:
                wrote.unlink(missing_ok=True)
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    assert reads > 3
    final = marks(space)
    assert_whole(final)
    last = rounds - 1
    assert set(final["note"]) <= {f"budget a{last}", f"budget b{last}"}
    assert set(final["mail"]) == {f"budget c{last}"}


def test_rerun_after_kill_equals_clean_run(space: Space, tmp_path: Path) -> None:
    delays = random.Random(7)
    for number in range(6):
        writer, wrote = start_writer(space, "both", "note", f"k{number}-", 0)
        while not wrote.exists():
            assert writer.is_alive()
            time.sleep(0.01)
        time.sleep(delays.uniform(0, 0.15))
        writer.kill()
        writer.join()
        assert_whole(lake_marks(space))
        assert_whole(index_marks(space))
    clean = Home(tmp_path / "clean").space("alice").create()
    for target in (space, clean):
        write(target, "both", "note", DAYS, "final")
    assert digests(space) == digests(clean)
    with Catalog(space) as catalog:
        collect_garbage(Lake(space, catalog), now=time.time() + 3601)
        current = {file.path for file in catalog.lake_files()}
    assert {path.relative_to(space.lake).as_posix() for path in on_disk(space)} == current


def digests(space: Space) -> tuple[dict, str]:
    with Catalog(space) as catalog:
        lake = Lake(space, catalog)
        assert lake.verify() == {}
        return lake.digest(), LanceIndex(space, model="test-model", dim=DIM).digest()
