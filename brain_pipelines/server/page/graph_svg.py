"""The neighbourhood of an entity as a drawing: positions and lines, computed here, written by a template."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from brain_retrieval.stores.graph.protocol import Edge, Neighbourhood

WIDTH, HEIGHT = 460, 430
LABEL_CHARS, RING = 19, 6  # characters of a name; neighbours that stand on one ring
KINDS = ("person", "entity", "concept")


@dataclass(frozen=True)
class Spot:
    """A neighbour in the drawing; its label stands below it."""

    key: str
    name: str
    label: str
    kind: str
    relation: str
    ended: bool
    x: float
    y: float


@dataclass(frozen=True)
class Line:
    """A line between two spots, or the centre and a spot."""

    x1: float
    y1: float
    x2: float
    y2: float
    ended: bool
    width: float


@dataclass(frozen=True)
class Drawing:
    """The whole drawing, in a box of WIDTH by HEIGHT."""

    name: str
    spots: Sequence[Spot]
    lines: Sequence[Line]
    x: float = WIDTH / 2
    y: float = HEIGHT / 2 - 14


def draw(found: Neighbourhood) -> Drawing:
    """Return the drawing of a neighbourhood; the nearest ones stand inside if there are many."""
    shown = [near.node for near in found.neighbours if near.node.kind in KINDS]
    own: dict[str, list[Edge]] = {}
    for edge in found.edges:
        for end, other in ((edge.start, edge.end), (edge.end, edge.start)):
            if other == found.center.key:
                own.setdefault(end, []).append(edge)
    spots = []
    for number, node in enumerate(shown):
        outer = len(shown) <= RING or number % 2 == 0
        angle = 2 * math.pi * number / len(shown) - math.pi / 2
        x = WIDTH / 2 + math.cos(angle) * WIDTH * (0.32 if outer else 0.24)
        y = HEIGHT / 2 - 14 + math.sin(angle) * HEIGHT * (0.41 if outer else 0.27)
        best = max(own.get(node.key, ()), key=_weight, default=None)
        label = node.name if len(node.name) <= LABEL_CHARS else node.name[: LABEL_CHARS - 1].rstrip() + "…"
        ended = best is not None and _is_over(best)
        spots.append(Spot(node.key, node.name, label, node.kind, _relation(best), ended, round(x, 1), round(y, 1)))
    return Drawing(found.center.name, spots, _lines(found, spots, own))


def _lines(found: Neighbourhood, spots: Sequence[Spot], own: dict[str, list[Edge]]) -> list[Line]:
    at = {spot.key: (spot.x, spot.y) for spot in spots}
    lines = [
        Line(WIDTH / 2, HEIGHT / 2 - 14, spot.x, spot.y, spot.ended, 1.2 + 0.5 * min(4, len(own.get(spot.key, ()))))
        for spot in spots
    ]
    pairs = {tuple(sorted((edge.start, edge.end))) for edge in found.edges if edge.start in at and edge.end in at}
    return [Line(*at[one], *at[other], ended=False, width=0.8) for one, other in sorted(pairs)] + lines


def _weight(edge: Edge) -> tuple[bool, float, str]:
    return not _is_over(edge), edge.confidence, edge.key


def _is_over(edge: Edge) -> bool:
    return edge.properties.get("status") in ("ended", "superseded")


def _relation(edge: Edge | None) -> str:
    if edge is None:
        return ""
    words = str(edge.properties.get("predicate") or edge.relation.replace("_", " ").lower())
    return f"not: {words}" if edge.properties.get("polarity") == "negated" else words
