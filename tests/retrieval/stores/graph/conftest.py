"""The two stores the graph tests run on. The Neo4j one needs a running server and says what to do without it."""

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from brain_retrieval.home import Home, Space
from brain_retrieval.settings.knowledge import GraphSettings
from brain_retrieval.stores.graph.embedded import EmbeddedGraph
from brain_retrieval.stores.graph.neo4j_store import Neo4jGraph
from brain_retrieval.stores.graph.protocol import GraphStore
from tests.retrieval.stores.graph.snapshots import lisbon
from tests.servers import neo4j

REASON = "no Neo4j server is running; `make neo4j-start` starts one (it needs Java 17 and Maven)"


@pytest.fixture
def user(request: pytest.FixtureRequest) -> str:
    """A user of this test alone: all tests share one server."""
    name = f"{request.node.nodeid}-{os.environ.get('PYTEST_XDIST_WORKER', '')}"
    return "t-" + hashlib.sha256(name.encode()).hexdigest()[:20]


@pytest.fixture
def space(tmp_path: Path, user: str) -> Space:
    return Home(tmp_path / "home").space(user).create()


@pytest.fixture(scope="session")
def neo4j_settings() -> GraphSettings:
    server = neo4j.running()
    if server is None:
        if os.environ.get("BRAIN_TEST_NEO4J") == "required":
            pytest.fail(REASON, pytrace=False)
        pytest.skip(REASON)
    # A server that has just started takes its time for the first statements of each shape.
    return GraphSettings(
        provider="neo4j", uri=server.uri, user=server.user, password=SecretStr(server.password), query_seconds=60
    )


@pytest.fixture(params=["embedded", "neo4j"], scope="session")
def provider(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def open_store(provider: str, request: pytest.FixtureRequest) -> Iterator[Callable[[Space], GraphStore]]:
    """Opens the graph of any user in the store the test runs on; everything is removed afterwards."""
    opened: list[GraphStore] = []

    def open_one(space: Space) -> GraphStore:
        if provider == "embedded":
            opened.append(EmbeddedGraph(space))
        else:
            opened.append(Neo4jGraph(space, request.getfixturevalue("neo4j_settings")))
        return opened[-1]

    yield open_one
    for store in opened:
        store.delete_user()
        store.close()


@pytest.fixture
def graph(open_store: Callable[[Space], GraphStore], space: Space) -> GraphStore:
    return open_store(space)


@pytest.fixture(scope="module")
def shared(
    provider: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[GraphStore]:
    """The story of `lisbon`, published once for all tests of a module that only read it."""
    name = hashlib.sha256(f"{request.node.nodeid}-{os.environ.get('PYTEST_XDIST_WORKER', '')}".encode()).hexdigest()
    space = Home(tmp_path_factory.mktemp("home")).space(f"t-{name[:20]}").create()
    store: GraphStore
    if provider == "embedded":
        store = EmbeddedGraph(space)
    else:
        store = Neo4jGraph(space, request.getfixturevalue("neo4j_settings"))
    store.publish(lisbon().snapshot())
    yield store
    store.delete_user()
    store.close()
