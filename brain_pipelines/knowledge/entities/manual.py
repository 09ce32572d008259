"""Manual merge decisions of the owner as links and bans between nodes. They take precedence over every rule."""

from collections.abc import Sequence

from brain_pipelines.knowledge.decision import Decision
from brain_pipelines.knowledge.entities.clusters import Clusters, Link
from brain_pipelines.knowledge.entities.names import normalise
from brain_pipelines.knowledge.entities.nodes import Node
from brain_retrieval.knowledge.vocabulary import ENTITY_CLASSES


class NodeFinder:
    """Finds the node that a decision refers to, by id or by name."""

    def __init__(self, nodes: list[Node], owner_id: str, owner: int | None) -> None:
        self._by_id = {node.name_id: i for i, node in enumerate(nodes)}
        if owner is not None:
            self._by_id[owner_id] = owner
        self._by_name = {(node.entity_class, node.name): i for i, node in enumerate(nodes)}
        self._nodes = nodes

    def find(self, id_or_name: str) -> int | None:
        """Return the node of an id or a name, None if unknown; of several classes the one with most evidence."""
        if id_or_name in self._by_id:
            return self._by_id[id_or_name]
        keys = ((c, normalise(id_or_name, c)) for c in ENTITY_CLASSES)
        found = [self._by_name[key] for key in keys if key in self._by_name]
        return min(found, key=lambda i: (-self._nodes[i].weight, i), default=None)


def apply_manual_merges(decisions: Sequence[Decision], finder: NodeFinder, clusters: Clusters) -> int:
    """Apply decisions, newest first, so that a newer one restricts older ones; return how many name unknown nodes."""
    latest: dict[tuple[int, int], Decision] = {}
    lost = 0
    for decision in sorted(decisions, key=lambda d: (d.at, d.source_id, d.kind, d.left, d.right), reverse=True):
        left, right = finder.find(decision.left), finder.find(decision.right)
        if left is None or right is None:
            lost += 1
        elif left != right:
            latest.setdefault((min(left, right), max(left, right)), decision)
    for (left, right), decision in latest.items():
        link = Link(left, right, 1.0, "owner", f"decided on {decision.at:%Y-%m-%d}", decided_by="owner")
        if decision.kind == "merge":
            clusters.follow(link, force=True)
        elif clusters.root(left) != clusters.root(right):
            clusters.keep_apart(left, right)
            clusters.note(link, link.reason)
    return lost
