"""Publishing: the graph becomes exactly what the tables say, and nothing is written that is there already."""

import dataclasses
from datetime import UTC, datetime

import polars as pl
import pytest

from brain_retrieval.knowledge.salience import salience_at
from brain_retrieval.stores.graph.protocol import GraphStore, PublishReport
from brain_retrieval.stores.graph.rows import GraphRows
from tests.retrieval.stores.graph.snapshots import Said, day, lisbon, source_id


def everything(graph: GraphStore) -> GraphRows:
    return graph._load()  # type: ignore[attr-defined]


def test_publishing_a_snapshot_twice_writes_nothing(graph: GraphStore) -> None:
    snapshot = lisbon().snapshot()
    first = graph.publish(snapshot)
    assert (first.nodes_written, first.edges_written, first.evidence_written) == (18, 35, 11)
    assert graph.publish(snapshot) == PublishReport()
    stats = graph.stats()
    assert stats["node.person"] == 3
    assert stats["edge.mentions"] == 17
    assert stats["edge.has_value"] == 1
    assert stats["evidence"] == 11
    assert list(stats) == sorted(stats)


def test_the_order_of_rows_does_not_matter(graph: GraphStore) -> None:
    snapshot = lisbon().snapshot()
    graph.publish(snapshot)
    before = everything(graph)
    shuffled = {name: table.sample(fraction=1, shuffle=True, seed=5) for name, table in snapshot.items()}
    assert graph.publish(shuffled) == PublishReport()
    assert everything(graph) == before


def test_publish_writes_only_changed_rows_and_removes_stale_ones(graph: GraphStore) -> None:
    story = lisbon()
    graph.publish(story.snapshot())
    facts = [said for said in story.facts if said.object != "Lisbon"]
    facts[0] = dataclasses.replace(facts[0], confidence=0.5)
    report = graph.publish(dataclasses.replace(story, facts=facts).snapshot())
    assert report == PublishReport(edges_written=1, edges_removed=2, evidence_written=1, evidence_removed=2)
    edge = graph.subgraph([story.id("Alice"), story.id("Acme")]).edges[0]
    assert edge.confidence == 0.5
    assert edge.end == story.id("Acme")


def test_another_publication_after_a_smaller_one_gives_the_same_graph(graph: GraphStore) -> None:
    story = lisbon()
    graph.publish(story.snapshot())
    before = everything(graph)
    graph.publish(lisbon(facts=(), storylines={}, notes={}).snapshot())
    assert "edge.about" not in graph.stats()
    graph.publish(story.snapshot())
    assert everything(graph) == before


def test_a_node_carries_what_the_schema_documents(graph: GraphStore, user: str) -> None:
    story, began = lisbon(), datetime.now(UTC)
    graph.publish(story.snapshot())
    node = graph.node(story.id("Alice"))
    assert node
    assert (node.kind, node.type, node.name, node.confidence) == ("person", "Person", "Alice", 1.0)
    properties = node.properties
    assert properties["is_owner"] is True
    assert properties["entity_key"] == node.key
    assert properties["created_by"] == user
    assert properties["canonical_name"] == "alice"
    assert properties["first_mentioned_at"] == day(0)
    days = {at.replace(hour=0, minute=0, second=0, microsecond=0) for at in (began, datetime.now(UTC))}
    assert properties["salience"] in {salience_at(0.7, day(1), 0.02, midnight) for midnight in days}
    assert (properties["anchor_salience"], properties["state"], properties["recall_frequency"]) == (0.7, "active", 3)
    assert properties["last_accessed_at"] == day(2)
    bare = graph.node(story.id("Bob Stone"))
    assert bare
    assert (bare.properties["salience"], bare.properties["state"]) == (0.5, "candidate")
    assert "last_accessed_at" not in bare.properties
    source = graph.node(source_id("trip"))
    assert source
    assert source.properties["processing_status"] == "extracted"
    assert source.properties["content_type"] == "text-note"
    assert source.properties["keywords"] == ["design"]
    assert "team_id" not in source.properties
    project = graph.node(story.id("Design system"))
    assert project
    assert project.properties["has_meso"] is True
    assert graph.node("entity_unknown") is None


def test_an_owner_without_salience_is_core(graph: GraphStore) -> None:
    story = lisbon(salience=False)
    graph.publish(story.snapshot())
    node = graph.node(story.id("Alice"))
    assert node
    assert (node.properties["salience"], node.properties["ttl_policy"]) == (1.0, "keep_forever")


def test_fact_edge_has_validity_and_evidence(graph: GraphStore) -> None:
    story = lisbon()
    graph.publish(story.snapshot())
    around = graph.neighbours(story.id("Alice"), relations=["works at"])
    assert around
    (edge,) = around.edges
    assert (edge.kind, edge.start, edge.end) == ("associated_with", story.id("Alice"), story.id("Acme"))
    assert (edge.valid_from, edge.valid_to, edge.known_from) == (day(0), day(20), day(0.5))
    assert edge.properties["source_ids"] == [source_id("kickoff")]
    assert edge.properties["ended_known_from"] == day(25)
    assert edge.properties["polarity"] == "affirmed"
    assert edge.properties["salience"] == 0.5


def test_dangling_edges_are_skipped_and_counted(graph: GraphStore) -> None:
    story = lisbon()
    snapshot = story.snapshot()
    known = snapshot["known_entities"].filter(pl.col("name") != "Figma")
    report = graph.publish({**snapshot, "known_entities": known})
    assert report.dangling == 2
    assert graph.node(story.id("Figma")) is None


def test_a_node_of_another_type_keeps_its_edges(graph: GraphStore) -> None:
    story = lisbon()
    snapshot = story.snapshot()
    graph.publish(snapshot)
    entities = snapshot["known_entities"].with_columns(
        pl.when(pl.col("name") == "Figma").then(pl.lit("Document")).otherwise(pl.col("type")).alias("type")
    )
    assert graph.publish({**snapshot, "known_entities": entities}).changes == 1
    around = graph.neighbours(story.id("Figma"))
    assert around
    assert around.center.type == "Document"
    assert len(around.neighbours) == 2


def test_the_tables_of_a_snapshot_are_taken_by_their_own_names(graph: GraphStore) -> None:
    snapshot = lisbon().snapshot()
    graph.publish(snapshot)
    assert graph.publish({"known_sources" if k == "sources" else k: v for k, v in snapshot.items()}).changes == 0


def test_an_empty_snapshot_empties_the_graph(graph: GraphStore) -> None:
    graph.publish(lisbon().snapshot())
    report = graph.publish({})
    assert (report.nodes_removed, report.edges_removed, report.evidence_removed) == (18, 35, 11)
    assert graph.stats() == {}


@pytest.mark.parametrize("text", ["Zürich \"quoted\" {brace} $user 'x' \\", "日本語 🙂", "a" * 3000])
def test_any_text_round_trips(graph: GraphStore, text: str) -> None:
    story = lisbon(facts=[Said("Alice", "says", text, ("trip",))])
    graph.publish(story.snapshot())
    around = graph.neighbours(story.id("Alice"), kinds=["has_value"])
    assert around
    assert [n.node.name for n in around.neighbours] == [text]


def test_delete_user_removes_every_row(graph: GraphStore) -> None:
    graph.publish(lisbon().snapshot())
    assert graph.delete_user().nodes_removed == 18
    assert graph.stats() == {}
    assert graph.delete_user() == PublishReport()
