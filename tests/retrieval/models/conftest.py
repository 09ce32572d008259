"""A tiny model entry whose one file is 4 kB of text, for tests that need hashes and places but no real model."""

import hashlib
from collections.abc import Callable

import pytest

from brain_retrieval.models.weights.manifest import ModelEntry, ModelFile

WEIGHTS = b"weights " * 512

EntryMaker = Callable[..., ModelEntry]


@pytest.fixture
def make_entry() -> EntryMaker:
    """Return `make(*sources, data=WEIGHTS)`: an entry "tiny" whose file has the hash of `data`."""

    def make(*sources: str, data: bytes = WEIGHTS) -> ModelEntry:
        digest = hashlib.sha256(data).hexdigest()
        file = ModelFile(path="tiny.bin", sha256=digest, size=len(data), sources=sources)
        return ModelEntry(name="tiny", kind="embedder", title="t", licence="MIT", origin="tests", files=(file,))

    return make
