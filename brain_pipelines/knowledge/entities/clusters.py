"""Constrained clustering of names: a union-find that takes links one at a time, highest score first.

A link that would join contradicting names (or names that the owner keeps apart) is refused and its reason recorded, so
that a chain of pairwise links cannot join names that contradict each other.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from brain_pipelines.knowledge.entities.names import numbers
from brain_pipelines.knowledge.entities.nodes import Node
from brain_pipelines.knowledge.entities.people import PersonName
from brain_pipelines.knowledge.entities.similarity import agree

# Rules based on explicit statements of sources; differences between the names do not contradict them.
UNCONTRADICTED = ("same_name", "alias")


@dataclass(frozen=True)
class Link:
    """A scored reason to join two nodes; a `strict` link is refused if one source names both."""

    left: int
    right: int
    score: float
    rule: str
    reason: str
    strict: bool = False
    decided_by: str = "rule"


@dataclass(frozen=True)
class Refusal:
    """A refused link and the reason."""

    link: Link
    reason: str


class Clusters:
    """A partition of the nodes (union-find). `sources`: source ids of the nodes that take part in strict links."""

    def __init__(self, nodes: list[Node], sources: Mapping[int, frozenset[str]] | None = None) -> None:
        self.nodes = nodes
        self.accepted: list[Link] = []
        self.refused: list[Refusal] = []
        self._parent = list(range(len(nodes)))
        self._members: dict[int, list[int]] = {}
        self._people: dict[int, set[PersonName]] = {}
        self._apart: dict[int, set[int]] = {}
        self._sources = dict(sources or {})

    def root(self, node: int) -> int:
        """Return the representative node of the cluster."""
        while self._parent[node] != node:
            self._parent[node] = self._parent[self._parent[node]]
            node = self._parent[node]
        return node

    def members(self, node: int) -> list[int]:
        """Return the nodes of the cluster, sorted."""
        root = self.root(node)
        return self._members.get(root, [root])

    def sources_of(self, node: int) -> int:
        """Return the sum of the source counts of a cluster's names."""
        return sum(self.nodes[n].sources for n in self.members(node))

    def keep_apart(self, left: int, right: int) -> None:
        """Forbid that the clusters of two nodes are joined."""
        self._apart.setdefault(self.root(left), set()).add(right)
        self._apart.setdefault(self.root(right), set()).add(left)

    def follow(self, link: Link, *, force: bool = False) -> bool:
        """Join the clusters of a link, or record why not; `force` skips all checks except the owner's decisions."""
        left, right = self.root(link.left), self.root(link.right)
        if left == right:
            return True
        reason = self.objection(link, force=force)
        if reason:
            self.note(link, reason)
            return False
        self._join(left, right)
        self.accepted.append(link)
        return True

    @property
    def has_bans(self) -> bool:
        """Whether the owner keeps any names apart."""
        return bool(self._apart)

    def are_kept_apart(self, left: int, right: int) -> bool:
        """Return whether the owner keeps the clusters of two nodes apart."""
        return any(self.root(n) == self.root(right) for n in self._apart.get(self.root(left), ()))

    def are_together(self, left: int, right: int) -> bool:
        """Return whether one source names the clusters of both nodes, as far as their sources are known."""
        return bool(self._sources_of(self.root(left)) & self._sources_of(self.root(right)))

    def note(self, link: Link, reason: str) -> None:
        """Record a refused link."""
        self.refused.append(Refusal(link, reason))

    def objection(self, link: Link, *, force: bool = False) -> str:
        """Return why the clusters of a link must not be joined, "" if they may."""
        left, right = self.root(link.left), self.root(link.right)
        if self.are_kept_apart(left, right):
            return "the owner keeps them apart"
        if force:
            return ""
        if link.strict:
            shared = self._sources_of(left) & self._sources_of(right)
            if shared:
                return f"both are named in {len(shared)} source{'s' if len(shared) > 1 else ''}"
        return "" if link.rule in UNCONTRADICTED else self._contradiction(left, right)

    def _contradiction(self, left: int, right: int) -> str:
        # Every full name is compared with every other: pairwise links alone would let names drift along a chain.
        for one in sorted(self._full_names(left), key=repr):
            for other in sorted(self._full_names(right), key=repr):
                if not agree(one, other) and not agree(other, one):
                    return f"{one.given} {one.family} and {other.given} {other.family} are two names"
        genders = {self.nodes[n].person.gender for n in (*self.members(left), *self.members(right))}
        if {"m", "f"} <= genders:
            return "one is titled as a man, one as a woman"
        mine = {numbers(self.nodes[n].name) for n in self.members(left) if self.nodes[n].entity_class != "Person"}
        theirs = {numbers(self.nodes[n].name) for n in self.members(right) if self.nodes[n].entity_class != "Person"}
        emails = any(self.nodes[n].is_email for n in (*self.members(left), *self.members(right)))
        return "their numbers differ" if mine and theirs and mine != theirs and not emails else ""

    def _full_names(self, root: int) -> set[PersonName]:
        if root not in self._people:
            person = self.nodes[root].person
            self._people[root] = {person} if person.kind == "full" else set()
        return self._people[root]

    def _sources_of(self, root: int) -> frozenset[str]:
        return self._sources.get(root, frozenset())

    def _join(self, left: int, right: int) -> None:
        """Join two roots; the smaller index stays root, so that the result does not depend on the order of joins."""
        keep, drop = min(left, right), max(left, right)
        people = self._full_names(keep) | self._full_names(drop)
        members = sorted([*self.members(keep), *self.members(drop)])
        self._parent[drop] = keep
        self._people[keep], self._members[keep] = people, members
        self._members.pop(drop, None)
        self._apart.setdefault(keep, set()).update(self._apart.pop(drop, set()))
        if drop in self._sources:
            self._sources[keep] = self._sources_of(keep) | self._sources.pop(drop)
