"""What tests of every part may need: the directory of the default models, cheap garbage collection."""

import gc
import os
from pathlib import Path

import pytest

from brain_retrieval.errors import ModelMissingError
from brain_retrieval.models.weights.manifest import manifest
from brain_retrieval.models.weights.weights import locate
from brain_retrieval.settings import load_settings
from tests.samples.shared import ReadSample, reader_of_samples

# A test that lacks weights fails and says so; it does not fetch them. Those that test fetching say otherwise.
os.environ["BRAIN_OFFLINE"] = "1"


def pytest_collection_finish() -> None:
    """Take what the imports and the collected tests hold out of every later garbage collection."""
    gc.collect()
    gc.freeze()


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
    folder = tmp_path_factory.getbasetemp()
    folder = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "samples-read"
    folder.mkdir(exist_ok=True)
    return reader_of_samples(folder)
