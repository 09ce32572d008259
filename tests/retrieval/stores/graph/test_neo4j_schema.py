"""What anyone's Cypher finds in Neo4j: the documented labels, relationships and their direction, constraints."""

from collections.abc import Iterator

import pytest

from brain_retrieval.home import Home
from brain_retrieval.settings.knowledge import GraphSettings
from brain_retrieval.stores.graph import neo4j_schema
from brain_retrieval.stores.graph.neo4j_store import Neo4jGraph
from tests.retrieval.stores.graph.snapshots import Story, lisbon


@pytest.fixture(scope="module")
def published(
    neo4j_settings: GraphSettings, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Neo4jGraph, Story]]:
    space = Home(tmp_path_factory.mktemp("home")).space("t-schema").create()
    graph, story = Neo4jGraph(space, neo4j_settings), lisbon()
    graph.publish(story.snapshot())
    yield graph, story
    graph.delete_user()
    graph.close()


def test_nodes_have_the_documented_labels(published: tuple[Neo4jGraph, Story]) -> None:
    graph, story = published
    query = "MATCH (n:Item {user_id: $user, key: $key}) RETURN labels(n)"
    assert set(graph._read(query, key=story.id("Alice"))[0][0]) == {"Item", "Person"}
    assert set(graph._read(query, key=story.id("Acme"))[0][0]) == {"Item", "Entity", "Organization"}


def test_relationships_run_the_way_the_classes_say(published: tuple[Neo4jGraph, Story]) -> None:
    graph, _ = published
    query = "MATCH (p:Person {user_id: $user})-[r:associated_with]->(e:Entity) RETURN count(r)"
    assert graph._read(query) == [[5]]
    (row,) = graph._read("MATCH ({user_id: $user})-[r {predicate: 'employs'}]->(e:Entity) RETURN r.inverted, e.name")
    assert row == [True, "Acme"]


def test_every_constraint_and_index_is_there(published: tuple[Neo4jGraph, Story]) -> None:
    graph, _ = published
    names = {name for (name,) in graph._read("SHOW INDEXES YIELD name")}
    assert set(neo4j_schema.statements()) <= names
