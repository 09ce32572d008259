"""Short forms joined to the one entity that fits over the whole history; those that several fit are handed back."""

from collections.abc import Set
from dataclasses import dataclass

from brain_pipelines.knowledge.entities.candidate_links import COMPANY, company, sources_by_node
from brain_pipelines.knowledge.entities.clusters import Clusters, Link
from brain_pipelines.knowledge.entities.nodes import Names, Node
from brain_pipelines.knowledge.entities.short_forms import STAGES, Candidate, Wholes, stage_of

COMMON = 20  # sources from which on a short form is common,
FULL_RULES = ("nickname", "part_of_name")  # that can hold for two full names
THIN = 20  # and how many times rarer a whole name is that cannot claim it


@dataclass(frozen=True)
class Open:
    """A short form that several entities fit: the best candidate of each, by the root of its cluster."""

    node: int
    candidates: dict[int, Candidate]


def place(names: Names, clusters: Clusters, settled: Set[int], *, at_least: float) -> list[Open]:
    """Join every short form that exactly one entity fits; return those that more fit, in the order of the nodes.

    Nodes in `settled` (the owner's names, what the owner decided on) are somebody already.
    """
    wholes = Wholes(names)
    still_open: list[Open] = []
    by_stage: dict[str, list[int]] = {stage: [] for stage in STAGES}
    for i, node in enumerate(names.nodes):
        by_stage[stage_of(node)].append(i)
    together = Together(names, settled)
    for stage in STAGES:
        for i in by_stage[stage]:
            if i in settled or _is_somebody(i, clusters):
                continue
            fitting = _fitting(i, wholes, clusters, together, at_least)
            if len(fitting) == 1:
                _place_one(i, next(iter(fitting.values())), clusters, together)
            elif fitting:
                still_open.append(Open(i, fitting))
    return sorted(still_open, key=lambda item: item.node)


def _is_somebody(i: int, clusters: Clusters) -> bool:
    """Tell whether a part of a name is already of a whole name, or of a thing that a few sources took for a person."""
    nodes = clusters.nodes
    if nodes[i].person.kind in ("full", "none"):
        return False
    members = [nodes[n] for n in clusters.members(i) if n != i and not nodes[n].is_email]
    if any(node.person.kind == "full" for node in members):
        return True
    things = sum(node.weight for node in members if node.entity_class != "Person")
    return nodes[i].entity_class == "Person" and things > nodes[i].weight


class Together:
    """What sources say of two nodes; looked up only for the few pairs that ask. The owner is company for nobody."""

    def __init__(self, names: Names, settled: Set[int]) -> None:
        self._names = names
        self._settled = settled
        self._company: dict[int, set[int]] | None = None
        self._sources: dict[int, frozenset[str]] | None = None

    def recorded(self, whole: int, short: int) -> bool:
        """Tell whether a source says that both are one."""
        return (whole, short) in self._names.aliases

    def in_company(self, one: int, other: int) -> bool:
        """Tell whether two nodes are met with the same others. Only common parts of names and rare names are known."""
        if self._company is None:
            nodes = self._names.nodes
            most = max((n.sources for n in nodes if n.person.kind == "lone"), default=0)
            common = {i for i, n in enumerate(nodes) if n.person.kind != "full" and n.sources >= COMMON}
            rare = {i for i, n in enumerate(nodes) if n.person.kind == "full" and n.sources * THIN < most}
            self._company = company(self._names, {i for i in common if nodes[i].person.kind != "none"} | rare)
        shared = self._company.get(one, set()) & self._company.get(other, set())
        return len(shared - self._settled) >= COMPANY

    def count(self, one: int, other: int) -> int:
        """Return the number of sources that name both."""
        if self._sources is None:
            nodes = self._names.nodes
            acronyms = {i for i, n in enumerate(nodes) if n.entity_class != "Person" and n.display.isupper()}
            longer = {i for i, n in enumerate(nodes) if n.entity_class != "Person" and " " in n.name}
            self._sources = sources_by_node(self._names, acronyms | longer)
        return len(self._sources.get(one, frozenset()) & self._sources.get(other, frozenset()))


def _fitting(i: int, wholes: Wholes, clusters: Clusters, together: Together, at_least: float) -> dict[int, Candidate]:
    """Return the best candidate of each cluster that a node may join."""
    found: dict[int, Candidate] = {}
    nodes, own = wholes.nodes, clusters.root(i)
    for candidate in wholes.candidates(i):
        root = clusters.root(candidate.node)
        if root == own or candidate.score < at_least:
            if root == own:
                return {}
            continue
        if candidate.rule == "acronym" and not _is_acronym(i, candidate.node, nodes, together):
            continue
        held = found.get(root)
        if held is None or (-candidate.score, candidate.node) < (-held.score, held.node):
            found[root] = candidate
    return {root: c for root, c in found.items() if _allowed(i, c, clusters)}


def _is_acronym(short: int, whole: int, nodes: list[Node], together: Together) -> bool:
    both = nodes[short].type == nodes[whole].type == "Organization"
    return (both and len(nodes[short].name) >= 3) or together.count(short, whole) > 0


def _allowed(i: int, candidate: Candidate, clusters: Clusters) -> bool:
    link = _link(i, candidate, "")
    reason = clusters.objection(link)
    if reason:
        clusters.note(link, reason)
    return not reason


def _link(i: int, candidate: Candidate, reason: str) -> Link:
    # Only full names have source sets: a part of a name stands beside a whole one for many reasons.
    return Link(i, candidate.node, candidate.score, candidate.rule, reason, strict=candidate.rule in FULL_RULES)


def _place_one(i: int, candidate: Candidate, clusters: Clusters, together: Together) -> None:
    node = clusters.nodes[i]
    whole = clusters.sources_of(candidate.node)
    common = node.sources >= COMMON and whole * THIN < node.sources
    told = candidate.rule == "alias" or together.recorded(candidate.node, i)
    if common and not told and not together.in_company(i, candidate.node):
        clusters.note(_link(i, candidate, ""), f"{node.sources} sources against {whole}")
        return
    clusters.follow(_link(i, candidate, "the only one that fits"))
