"""A store is bound to one user; what another has under the very same keys is out of reach, whatever is asked."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from brain_retrieval.home import Home, Space
from brain_retrieval.stores.graph import neo4j_publish, neo4j_store
from brain_retrieval.stores.graph.protocol import FACT_KINDS, GraphStore
from tests.retrieval.stores.graph.snapshots import Said, Story, lisbon, source_id

Stores = tuple[GraphStore, GraphStore]


@pytest.fixture
def both(open_store: Callable[[Space], GraphStore], space: Space, tmp_path: Path) -> Stores:
    """Two users of one home; the second has a graph, the first nothing but one node under a key of the second's."""
    mine = open_store(space)
    other = open_store(Home(tmp_path / "home").space(f"{space.user}-b").create())
    story = lisbon()
    other.publish(story.snapshot())
    mine.publish(Story({"Alice": "Person"}, {"mine": (0, ["Alice"])}).snapshot())
    return mine, other


def test_no_query_reaches_another_users_nodes(both: Stores) -> None:
    mine, _ = both
    story = lisbon()
    alice, bob, acme = story.id("Alice"), story.id("Bob Stone"), story.id("Acme")
    assert mine.node(bob) is None
    assert mine.neighbours(bob) is None
    around = mine.neighbours(alice, hops=3)
    assert around
    assert [n.node.key for n in around.neighbours] == [source_id("mine")]
    assert mine.neighbours(alice, kinds=FACT_KINDS).edges == ()  # type: ignore[union-attr]
    assert mine.shortest_path(alice, acme) is None
    assert mine.shortest_path(bob, acme) is None
    assert {r.node.key for r in mine.pagerank({alice: 1.0, bob: 9.0})} == {alice, source_id("mine")}
    assert [n.key for n in mine.subgraph([alice, bob, acme, *map(source_id, story.sources)]).nodes] == [alice]
    assert mine.find("b", prefix=True) == []
    assert mine.find("bob stone") == []
    assert mine.stats() == {"edge.mentions": 1, "node.person": 1, "node.source": 1}


def test_no_change_touches_another_users_nodes(both: Stores) -> None:
    mine, other = both
    before = other._load()  # type: ignore[attr-defined]
    assert mine.delete_source(source_id("kickoff")).changes == 0
    mine.publish(dataclasses.replace(lisbon(), facts=[Said("Alice", "owns", "Acme", ("trip",))]).snapshot())
    assert other._load() == before  # type: ignore[attr-defined]
    mine.delete_source(source_id("trip"))
    mine.delete_user()
    assert other._load() == before  # type: ignore[attr-defined]
    assert mine.stats() == {}


def statements() -> list[str]:
    found = [v for m in (neo4j_store, neo4j_publish) for v in vars(m).values() if isinstance(v, str) and "MATCH" in v]
    found += [v for v in vars(neo4j_publish).values() if isinstance(v, str) and "MERGE" in v and v not in found]
    return [text for text in found if not text.startswith(("The graph", "Making"))]


@pytest.mark.parametrize("text", statements(), ids=lambda text: " ".join(text.split())[:40])
def test_every_statement_names_the_user(text: str) -> None:
    """As many times as it looks for something by itself: no MATCH or MERGE without one."""
    looks = text.count("MATCH") + text.count("MERGE")
    assert text.count("$user") >= looks
