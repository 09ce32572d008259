"""Random graphs: what the embedded graph answers is what a plain search of all its edges finds."""

import itertools
import math
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from brain_retrieval.home import Home
from brain_retrieval.stores.graph.embedded import EmbeddedGraph
from brain_retrieval.stores.graph.protocol import FACT_KINDS, Direction
from brain_retrieval.stores.graph.rows import EdgeRow
from tests.retrieval.stores.graph.snapshots import day
from tests.retrieval.stores.graph.test_graph_alike import random_story

SEEDS = range(6)
Step = tuple[str, str, EdgeRow]


@pytest.fixture(scope="module", params=SEEDS)
def graph(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedGraph]:
    with_graph = EmbeddedGraph(Home(tmp_path_factory.mktemp("home")).space("random").create())
    with_graph.publish(random_story(request.param).snapshot())
    yield with_graph
    with_graph.close()


@pytest.fixture(scope="module")
def edges(graph: EmbeddedGraph) -> list[EdgeRow]:
    return [edge for edge in graph._load().edges.values() if edge.start != edge.end]


def holds(edge: EdgeRow, at: float | None, known: float | None) -> bool:
    """Return whether an edge holds on a day of the story, as known on another."""
    if known is not None and edge.known_from is not None and edge.known_from > day(known):
        return False
    if at is None:
        return True
    ended = edge.properties.get("ended_known_from")
    over = edge.valid_to is not None and edge.valid_to <= day(at)
    late = known is not None and ended is not None and ended > day(known)
    return (edge.valid_from is None or edge.valid_from <= day(at)) and (late or not over)


def steps(edges: list[EdgeRow], direction: Direction = "both") -> dict[str, list[Step]]:
    found: defaultdict[str, list[Step]] = defaultdict(list)
    for edge in edges:
        if direction != "in":
            found[edge.start].append((edge.start, edge.end, edge))
        if direction != "out":
            found[edge.end].append((edge.end, edge.start, edge))
    return found


@pytest.mark.parametrize("turn", range(4))
def test_neighbours_equal_reference_breadth_first_search(graph: EmbeddedGraph, edges: list[EdgeRow], turn: int) -> None:
    rng = random.Random(turn)
    at, known = rng.choice([None, 3, 9]), rng.choice([None, 2, 12])
    direction: Direction = rng.choice(["out", "in", "both"])
    kinds = rng.choice([None, FACT_KINDS, ("mentions",)])
    start = rng.choice(sorted({edge.start for edge in edges}))
    counted = steps([e for e in edges if holds(e, at, known) and (kinds is None or e.kind in kinds)], direction)
    level, seen = {start: 1.0}, {start}
    expected: list[tuple[int, float, str]] = []
    for hop in (1, 2, 3):
        after: defaultdict[str, float] = defaultdict(float)
        for near, strength in level.items():
            for _, far, edge in counted[near]:
                if far not in seen:
                    after[far] = max(after[far], strength * edge.confidence)
        seen |= set(after)
        level = dict(after)
        expected += [(hop, -strength, key) for key, strength in level.items()]
    as_of, known_at = (None if number is None else day(number) for number in (at, known))
    found = graph.neighbours(
        start, hops=3, kinds=kinds, direction=direction, limit=1000, as_of=as_of, known_at=known_at
    )
    assert found
    assert [(n.hops, -n.strength, n.node.key) for n in found.neighbours] == sorted(expected)


@pytest.mark.parametrize("turn", range(4))
def test_shortest_path_equals_reference_enumeration(graph: EmbeddedGraph, edges: list[EdgeRow], turn: int) -> None:
    counted = steps([e for e in edges if e.kind in FACT_KINDS and e.properties.get("polarity") != "negated"])
    start, end = random.Random(turn).sample(sorted(counted), 2)
    ways: list[tuple[Step, ...]] = [()]
    for _ in range(4):
        # Every walk of one step more that visits no node twice.
        ways = [
            (*way, step)
            for way in ways
            for step in counted[way[-1][1] if way else start]
            if step[1] not in {start, *(far for _, far, _ in way)}
        ]
        if arrived := [way for way in ways if way[-1][1] == end]:
            best = max(math.prod(edge.confidence for _, _, edge in way) for way in arrived)
            found = graph.shortest_path(start, end, kinds=FACT_KINDS, max_hops=4)
            assert found
            assert (len(found.edges), found.strength) == (len(arrived[0]), pytest.approx(best))
            shown = zip(itertools.pairwise(found.nodes), found.edges, strict=True)
            assert all({a.key, b.key} == {edge.start, edge.end} for (a, b), edge in shown)
            return
    assert graph.shortest_path(start, end, kinds=FACT_KINDS, max_hops=4) is None


def test_pagerank_equals_reference_random_walk_with_restart(graph: EmbeddedGraph, edges: list[EdgeRow]) -> None:
    """Power iteration over the whole of what three steps reach."""
    counted = steps([e for e in edges if e.kind == "mentions"])
    seed = sorted(counted)[0]
    reach = {seed}
    for _ in range(3):
        reach |= {far for key in list(reach) for _, far, _ in counted[key]}
    inner = {seed}
    for _ in range(2):
        inner |= {far for key in list(inner) for _, far, _ in counted[key]}
    walked = [s for key in sorted(reach) for s in counted[key] if {s[0], s[1]} & inner and s[1] in reach]
    total: defaultdict[str, float] = defaultdict(float)
    for near, _, edge in walked:
        total[near] += edge.confidence
    rank = {seed: 1.0}
    for _ in range(300):
        after = defaultdict(float, {seed: 0.15})
        for near, far, edge in walked:
            after[far] += 0.85 * rank.get(near, 0.0) * edge.confidence / total[near]
        rank = dict(after)
    found = graph.pagerank({seed: 2.0}, kinds=["mentions"], top_k=1000)
    assert {r.node.key for r in found} == set(rank)
    assert all(r.score == pytest.approx(rank[r.node.key], abs=1e-7) for r in found)


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_in_any_order_make_the_same_graph(tmp_path: Path, seed: int) -> None:
    snapshot = random_story(seed).snapshot()
    shuffled = {name: table.sample(fraction=1, shuffle=True, seed=seed) for name, table in snapshot.items()}
    graphs = [EmbeddedGraph(Home(tmp_path).space(name).create()) for name in ("one", "other")]
    for graph, tables in zip(graphs, (snapshot, shuffled), strict=True):
        graph.user = "the same"
        graph.publish(tables)
    assert graphs[0].digest() == graphs[1].digest()
    assert graphs[0]._load() == graphs[1]._load()
