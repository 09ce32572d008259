"""kill -9 at every stage boundary and in the middle of every write; the next run must equal a clean one.

The victim is a real process that runs the real stages; it kills itself with SIGKILL, so nothing is cleaned up.
"""

import shutil
import signal
import subprocess
import sys

import pytest

from brain_retrieval.home import Home
from tests.pipelines.conftest import Bench

VICTIM = """
import os, signal, sys
from brain_pipelines.engine import writers
from brain_pipelines.engine.run_stage import materialize
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES
from brain_retrieval.home import Home
from brain_retrieval.settings import load_settings
from brain_retrieval.stores import lake, lake_files
from brain_retrieval.stores.catalog import Catalog
from pathlib import Path

home, target, moment = Path(sys.argv[1]), sys.argv[2], sys.argv[3]

def die(*_args, **_options):
    os.kill(os.getpid(), signal.SIGKILL)

def arm():
    if moment == "file-not-yet-known":      # the Parquet file is there, the catalog has not heard of it
        Catalog.swap_lake_files = die
    elif moment == "half-a-file":           # in the middle of writing the Parquet file
        from contextlib import contextmanager
        write = lake_files.writing
        @contextmanager
        def half(target):
            with write(target) as file:
                file.write(b"PAR1 half"); file.flush()
                die()
        lake_files.writing = half
    elif moment == "stored-not-recorded":   # the rows are in, the ledger is old
        Catalog.put_ledger = die
    elif moment == "index-not-active":      # the index is written, its switch is not
        writers.after_write = die

for stage in STAGES:
    if stage.name == target:
        arm()
    materialize(stage, SOURCES_BY_NAME["note"], Home(home).space("alice"), ["2026-01-05", "2026-01-06"],
                settings=load_settings(home), run_id="victim")
    if stage.name == target and moment == "boundary":
        die()
"""

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
    command = [sys.executable, "-W", "ignore", "-c", VICTIM, str(filled.home.path), stage, moment]
    killed = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert killed.returncode == -signal.SIGKILL, killed.stderr[-2000:]

    reports = filled.run()
    assert not any(r.failed for r in reports.values())
    assert filled.digests() == clean.digests()
    assert all(len(r.skipped) == 2 for r in filled.run().values())
