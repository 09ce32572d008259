"""Strongest shortest path between two nodes: bidirectional breadth-first search, level by level."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol


class Step(Protocol):
    """The attributes of a link that path search needs."""

    @property
    def edge(self) -> str: ...
    @property
    def near(self) -> str: ...
    @property
    def far(self) -> str: ...
    @property
    def confidence(self) -> float: ...


@dataclass(frozen=True)
class Way:
    """A path: the keys of its nodes, from one end on, and of the edges between them."""

    strength: float
    nodes: tuple[str, ...]
    edges: tuple[str, ...]

    @property
    def rank(self) -> tuple[float, tuple[str, ...], tuple[str, ...]]:
        """Sort key: the best path has the lowest rank."""
        # Products of the same factors in another order differ in the last digits.
        return (-round(self.strength, 12), self.nodes, self.edges)

    def extended(self, step: Step) -> "Way":
        return Way(self.strength * step.confidence, (*self.nodes, step.far), (*self.edges, step.edge))


def strongest_way(start: str, end: str, max_hops: int, steps: Callable[[Sequence[str]], Sequence[Step]]) -> Way | None:
    """Return the strongest path with the fewest hops, or None. `steps` returns the steps from any of the given keys.

    The smaller frontier is expanded first. When the frontiers meet, every shortest path goes through a node reached
    by both, and each side knows its best path to it, so the best path consists of the best halves.
    """
    if start == end:
        return Way(1.0, (start,), ())
    sides = [_Side(start), _Side(end)]
    for _ in range(max_hops):
        side, other = sorted(sides, key=lambda s: len(s.frontier))
        if not side.frontier:
            return None
        side.grow(steps)
        if meeting := sorted(side.frontier.keys() & other.ways.keys()):
            return min((_join(sides[0].ways[key], sides[1].ways[key]) for key in meeting), key=lambda way: way.rank)
    return None


class _Side:
    def __init__(self, key: str) -> None:
        self.ways = {key: Way(1.0, (key,), ())}
        self.frontier = dict(self.ways)

    def grow(self, steps: Callable[[Sequence[str]], Sequence[Step]]) -> None:
        level: dict[str, Way] = {}
        for step in steps(sorted(self.frontier)):
            if step.far in self.ways:
                continue
            way = self.frontier[step.near].extended(step)
            if step.far not in level or way.rank < level[step.far].rank:
                level[step.far] = way
        self.ways |= level
        self.frontier = level


def _join(left: Way, right: Way) -> Way:
    nodes = left.nodes + right.nodes[-2::-1]
    return Way(round(left.strength * right.strength, 12), nodes, left.edges + right.edges[::-1])
