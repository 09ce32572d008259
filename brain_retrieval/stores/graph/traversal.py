"""Store-independent graph queries: neighbours, shortest path, PageRank, subgraph.

A store provides links, nodes and edges by key; ranking, order and time limits are implemented here, so that all stores
give the same results.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.stores.graph.pagerank import personalised_pagerank
from brain_retrieval.stores.graph.paths import Way, strongest_way
from brain_retrieval.stores.graph.protocol import (
    EDGE_KINDS,
    MAX_HOPS,
    MAX_PATH,
    Direction,
    Edge,
    EdgeFilter,
    GraphUnavailableError,
    NearbyNode,
    Neighbourhood,
    Node,
    Path,
    RankedNode,
    Subgraph,
)


@dataclass(frozen=True)
class Link:
    """One step: from a key that was asked for (`near`) to the other end of an edge (`far`)."""

    edge: str
    near: str
    far: str
    confidence: float
    number: int = 0  # the store's own name of the edge, if it has one


class Deadline:
    """The deadline of one query."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def check(self) -> None:
        """Raise GraphUnavailableError if the time is up."""
        if time.monotonic() > self._end:
            raise GraphUnavailableError(f"the graph took longer than {self._seconds:g} s (graph.query_seconds)")


class Traversals(ABC):
    """Base class with the GraphStore queries that are built from lookups of links, nodes and edges."""

    query_seconds: float

    @abstractmethod
    def _links(self, keys: Sequence[str], edges: EdgeFilter) -> list[Link]:
        """Return every step from these keys over matching edges, without self-loops."""

    @abstractmethod
    def _nodes(self, keys: Sequence[str]) -> dict[str, Node]: ...

    @abstractmethod
    def _edges(self, numbers: Mapping[str, int]) -> dict[str, Edge]:
        """Return the edges of keys, which come with the `number` of their links."""

    def node(self, key: str) -> Node | None:
        """Return the node of a key, or None."""
        return self._nodes([key]).get(key)

    def neighbours(
        self,
        key: str,
        *,
        hops: int = 1,
        relations: Iterable[str] | None = None,
        kinds: Iterable[str] | None = None,
        direction: Direction = "both",
        as_of: datetime | None = None,
        known_at: datetime | None = None,
        min_confidence: float = 0.0,
        limit: int = 50,
    ) -> Neighbourhood | None:
        """Return up to `limit` nodes at most `hops` (1–3) steps away; None for an unknown key.

        Raises:
            InvalidQueryError: for an invalid number of hops or kind of edge.
        """
        _check("hops", hops, MAX_HOPS)
        edges = edge_filter(relations, kinds, direction, as_of, known_at, min_confidence)
        if (center := self.node(key)) is None:
            return None
        reached, walked = self._spread({key: 1.0}, hops, edges)
        best = sorted(((hop, -strength, far) for far, (hop, strength) in reached.items() if hop))[: max(limit, 0)]
        nodes = self._nodes([far for _, _, far in best])
        inside = {key, *nodes}
        between = self._edges(numbers(link for link in walked if link.near in inside and link.far in inside))
        neighbours = tuple(NearbyNode(nodes[far], hop, -minus) for hop, minus, far in best if far in nodes)
        return Neighbourhood(center, neighbours, by_confidence(between))

    def shortest_path(
        self,
        start: str,
        end: str,
        *,
        max_hops: int = 5,
        kinds: Iterable[str] | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
    ) -> Path | None:
        """Return the strongest shortest path, ignoring edge directions and negated facts.

        Ties are broken by the keys of nodes and edges. None if there is no path of at most `max_hops` (1–8) edges, or
        an end does not exist.
        """
        _check("max_hops", max_hops, MAX_PATH)
        edges = edge_filter(None, kinds, "both", as_of, known_at, 0.0, negated=False)
        if len(self._nodes([start, end])) < len({start, end}):
            return None
        deadline, seen = Deadline(self.query_seconds), dict[str, int]()

        def steps(keys: Sequence[str]) -> list[Link]:
            deadline.check()
            links = self._links(keys, edges)
            seen.update(numbers(links))
            return links

        way = strongest_way(start, end, max_hops, steps)
        return None if way is None else self._path(way, seen)

    def pagerank(
        self,
        seeds: Mapping[str, float],
        *,
        damping: float = 0.85,
        top_k: int = 20,
        max_depth: int = 3,
        kinds: Iterable[str] | None = None,
        as_of: datetime | None = None,
        known_at: datetime | None = None,
    ) -> list[RankedNode]:
        """Rank the nodes within `max_depth` (1–3) of the seeds by personalised PageRank, seeds included.

        Edges are followed in both directions, weighted by confidence; seeds without weight or node are ignored.
        """
        _check("max_depth", max_depth, MAX_HOPS)
        edges = edge_filter(None, kinds, "both", as_of, known_at, 0.0, negated=False)
        known = self._nodes(sorted(key for key, weight in seeds.items() if weight > 0))
        if not known:
            return []
        reached, walked = self._spread(dict.fromkeys(known, 1.0), max_depth, edges)
        weights = {link.edge: (link.near, link.far, link.confidence) for link in walked}
        scores = personalised_pagerank(sorted(reached), weights, {key: seeds[key] for key in known}, damping)
        best = sorted(((-score, key) for key, score in scores.items()))[: max(top_k, 0)]
        nodes = self._nodes([key for _, key in best])
        return [RankedNode(nodes[key], -minus) for minus, key in best if key in nodes]

    def subgraph(self, keys: Iterable[str]) -> Subgraph:
        """Return the nodes of these keys and the edges among them."""
        nodes = self._nodes(sorted(set(keys)))
        links = self._links(sorted(nodes), EdgeFilter(direction="out"))
        edges = self._edges(numbers(link for link in links if link.far in nodes))
        return Subgraph(tuple(nodes[key] for key in sorted(nodes)), by_confidence(edges))

    def _spread(
        self, starts: Mapping[str, float], hops: int, edges: EdgeFilter
    ) -> tuple[dict[str, tuple[int, float]], list[Link]]:
        """Return each node within `hops` with its hop and strength, and all traversed links."""
        deadline = Deadline(self.query_seconds)
        reached = {key: (0, strength) for key, strength in starts.items()}
        frontier, walked = sorted(starts), list[Link]()
        for hop in range(1, hops + 1):
            deadline.check()
            links = self._links(frontier, edges)
            walked += links
            level: dict[str, float] = {}
            for link in links:
                if link.far not in reached:
                    strength = reached[link.near][1] * link.confidence
                    level[link.far] = max(strength, level.get(link.far, 0.0))
            reached |= {key: (hop, strength) for key, strength in level.items()}
            frontier = sorted(level)
        return reached, walked

    def _path(self, way: Way, seen: Mapping[str, int]) -> Path:
        nodes, edges = self._nodes(way.nodes), self._edges({key: seen[key] for key in way.edges})
        return Path(tuple(nodes[k] for k in way.nodes), tuple(edges[k] for k in way.edges), way.strength)


def edge_filter(
    relations: Iterable[str] | None,
    kinds: Iterable[str] | None,
    direction: Direction,
    as_of: datetime | None,
    known_at: datetime | None,
    min_confidence: float,
    negated: bool = True,
) -> EdgeFilter:
    """Return a validated filter.

    Raises:
        InvalidQueryError: for an unknown kind or direction, or a time without a time zone.
    """
    chosen = None if kinds is None else frozenset(kinds)
    if chosen is not None and (unknown := sorted(chosen - set(EDGE_KINDS))):
        raise InvalidQueryError(f"no kind of edge is called {unknown[0]!r}; there are {', '.join(EDGE_KINDS)}")
    if direction not in ("out", "in", "both"):
        raise InvalidQueryError(f"direction must be out, in or both, not {direction!r}")
    for name, at in (("as_of", as_of), ("known_at", known_at)):
        if at is not None and at.tzinfo is None:
            raise InvalidQueryError(f"{name} needs a time zone")
    wanted = None if relations is None else frozenset(relations)
    return EdgeFilter(wanted, chosen, direction, as_of, known_at, min_confidence, negated)


def numbers(links: Iterable[Link]) -> dict[str, int]:
    """Return the number of each edge by its key."""
    return {link.edge: link.number for link in links}


def by_confidence(edges: Mapping[str, Edge]) -> tuple[Edge, ...]:
    """Return edges by confidence, then key."""
    return tuple(sorted(edges.values(), key=lambda edge: (-edge.confidence, edge.key)))


def _check(name: str, value: int, most: int) -> None:
    if not 1 <= value <= most:
        raise InvalidQueryError(f"{name} must be 1–{most}, not {value}")
