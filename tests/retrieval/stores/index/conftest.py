"""Fixtures of the index tests: every store, empty, for one user."""

import pytest

from brain_retrieval.home import Space
from brain_retrieval.stores.index.build import STORES, OpensIndex
from brain_retrieval.stores.index.protocol import SearchIndex
from tests.retrieval.stores.index.exact_index import ExactIndex
from tests.retrieval.stores.rows import DIM


@pytest.fixture(scope="module", params=[*STORES.values(), ExactIndex], ids=lambda opens: opens.store)
def opens(request: pytest.FixtureRequest) -> OpensIndex:
    return request.param


@pytest.fixture
def index(opens: OpensIndex, space: Space) -> SearchIndex:
    return opens(space, model="test-model", dim=DIM)
