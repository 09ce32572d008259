"""The finished partition of names into entities, with the id, canonical name and type of each entity."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from brain_pipelines.knowledge.entities.clusters import Clusters
from brain_pipelines.knowledge.entities.context import Choice
from brain_pipelines.knowledge.entities.nodes import Names, Node
from brain_pipelines.knowledge.entities.owner import owner_id
from brain_pipelines.stages.extraction.local.names.name_forms import type_by_ending
from brain_retrieval.knowledge.vocabulary import entity_class

_FULLNESS = {"full": 0, "none": 1, "initial": 2, "lone": 3, "address": 4}


@dataclass(frozen=True)
class Entity:
    """A cluster of nodes with its id, class, type and canonical name."""

    entity_id: str
    entity_class: str
    type: str
    head: int  # node of the canonical name
    is_owner: bool


@dataclass
class Partition:
    """The entity of each node, and the rows that context assigned to another entity (`choices`)."""

    names: Names
    clusters: Clusters
    choices: list[Choice]
    entities: dict[int, Entity]  # by root
    owner: int | None  # node of the owner's displayed name

    @classmethod
    def of(cls, names: Names, clusters: Clusters, choices: list[Choice], owner: int | None, user: str) -> "Partition":
        evidence = _evidence(names, clusters)
        entities: dict[int, Entity] = {}
        for root in sorted({clusters.root(i) for i in range(len(names.nodes))}):
            if owner is not None and clusters.root(owner) == root:
                entities[root] = Entity(owner_id(user), "Person", "Person", owner, True)
            else:
                entities[root] = _entity(clusters.members(root), names.nodes, evidence.get(root, {}))
        return cls(names, clusters, choices, entities, owner)

    def entity_of(self, node: int) -> Entity:
        return self.entities[self.clusters.root(node)]

    @cached_property
    def _rows(self) -> dict[int, int]:
        return dict(self.names.rows.group_by("node").len().iter_rows())

    @cached_property
    def _choices(self) -> dict[int, list[Choice]]:
        found: dict[int, list[Choice]] = {}
        for choice in self.choices:
            found.setdefault(choice.short, []).append(choice)
        return found

    def rows_of(self, node: int) -> int:
        """Return the number of rows of a node."""
        return self._rows.get(node, 0)

    def choices_of(self, node: int) -> list[Choice]:
        """Return the rows of an ambiguous short form that were decided by context."""
        return self._choices.get(node, [])

    def joined_by(self) -> dict[int, tuple[str, float]]:
        """Return by node the rule and the score (minimum along the path) that link it to its entity's head."""
        near: dict[int, list[tuple[int, str, float]]] = {}
        for link in self.clusters.accepted:
            near.setdefault(link.left, []).append((link.right, link.rule, link.score))
            near.setdefault(link.right, []).append((link.left, link.rule, link.score))
        found: dict[int, tuple[str, float]] = {}
        # Accepted links form a spanning tree of each cluster, so every node is reached by exactly one path.
        for entity in self.entities.values():
            start = "owner" if entity.is_owner else "same_name"
            found[entity.head] = (start, 1.0)
            waiting = [entity.head]
            while waiting:
                node = waiting.pop()
                for other, rule, score in near.get(node, ()):
                    if other not in found:
                        found[other] = ("owner" if entity.is_owner else rule, min(score, found[node][1]))
                        waiting.append(other)
        return found


def _evidence(names: Names, clusters: Clusters) -> dict[int, dict[str, int]]:
    """Return by root the weight of each type, the sum of confidence in thousandths."""
    roots = [clusters.root(i) for i in range(len(names.nodes))]
    named = names.rows.filter(~pl.col("node").is_in([i for i, n in enumerate(names.nodes) if n.is_email]))
    counted = named.group_by("node", "type").agg(
        (pl.col("confidence") * 1000).round().cast(pl.Int64).sum().alias("weight")
    )
    found: dict[int, dict[str, int]] = {}
    for node, kind, weight in counted.iter_rows():
        types = found.setdefault(roots[node], {})
        types[kind] = types.get(kind, 0) + weight
    return found


def _entity(members: list[int], nodes: list[Node], types: dict[str, int]) -> Entity:
    group = _class(members, nodes, types)
    own = [i for i in members if nodes[i].entity_class == group] or members
    head = min(own, key=lambda i: _rank(nodes[i]))
    fitting = {kind: weight for kind, weight in types.items() if entity_class(kind) == group}
    kind = min(fitting, key=lambda k: (-fitting[k], k)) if fitting else (group if group != "Entity" else "Tool")
    return Entity(nodes[head].name_id, nodes[head].entity_class, kind, head, False)


def _class(members: list[int], nodes: list[Node], types: dict[str, int]) -> str:
    weights: dict[str, int] = {}
    for kind, weight in types.items():
        weights[entity_class(kind)] = weights.get(entity_class(kind), 0) + weight
    present = {nodes[i].entity_class for i in members}
    if all(nodes[i].is_email for i in members):
        return "Concept"
    weights = {group: weight for group, weight in weights.items() if group in present}
    return min(weights, key=lambda c: (-weights[c], c)) if weights else min(present)


def _rank(node: Node) -> tuple[Any, ...]:
    """Return a sort key that puts the fullest and most frequent name first."""
    if node.is_email:
        fullness = 9
    elif node.entity_class == "Person":
        cut = node.person.kind == "full" and len(node.person.family) == 1  # "Alice C"
        fullness = _FULLNESS["initial" if cut else node.person.kind]
    else:
        whole = node.type == type_by_ending(node.display) == "Organization"  # "Oakdene Hospital", before "Oakdene"
        fullness = 0 if whole else 2 if node.display.isupper() and " " not in node.name else 1
    return (node.sources == 0, " - " in node.display, fullness, -node.sources, -len(node.name.split(" ")), node.name)


def shaped(frame: pl.DataFrame, schema: Any) -> pl.DataFrame:
    """Return the columns of a snapshot table, in order and cast to its types."""
    empty = pl.DataFrame(schema.empty_table())
    return frame.select(pl.col(name).cast(kind) for name, kind in empty.schema.items())
