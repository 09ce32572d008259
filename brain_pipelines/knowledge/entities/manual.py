"""What the owner decided about names, turned into links and bans on nodes. It wins over every rule."""

from collections.abc import Sequence

from brain_pipelines.knowledge.decision import Decision
from brain_pipelines.knowledge.entities.clusters import Clusters, Link
from brain_pipelines.knowledge.entities.names import normalise
from brain_pipelines.knowledge.entities.nodes import Node
from brain_retrieval.knowledge.vocabulary import ENTITY_CLASSES


class Wanted:
    """Finds the node that a decision speaks of, by id or by name."""

    def __init__(self, nodes: list[Node], owner_id: str, owner: int | None) -> None:
        self._by_id = {node.name_id: i for i, node in enumerate(nodes)}
        if owner is not None:
            self._by_id[owner_id] = owner
        self._by_name = {(node.entity_class, node.name): i for i, node in enumerate(nodes)}
        self._nodes = nodes

    def find(self, wanted: str) -> int | None:
        """Return the node of an id or a name; of one name in several classes the most evident."""
        if wanted in self._by_id:
            return self._by_id[wanted]
        keys = ((c, normalise(wanted, c)) for c in ENTITY_CLASSES)
        found = [self._by_name[key] for key in keys if key in self._by_name]
        return min(found, key=lambda i: (-self._nodes[i].weight, i), default=None)


def obey(decisions: Sequence[Decision], wanted: Wanted, clusters: Clusters) -> int:
    """Follow decisions, the newest first, as a newer one limits what an older may still do; return those not found."""
    latest: dict[tuple[int, int], Decision] = {}
    lost = 0
    for decision in sorted(decisions, key=lambda d: (d.at, d.source_id, d.kind, d.left, d.right), reverse=True):
        left, right = wanted.find(decision.left), wanted.find(decision.right)
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
