"""The path through the stored graph between the two things that a question names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from brain_retrieval.home import Space
    from brain_retrieval.query.analysis.question import Question
    from brain_retrieval.settings import Settings
    from brain_retrieval.stores.graph.protocol import Edge, GraphStore, Path

MOST_HOPS = 4


@dataclass(frozen=True)
class Connection:
    """A path between two things: the names on the way, steps as sentences, and the product of their confidences."""

    names: tuple[str, ...]
    steps: tuple[str, ...]
    strength: float

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"names": list(self.names), "steps": list(self.steps), "strength": round(self.strength, 4)}


def connection(
    question: Question, space: Space, settings: Settings, *, as_of: datetime | None, known_at: datetime | None
) -> Connection | None:
    """Return the strongest shortest path between the first two entities of a question; None if there is none.

    A path of facts comes before one through sources and storylines that mention both.

    Raises:
        GraphUnavailableError: if the graph cannot be read.
    """
    from brain_retrieval.stores.graph.opening import open_graph

    ends = ends_of(question)
    if ends is None:
        return None
    graph = open_graph(space, settings)
    try:
        path = path_between(graph, *ends, as_of=as_of, known_at=known_at)
    finally:
        graph.close()
    if path is None:
        return None
    return Connection(tuple(node.name for node in path.nodes), tuple(steps_of(path)), path.strength)


def ends_of(question: Question) -> tuple[str, str] | None:
    """Return the ids of the first two different entities that a question names; None if it names fewer."""
    first = {one.name: one.entity_id for one in reversed(question.entities) if one.entity_id}
    named = [first[one.name] for one in question.entities if one.name in first]
    distinct = list(dict.fromkeys(named))
    return (distinct[0], distinct[1]) if len(distinct) > 1 else None


def path_between(
    graph: GraphStore,
    start: str,
    end: str,
    *,
    max_hops: int = MOST_HOPS,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
) -> Path | None:
    """Return the strongest shortest path of facts, else one through whatever mentions both."""
    from brain_retrieval.stores.graph.protocol import FACT_KINDS

    for kinds in (FACT_KINDS, None):
        found = graph.shortest_path(start, end, max_hops=max_hops, kinds=kinds, as_of=as_of, known_at=known_at)
        if found is not None:
            return found
    return None


def steps_of(path: Path) -> list[str]:
    """Return each step as a sentence: `Pål Eide — take delivery in → Ålesund`."""
    names = {node.key: node.name for node in path.nodes}
    return [f"{names[edge.start]} — {said(edge)} → {names[edge.end]}" for edge in path.edges]


def said(edge: Edge) -> str:
    """Return what an edge says, in words."""
    return str(edge.properties.get("predicate") or edge.relation).replace("_", " ").lower()
