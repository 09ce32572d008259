"""What tests of every part may need: default models, samples read once, cheap imports and garbage collection."""

import functools
import gc
import importlib
import os
import sys
from contextlib import suppress
from pathlib import Path

import hypothesis
import pytest
import typer.testing
from hypothesis.internal.conjecture import providers

from brain_retrieval.errors import ModelMissingError
from brain_retrieval.models.weights.manifest import manifest
from brain_retrieval.models.weights.weights import locate
from brain_retrieval.settings import load_settings
from tests.once import folder_of_run
from tests.paths import ROOT
from tests.samples.shared import ReadSample, reader_of_samples
from tests.scratch import write_into_memory

# A test that lacks weights fails and says so; it does not fetch them. Those that test fetching say otherwise.
os.environ["BRAIN_OFFLINE"] = "1"
# `make` names the instance of the checkout, and a test that opened it would write there.
os.environ.pop("DAGSTER_HOME", None)
write_into_memory()
# As in the Makefile: without bytecode on disk every process that a test starts compiles Dagster again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# The same few examples in every run: a change fails a test, chance does not. `--hypothesis-profile=search` draws
# others, and twice as many.
# Making and running examples takes long while other programs keep all cores busy; that says nothing about a test.
EXAMPLES = {"deadline": None, "suppress_health_check": [hypothesis.HealthCheck.too_slow]}
hypothesis.settings.register_profile("brain", derandomize=True, max_examples=50, **EXAMPLES)
hypothesis.settings.register_profile("search", **EXAMPLES)
hypothesis.settings.load_profile("brain")
# Constants of the modules that a process has loaded so far would make its examples differ from those of others, and
# reading all sources for them takes every process a second, the first one three.
providers._get_local_constants = lambda: providers._local_constants
# Typer would make all commands again for every command line that a test runs.
_MAKE = "_get_command"
setattr(typer.testing, _MAKE, functools.cache(getattr(typer.testing, _MAKE)))
# Files that take longest, to begin with: at the end a processor would wait for the last of them. Those that mostly wait
# for servers alternate with those that compute.
FIRST = (
    "tests/pipelines/cells/test_two_cells_run.py",
    "tests/test_regular_expressions.py",
    "tests/test_extending.py",
    "tests/pipelines/commands/test_supervisor.py",
    "tests/test_wheel.py",
    "tests/retrieval/stores/graph/test_graph_alike.py",
    "tests/pipelines/ingest/test_interrupt.py",
    "tests/test_architecture.py",
    "tests/test_stage_versions.py",
)
# After 700 new objects, as by default, a collection begins three thousand times in a minute and frees nothing. What is
# imported while the tests are collected stays: there is nothing to free.
gc.set_threshold(20_000, *gc.get_threshold()[1:])
gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Import one worker's share of the test modules first: its other modules then find the bytecode of the others.

    Workers start together and collect in the same order: in a fresh checkout each would compile every module.
    """
    number, workers = os.environ.get("PYTEST_XDIST_WORKER", ""), os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")
    if not number or session.config.args != session.config.getini("testpaths"):
        return
    modules = sorted(path.relative_to(ROOT).with_suffix("") for path in (ROOT / "tests").rglob("test_*.py"))
    for module in modules[int(number.removeprefix("gw")) :: int(workers)]:
        with suppress(Exception, pytest.skip.Exception):  # the collection imports it again and reports the error
            importlib.import_module(".".join(module.parts))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the longest files begin; the order of the others, and of the tests of a file, stays."""
    rank = {ROOT / name: number for number, name in enumerate(FIRST)}
    items.sort(key=lambda item: rank.get(item.path, len(rank)))


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Forget the instance that the tests of a file have opened: those of the next would write there."""
    if nextitem is None or nextitem.path != item.path:
        os.environ.pop("DAGSTER_HOME", None)


def pytest_collection_finish() -> None:
    """Take what the imports and the collected tests hold out of every later garbage collection."""
    gc.freeze()  # without a collection: of the little that it would free nothing is missed
    gc.enable()


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """The directory with the default models, verified; without them the test fails and says what to do."""
    directory = load_settings().models_dir
    try:
        for entry in manifest().values():
            if entry.default:
                locate(entry, directory)
    except ModelMissingError as error:
        pytest.fail(f"{error}. These tests use the real default models: run `make setup` once.", pytrace=False)
    return directory


@pytest.fixture(scope="session")
def read_sample(tmp_path_factory: pytest.TempPathFactory) -> ReadSample:
    """A function that reads a sample once in a run of the tests, whichever worker asks first."""
    folder = folder_of_run(tmp_path_factory) / "samples-read"
    folder.mkdir(exist_ok=True)
    return reader_of_samples(folder)
