"""The strongest of the shortest ways between two nodes: breadth-first search from both ends, level by level."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol


class Step(Protocol):
    """What a link has that a way is made of."""

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
    """Keys of nodes from one end on, and of the edges between them."""

    strength: float
    nodes: tuple[str, ...]
    edges: tuple[str, ...]

    @property
    def rank(self) -> tuple[float, tuple[str, ...], tuple[str, ...]]:
        """What comes first is best."""
        # Products of the same factors in another order differ in the last digits.
        return (-round(self.strength, 12), self.nodes, self.edges)

    def extended(self, step: Step) -> "Way":
        return Way(self.strength * step.confidence, (*self.nodes, step.far), (*self.edges, step.edge))


def strongest_way(start: str, end: str, max_hops: int, steps: Callable[[Sequence[str]], Sequence[Step]]) -> Way | None:
    """Return the best way of the fewest hops, or None. `steps` returns the steps from any of some keys.

    The smaller side grows first. When the two first meet, every shortest way goes through a node that both have
    just reached, and each side knows its best way to it: the best way is made of the best halves.
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
