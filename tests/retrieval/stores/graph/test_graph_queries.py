"""What a published graph answers: neighbours, paths, ranks, names. The same tests run on both stores."""

from collections.abc import Callable, Iterable

import pytest

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.home import Space
from brain_retrieval.stores.graph.protocol import FACT_KINDS, GraphStore, Neighbourhood, Path
from tests.retrieval.stores.graph.snapshots import Said, Story, day, lisbon, source_id


@pytest.fixture(scope="module")
def graph(shared: GraphStore) -> GraphStore:
    return shared


@pytest.fixture(scope="module")
def story() -> Story:
    return lisbon()


@pytest.fixture
def empty(open_store: Callable[[Space], GraphStore], space: Space) -> GraphStore:
    return open_store(space)


def names(found: Neighbourhood | None) -> list[str]:
    assert found is not None
    return [neighbour.node.name for neighbour in found.neighbours]


def on_path(path: Path | None) -> list[str]:
    assert path is not None
    return [node.name for node in path.nodes]


def test_neighbours_come_by_hops_then_strength(graph: GraphStore, story: Story) -> None:
    found = graph.neighbours(story.id("Design system"), hops=2, kinds=FACT_KINDS)
    assert names(found)[:3] == ["Bob Stone", "Figma", "Accessibility"]
    assert found
    assert [n.hops for n in found.neighbours] == [1, 1, 1, 2, 2, 2]
    assert [round(n.strength, 4) for n in found.neighbours] == [0.95, 0.9, 0.8, 0.7125, 0.665, 0.48]
    assert [e.confidence for e in found.edges] == sorted((e.confidence for e in found.edges), reverse=True)
    third = graph.neighbours(story.id("Design system"), hops=3, kinds=FACT_KINDS)
    assert set(names(third)) - set(names(found)) == {"Alice", "Lisbon"}


def test_a_limit_keeps_the_nearest_and_the_edges_among_them(graph: GraphStore, story: Story) -> None:
    found = graph.neighbours(story.id("Design system"), hops=2, kinds=FACT_KINDS, limit=2)
    assert names(found) == ["Bob Stone", "Figma"]
    assert found
    assert {e.end for e in found.edges} == {story.id("Design system"), story.id("Figma")}
    assert names(graph.neighbours(story.id("Design system"), limit=0)) == []


@pytest.mark.parametrize(
    ("direction", "expected"), [("out", ["Bob Stone"]), ("in", ["Alice"]), ("both", ["Alice", "Bob Stone"])]
)
def test_direction_is_that_of_the_fact(graph: GraphStore, story: Story, direction, expected: list[str]) -> None:
    """Acme employs Bob: from the fact's subject to its object, although Neo4j draws Person to Entity."""
    assert names(graph.neighbours(story.id("Acme"), kinds=FACT_KINDS, direction=direction)) == expected


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (["mentions"], {"kickoff", "review", "tools"}),
        (["about", "rooted_in"], {"Design system - storyline", "Design system - macro"}),
        (["involves"], {"Accessibility"}),
        ([], set()),
    ],
)
def test_kinds_choose_the_edges(graph: GraphStore, story: Story, kinds: list[str], expected: set[str]) -> None:
    assert set(names(graph.neighbours(story.id("Design system"), kinds=kinds))) == expected


def test_relations_name_predicates_or_relations(graph: GraphStore, story: Story) -> None:
    key = story.id("Design system")
    assert names(graph.neighbours(key, relations=["uses"])) == ["Figma"]
    assert len(names(graph.neighbours(key, relations=["RELATED_TO"]))) == 3
    assert names(graph.neighbours(key, relations=iter(["about"]))) == ["Design system - storyline"]


def test_min_confidence_filters_edges(graph: GraphStore, story: Story) -> None:
    found = graph.neighbours(story.id("Design system"), hops=2, kinds=FACT_KINDS, min_confidence=0.8)
    assert names(found) == ["Bob Stone", "Figma", "Accessibility"]


def test_storylines_lead_to_sources_and_notes_to_where_they_were_added(graph: GraphStore, story: Story) -> None:
    (storyline,) = graph.find("Design system - storyline")
    assert set(names(graph.neighbours(storyline.key, kinds=["includes"]))) == {"kickoff", "review", "tools"}
    found = graph.neighbours(story.id("Bob Stone"), kinds=["HAS_NOTE", "ADDED_IN"], hops=2)
    assert names(found) == ["Prefers mornings.", "review"]


@pytest.mark.parametrize(
    ("at", "expected"),
    [(-1, False), (0, True), (19.9, True), (20, False), (30, False)],
)
def test_a_fact_holds_from_its_beginning_until_its_end(graph: GraphStore, story: Story, at: float, expected) -> None:
    found = graph.neighbours(story.id("Alice"), relations=["works at"], as_of=day(at))
    assert (names(found) == ["Acme"]) is expected


@pytest.mark.parametrize(
    ("known", "expected"),
    [(0.4, []), (0.5, ["Acme"]), (24.9, ["Acme"]), (25, [])],
)
def test_known_at_hides_later_knowledge(graph: GraphStore, story: Story, known: float, expected) -> None:
    """The job ended on day 20, but Brain learnt so on day 25."""
    found = graph.neighbours(story.id("Alice"), relations=["works at"], as_of=day(22), known_at=day(known))
    assert names(found) == expected


def test_mentions_are_known_when_their_source_was(graph: GraphStore, story: Story) -> None:
    key = story.id("Design system")
    assert names(graph.neighbours(key, kinds=["mentions"], known_at=day(4))) == ["kickoff", "review"] or set(
        names(graph.neighbours(key, kinds=["mentions"], known_at=day(4)))
    ) == {"kickoff", "review"}
    assert set(names(graph.neighbours(key, kinds=["mentions"], as_of=day(2)))) == {"kickoff"}


def test_the_shortest_path_is_the_strongest_of_its_length(graph: GraphStore, story: Story) -> None:
    path = graph.shortest_path(story.id("Alice"), story.id("Typography"), kinds=FACT_KINDS)
    assert on_path(path) == ["Alice", "Acme", "Bob Stone", "Design system", "Accessibility", "Typography"]
    assert path
    assert path.strength == pytest.approx(0.9 * 0.7 * 0.95 * 0.8 * 0.6)
    assert len(path.edges) == 5
    back = graph.shortest_path(story.id("Typography"), story.id("Alice"), kinds=FACT_KINDS)
    assert back
    assert back.nodes == path.nodes[::-1]
    assert back.edges == path.edges[::-1]
    assert on_path(graph.shortest_path(story.id("Alice"), story.id("Priya"))) == ["Alice", "trip", "Priya"]


def test_no_path_is_longer_than_asked_or_leads_over_denied_facts(graph: GraphStore, story: Story) -> None:
    alice, typography = story.id("Alice"), story.id("Typography")
    assert graph.shortest_path(alice, typography, kinds=FACT_KINDS, max_hops=4) is None
    assert graph.shortest_path(story.id("Priya"), story.id("Lisbon"), kinds=["associated_with"], max_hops=1) is None
    assert graph.shortest_path(alice, "entity_unknown") is None
    assert on_path(graph.shortest_path(alice, alice)) == ["Alice"]
    assert graph.shortest_path(alice, typography, kinds=FACT_KINDS, as_of=day(30)) is None


def test_stronger_of_two_paths_of_equal_length_wins(empty: GraphStore) -> None:
    types = dict.fromkeys("ABCDE", "Tool")
    facts = [
        Said("A", "p", "B", ("s",), 0.9),
        Said("B", "p", "D", ("s",), 0.4),
        Said("A", "p", "C", ("s",), 0.7),
        Said("C", "p", "D", ("s",), 0.8),
        Said("C", "q", "D", ("s",), 0.85),
        Said("D", "p", "E", ("s",), 0.5),
    ]
    story = Story(types, {"s": (0, list(types))}, facts)
    empty.publish(story.snapshot())
    path = empty.shortest_path(story.id("A"), story.id("E"), kinds=FACT_KINDS)
    assert on_path(path) == ["A", "C", "D", "E"]
    assert path
    assert path.strength == pytest.approx(0.7 * 0.85 * 0.5)


def test_pagerank_is_limited_to_max_depth(graph: GraphStore, story: Story) -> None:
    ranked = graph.pagerank({story.id("Figma"): 1.0, "entity_unknown": 5.0}, kinds=FACT_KINDS)
    assert [r.node.name for r in ranked[:2]] == ["Design system", "Figma"]
    assert sum(r.score for r in ranked) == pytest.approx(1)
    assert "Alice" not in [r.node.name for r in graph.pagerank({story.id("Figma"): 1}, kinds=FACT_KINDS, max_depth=2)]
    far = graph.pagerank({story.id("Figma"): 1, story.id("Alice"): 3}, kinds=FACT_KINDS, top_k=2)
    assert [r.node.name for r in far] == ["Alice", "Acme"] or [r.node.name for r in far] == ["Acme", "Alice"]
    assert graph.pagerank({"entity_unknown": 1.0}) == []
    assert graph.pagerank({story.id("Alice"): 0.0}) == []


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("bob  STONE", {}, ["Bob Stone"]),
        ("bob", {}, []),
        ("bob", {"prefix": True}, ["Bob Stone"]),
        ("design", {"prefix": True, "kinds": ["storyline"]}, ["Design system - storyline"]),
        ("a", {"prefix": True, "limit": 1}, ["Alice"]),
        ("", {"prefix": True}, []),
        ("%", {"prefix": True}, []),
    ],
)
def test_names_are_found(graph: GraphStore, story: Story, text: str, options: dict, expected: list[str]) -> None:
    assert [node.name for node in graph.find(text, **options)] == expected


def test_a_subgraph_holds_the_edges_among_its_nodes(graph: GraphStore, story: Story) -> None:
    keys: Iterable[str] = (key for key in (story.id("Priya"), story.id("Bob Stone"), source_id("review"), "nothing"))
    found = graph.subgraph(keys)
    assert [node.key for node in found.nodes] == sorted(node.key for node in found.nodes)
    assert {node.name for node in found.nodes} == {"Priya", "Bob Stone", "review"}
    assert sorted(edge.kind for edge in found.edges) == ["has_relationship_with", "mentions", "mentions"]


def test_self_loops_are_stored_but_not_traversed(empty: GraphStore) -> None:
    story = lisbon(facts=[Said("Acme", "owns", "Acme", ("kickoff",))])
    empty.publish(story.snapshot())
    assert empty.stats()["edge.connected_to"] == 1
    assert names(empty.neighbours(story.id("Acme"), kinds=FACT_KINDS)) == []


@pytest.mark.parametrize(
    "options",
    [{"hops": 0}, {"hops": 4}, {"kinds": ["knows"]}, {"direction": "up"}, {"as_of": day(0).replace(tzinfo=None)}],
)
def test_questions_that_cannot_be_answered_are_refused(graph: GraphStore, story: Story, options: dict) -> None:
    with pytest.raises(InvalidQueryError):
        graph.neighbours(story.id("Alice"), **options)
    with pytest.raises(InvalidQueryError):
        graph.shortest_path("a", "b", max_hops=9)
    assert graph.neighbours("entity_unknown") is None
