"""Fixtures of the store tests: one user's empty stores in a temporary home."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from brain_retrieval.home import Home, Space
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.index.lance.lance_index import LanceIndex
from brain_retrieval.stores.lake import Lake
from tests.retrieval.stores.rows import DIM


@pytest.fixture
def space(tmp_path: Path) -> Space:
    return Home(tmp_path / "home").space("alice").create()


@pytest.fixture
def catalog(space: Space) -> Iterator[Catalog]:
    with Catalog(space) as opened:
        yield opened


@pytest.fixture
def lake(space: Space, catalog: Catalog) -> Lake:
    return Lake(space, catalog)


@pytest.fixture
def index(space: Space) -> LanceIndex:
    return LanceIndex(space, model="test-model", dim=DIM)
