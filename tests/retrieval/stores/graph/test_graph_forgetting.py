"""Deleting a source gives the same graph as if the source had never been added."""

import dataclasses

import pytest

from brain_retrieval.stores.graph.protocol import GraphStore, PublishReport
from brain_retrieval.stores.graph.rows import GraphRows
from tests.retrieval.stores.graph.snapshots import Said, Story, day, lisbon, source_id

# Texts made of several sources are dropped, and what holds them says so, until the next snapshot.
TEXTS = ("description", "description_from", "cited_source_ids", "evidence_hash", "is_dirty")


def rows(graph: GraphStore) -> GraphRows:
    """Return the whole graph, texts aside."""
    found = graph._load()  # type: ignore[attr-defined]
    for node in found.nodes.values():
        for name in TEXTS:
            node.properties.pop(name, None)
    return found


@pytest.mark.parametrize("source", ["kickoff", "review", "trip", "tools", "gossip"])
def test_graph_without_a_source_equals_one_built_without_it(graph: GraphStore, source: str) -> None:
    story = lisbon(derived=True)
    graph.publish(story.without(source).snapshot())
    expected = rows(graph)
    graph.publish(story.snapshot())
    assert rows(graph) != expected
    assert graph.delete_source(source_id(source)).changes > 0
    assert rows(graph) == expected
    assert graph.delete_source(source_id(source)) == PublishReport()


def test_sources_can_be_deleted_in_any_order(graph: GraphStore) -> None:
    story = lisbon(derived=True)
    left: list[GraphRows] = []
    for order in (["review", "trip", "kickoff"], ["kickoff", "trip", "review"]):
        graph.publish(story.snapshot())
        for source in order:
            graph.delete_source(source_id(source))
        left.append(rows(graph))
    assert left[0] == left[1]
    assert {node.name for node in left[0].nodes.values() if node.kind == "source"} == {"tools", "gossip"}


def test_fact_ended_by_a_deleted_source_is_current_again(graph: GraphStore) -> None:
    types = {"Alice": "Person", "Lisbon": "Location", "Berlin": "Location"}
    facts = [Said("Alice", "live in", "Berlin", ("old",)), Said("Alice", "live in", "Lisbon", ("new",))]
    sources = {"old": (0.0, ["Alice", "Berlin"]), "new": (9.0, ["Alice", "Lisbon"])}
    story = Story(types, sources, facts, derived=True)
    graph.publish(story.snapshot())
    before = graph.neighbours(story.id("Alice"), kinds=["associated_with"], as_of=day(20))
    assert before
    assert [n.node.name for n in before.neighbours] == ["Lisbon"]
    graph.delete_source(source_id("new"))
    after = graph.neighbours(story.id("Alice"), kinds=["associated_with"], as_of=day(20))
    assert after
    assert [n.node.name for n in after.neighbours] == ["Berlin"]
    assert after.edges[0].valid_to is None
    assert after.edges[0].properties["status"] == "current"
    assert graph.node(story.id("Lisbon")) is None


def test_summaries_that_cite_the_source_are_dropped(graph: GraphStore) -> None:
    story = lisbon(derived=True)
    graph.publish(story.snapshot())
    (storyline,) = graph.find("Design system - storyline")
    assert storyline.properties["description"] == "How Design system went."
    graph.delete_source(source_id("tools"))
    (storyline,) = graph.find("Design system - storyline")
    assert storyline.properties["description"] == ""
    assert storyline.properties["is_dirty"] is True
    assert storyline.properties["source_count"] == 2


def test_entity_gets_another_name_when_its_name_loses_support(graph: GraphStore) -> None:
    story = lisbon()
    snapshot = story.snapshot()
    import polars as pl

    members, entities = snapshot["entity_members"], snapshot["known_entities"]
    bobby = (pl.col("name") == "Bob Stone") & (pl.col("source_id") == source_id("review"))
    snapshot["entity_members"] = members.with_columns(
        pl.when(bobby).then(pl.lit("Bobby")).otherwise(pl.col("name")).alias("name")
    )
    snapshot["known_entities"] = entities.with_columns(
        pl.when(pl.col("name") == "Bob Stone").then(["Bobby"]).otherwise(pl.col("aliases")).alias("aliases")
    )
    graph.publish(snapshot)
    assert [n.key for n in graph.find("bobby")] == [story.id("Bob Stone")]
    graph.delete_source(source_id("kickoff"))
    node = graph.node(story.id("Bob Stone"))
    assert node
    assert (node.name, node.properties["canonical_name"]) == ("Bobby", "bobby")
    assert graph.find("bob stone") == []


def test_owner_remains_without_sources(graph: GraphStore) -> None:
    story = lisbon(derived=True, storylines={})
    graph.publish(story.snapshot())
    for source in story.sources:
        graph.delete_source(source_id(source))
    assert graph.stats() == {"node.person": 1}
    assert graph.find("Alice")[0].properties["is_owner"] is True


def test_shared_facts_keep_the_confidence_of_other_sources(graph: GraphStore) -> None:
    story = lisbon(derived=True)
    graph.publish(story.snapshot())
    graph.delete_source(source_id("kickoff"))
    found = graph.neighbours(story.id("Bob Stone"), relations=["leads"])
    assert found
    (edge,) = found.edges
    assert edge.properties["source_ids"] == [source_id("review")]
    assert edge.confidence == pytest.approx(0.95)


def test_evidence_without_a_published_fact_is_deleted_too(graph: GraphStore) -> None:
    story = dataclasses.replace(lisbon(), derived=False)
    graph.publish(story.snapshot())
    graph.delete_source(source_id("trip"))
    assert graph.stats()["evidence"] == 8
