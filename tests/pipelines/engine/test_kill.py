"""kill -9 at every stage boundary and in the middle of every write; the next run must equal a clean one.

The victim is a real process that runs the real stages; it kills itself with SIGKILL, so nothing is cleaned up.
"""

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from brain_pipelines.engine import writers
from brain_pipelines.engine.run_stage import materialize
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES
from brain_retrieval.home import Home
from brain_retrieval.settings import load_settings
from brain_retrieval.stores import lake_files
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake_files import writing
from tests.pipelines.conftest import Bench
from tests.victims import run_until_killed


def die(*_args: object, **_options: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def half_a_file(target: Path) -> Iterator[None]:
    """Start a Parquet file as the lake does, and die in the middle of it."""
    with writing(target) as file:
        file.write(b"PAR1 half")
        file.flush()
        die()
        yield


def arm(moment: str) -> None:
    """Make this process, which is the victim, die at a moment of the stages that it runs."""
    if moment == "file-not-yet-known":  # the Parquet file is there, the catalog has not heard of it
        Catalog.swap_lake_files = die
    elif moment == "half-a-file":
        lake_files.writing = half_a_file
    elif moment == "stored-not-recorded":  # the rows are in, the ledger is old
        Catalog.put_ledger = die
    elif moment == "index-not-active":  # the index is written, its switch is not
        writers.after_write = die


def victim(home: Path, target: str, moment: str) -> None:
    for stage in STAGES:
        if stage.name == target:
            arm(moment)
        days, settings = ["2026-01-05", "2026-01-06"], load_settings(home)
        materialize(stage, SOURCES_BY_NAME["note"], Home(home).space("alice"), days, settings=settings, run_id="victim")
        if stage.name == target and moment == "boundary":
            die()


MOMENTS = [
    *((stage, "boundary") for stage in ("raw", "text", "chunks", "embeddings")),
    ("raw", "half-a-file"),
    ("text", "file-not-yet-known"),
    ("chunks", "stored-not-recorded"),
    ("embeddings", "index-not-active"),
    ("embeddings", "stored-not-recorded"),
    ("extractions", "file-not-yet-known"),
]


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A home whose days were run once, without an interruption."""
    bench = Bench(Home(tmp_path_factory.mktemp("clean") / "home"))
    for day in ("2026-01-05", "2026-01-06"):
        text = f"On {day} Alice Chen leads the redesign. Bob Smith maintains the library.\n"
        bench.land(bench.drop("alice", "note", f"{day}.md", text, day=day))
    bench.run()
    return bench


@pytest.fixture
def filled(bench: Bench, clean: Bench) -> Bench:
    """A copy of that home in which nothing was run yet."""
    shutil.copytree(clean.home.path, bench.home.path, dirs_exist_ok=True)
    bench.drop_derived()
    return bench


@pytest.mark.parametrize(("stage", "moment"), MOMENTS, ids=lambda v: str(v))
def test_rerun_after_kill_equals_clean_run(filled: Bench, clean: Bench, stage: str, moment: str) -> None:
    run_until_killed(victim, filled.home.path, stage, moment)

    reports = filled.run()
    assert not any(r.failed for r in reports.values())
    assert filled.digests() == clean.digests()
    assert all(len(r.skipped) == 2 for r in filled.run().values())
