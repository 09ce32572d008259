"""A Neo4j server that is away, or accepts and never answers: an error in time, and the embedded graph answers."""

import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing

import pytest
from pydantic import SecretStr

from brain_retrieval.home import Space
from brain_retrieval.settings import Settings
from brain_retrieval.settings.knowledge import GraphSettings
from brain_retrieval.stores.graph.embedded import EmbeddedGraph
from brain_retrieval.stores.graph.neo4j_store import Neo4jGraph
from brain_retrieval.stores.graph.opening import DegradingGraph, open_graph
from brain_retrieval.stores.graph.protocol import GraphStore, GraphUnavailableError
from tests.retrieval.stores.graph.snapshots import lisbon, source_id
from tests.servers.neo4j_launch import free_port


@pytest.fixture(params=["refused", "silent"])
def unreachable(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a closed port, and of a server that takes connections and says nothing."""
    if request.param == "refused":
        yield f"bolt://127.0.0.1:{free_port()}"
        return
    with socket.create_server(("127.0.0.1", 0)) as server:
        held: list[socket.socket] = []

        def hold() -> None:
            while True:
                try:
                    held.append(server.accept()[0])
                except OSError:
                    return

        threading.Thread(target=hold, daemon=True).start()
        yield f"bolt://127.0.0.1:{server.getsockname()[1]}"
        for connection in held:
            connection.close()


class NotAsked:
    """A graph that fails the test when it is asked."""

    def __getattr__(self, name: str) -> None:
        pytest.fail(f"{name} was asked for")


def settings_for(uri: str) -> Settings:
    graph = GraphSettings(
        provider="neo4j", uri=uri, password=SecretStr("not-shown"), connect_seconds=1, query_seconds=0.1,
        publish_seconds=0.1,
    )  # fmt: skip
    return Settings(graph=graph)


def test_a_server_that_does_not_answer_is_an_error_in_time(space: Space, unreachable: str) -> None:
    graph = Neo4jGraph(space, settings_for(unreachable).graph)
    began = time.monotonic()
    with pytest.raises(GraphUnavailableError, match=unreachable) as caught:
        graph.node("entity_x")
    assert time.monotonic() - began < 60
    assert "not-shown" not in str(caught.value)
    with pytest.raises(GraphUnavailableError):
        graph.publish({})


def test_reading_goes_on_embedded_with_a_warning(
    space: Space, unreachable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("brain_retrieval.stores.graph.opening.REST_SECONDS", 3600.0)
    story = lisbon()
    graph = open_graph(space, settings_for(unreachable))
    assert isinstance(graph, DegradingGraph) and isinstance(graph._second, EmbeddedGraph)
    graph._second.query_seconds = 60  # only the server must fail in time
    with pytest.raises(GraphUnavailableError):
        graph.publish(story.snapshot())
    alice, bob = story.id("Alice"), story.id("Bob Stone")
    embedded = EmbeddedGraph(space)
    assert graph.node(alice) == embedded.node(alice)
    assert unreachable in graph.warnings[0]
    graph._first = NotAsked()  # a server that has just failed is not asked at every question
    assert graph.find("bob stone") == embedded.find("bob stone")
    assert graph.neighbours(alice, kinds=iter(["mentions"])) == embedded.neighbours(alice, kinds=["mentions"])
    assert graph.shortest_path(alice, bob) == embedded.shortest_path(alice, bob)
    assert graph.pagerank({alice: 1}) == embedded.pagerank({alice: 1})
    assert graph.subgraph(iter([alice, bob])) == embedded.subgraph([alice, bob])
    assert graph.stats() == embedded.stats()


def test_deletion_failing_on_the_server_is_done_embedded_and_reported(space: Space, unreachable: str) -> None:
    graph = open_graph(space, settings_for(unreachable))
    EmbeddedGraph(space).publish(lisbon().snapshot())
    with pytest.raises(GraphUnavailableError):
        graph.delete_source(source_id("trip"))
    assert graph.node(source_id("trip")) is None


def test_wrong_password_error_does_not_contain_the_password(space: Space, neo4j_settings: GraphSettings) -> None:
    wrong = neo4j_settings.model_copy(update={"password": SecretStr("guess-guess")})
    with pytest.raises(GraphUnavailableError, match=r"Auth|Unauthorized") as caught:
        Neo4jGraph(space, wrong).stats()
    assert "guess" not in str(caught.value)


def test_slow_query_is_aborted(space: Space, neo4j_settings: GraphSettings) -> None:
    graph = Neo4jGraph(space, neo4j_settings.model_copy(update={"query_seconds": 0.3}))
    began = time.monotonic()
    with pytest.raises(GraphUnavailableError):
        graph._read("UNWIND range(1, 1000000000000) AS i WITH i WHERE i % 7 = 0 RETURN count(i)")
    assert time.monotonic() - began < 60


def test_slow_traversal_is_aborted(space: Space) -> None:
    graph = EmbeddedGraph(space)
    story = lisbon()
    graph.publish(story.snapshot())
    graph.query_seconds = 0.0
    with pytest.raises(GraphUnavailableError, match="query_seconds"):
        graph.neighbours(story.id("Alice"), hops=2)


def test_a_statement_that_takes_too_long_is_interrupted(space: Space) -> None:
    graph = EmbeddedGraph(space)
    story = lisbon()
    graph.publish(story.snapshot())
    graph.query_seconds = 0.2
    began = time.monotonic()
    with pytest.raises(GraphUnavailableError, match="query_seconds"):
        graph._ask("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
    assert time.monotonic() - began < 60
    graph.query_seconds = 60
    assert graph.neighbours(story.id("Alice"))


def test_a_file_of_another_layout_is_emptied_and_filled_again(space: Space) -> None:
    with closing(sqlite3.connect(space.root / "graph.sqlite")) as old:
        old.execute("CREATE TABLE node(key TEXT, surprise TEXT)")
        old.execute("INSERT INTO node VALUES ('a', 'b')")
        old.commit()
    graph = EmbeddedGraph(space)
    assert graph.stats() == {}
    assert graph.publish(lisbon().snapshot()).nodes_written == 18


def test_a_server_that_missed_a_publication_is_not_asked(space: Space, neo4j_settings: GraphSettings) -> None:
    before, after = lisbon(), lisbon(facts=(), notes={})
    graph = open_graph(space, Settings(graph=neo4j_settings))
    assert isinstance(graph, DegradingGraph)
    embedded = EmbeddedGraph(space)
    try:
        graph.publish(before.snapshot())
        assert "edge.HAS_NOTE" in graph.stats()
        assert graph.warnings == ()
        with pytest.raises(GraphUnavailableError):
            open_graph(space, settings_for(f"bolt://127.0.0.1:{free_port()}")).publish(after.snapshot())
        # The server answers still, but with the snapshot before.
        assert graph.stats() == embedded.stats()
        assert "edge.HAS_NOTE" not in graph.stats()
        assert "newest publication" in graph.warnings[0]
        graph.publish(after.snapshot())
        assert graph.stats() == embedded.stats()
        assert graph.warnings == ()
    finally:
        graph.delete_user()
        graph.close()


def test_interrupted_publication_is_not_used_until_completed(space: Space, neo4j_settings: GraphSettings) -> None:
    slow = neo4j_settings.model_copy(update={"batch_rows": 1, "publish_seconds": 0.15})
    graph, story = Neo4jGraph(space, neo4j_settings), lisbon()
    try:
        graph.publish(lisbon(facts=()).snapshot())
        published = graph.digest()
        assert published
        began = time.monotonic()
        with pytest.raises(GraphUnavailableError, match=r"publish_seconds|did not answer|cannot be used"):
            Neo4jGraph(space, slow).publish(story.snapshot())
        assert time.monotonic() - began < 60, "the time is that of the whole publication"
        graph.publish(story.snapshot())
        EmbeddedGraph(space).publish(story.snapshot())
        assert graph.digest() == EmbeddedGraph(space).digest() != published
        for source in ("trip", "kickoff"):
            graph.delete_source(source_id(source))
            EmbeddedGraph(space).delete_source(source_id(source))
            assert graph.digest() == EmbeddedGraph(space).digest()
        graph.delete_user()
        assert graph.digest() is None
    finally:
        graph.delete_user()
        graph.close()


def test_both_are_filled_and_the_server_answers(space: Space, neo4j_settings: GraphSettings) -> None:
    graph = open_graph(space, Settings(graph=neo4j_settings))
    story = lisbon()
    assert isinstance(graph, GraphStore)
    try:
        assert graph.publish(story.snapshot()).changes
        assert EmbeddedGraph(space).publish(story.snapshot()).changes == 0
        assert graph.node(story.id("Alice"))
        assert graph.warnings == ()  # type: ignore[attr-defined]
    finally:
        graph.delete_user()
        graph.close()


def test_the_embedded_graph_needs_no_other(space: Space) -> None:
    assert isinstance(open_graph(space, Settings()), EmbeddedGraph)
