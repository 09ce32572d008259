"""Resolution of short forms ("Alice", "A. Chen", acronyms): each joins the only fitting entity of the whole history.

Short forms with several fitting entities are returned for disambiguation by context (`context.py`).
"""

from collections import defaultdict
from collections.abc import Set
from dataclasses import dataclass

import polars as pl

from brain_pipelines.knowledge.entities.candidate_links import COMPANY, cooccurring, sources_by_node
from brain_pipelines.knowledge.entities.clusters import Clusters, Link
from brain_pipelines.knowledge.entities.nodes import Names, Node
from brain_pipelines.knowledge.entities.short_forms import STAGES, Candidate, FullForms, stage_of
from brain_pipelines.knowledge.entities.similarity import agree
from brain_pipelines.stages.extraction.local.names.mention import FULL_NAME

COMMON = 20  # number of sources from which on a short form is common
THIN = 20  # a full name this many times rarer than a common short form cannot claim it without further evidence
FULL_RULES = ("nickname", "part_of_name")  # rules that can hold between two full names


@dataclass(frozen=True)
class AmbiguousForm:
    """A short form with several fitting entities: the best candidate of each, by the root of its cluster."""

    node: int
    candidates: dict[int, Candidate]


def resolve_short_forms(names: Names, clusters: Clusters, settled: Set[int], *, at_least: float) -> list[AmbiguousForm]:
    """Join every short form that fits exactly one entity; return the ambiguous ones in the order of the nodes.

    Args:
        names: all names.
        clusters: clusters of the full names; extended in place.
        settled: nodes that are already identified: the owner's names and manually merged names.
        at_least: minimum score of a candidate.
    """
    full_forms = FullForms(names)
    still_open: list[AmbiguousForm] = []
    by_stage: dict[str, list[int]] = {stage: [] for stage in STAGES}
    for i, node in enumerate(names.nodes):
        by_stage[stage_of(node)].append(i)
    cooccurrence = Cooccurrence(names, settled)
    for stage in STAGES:
        rivals = Rivals(by_stage[stage], full_forms, clusters, cooccurrence)
        for i in by_stage[stage]:
            if i in settled or _is_identified(i, clusters):
                continue
            fitting = _fitting(i, full_forms, clusters, cooccurrence, at_least)
            if len(fitting) == 1:
                [candidate] = fitting.values()
                if reason := _refusal(i, candidate, rivals, cooccurrence, names.nodes):
                    clusters.note(_link(i, candidate, ""), reason)
                else:
                    _join_candidate(i, candidate, clusters, cooccurrence)
            elif fitting:
                still_open.append(AmbiguousForm(i, fitting))
    return sorted(still_open, key=lambda item: item.node)


def _is_identified(i: int, clusters: Clusters) -> bool:
    """Return whether a partial name is already joined to a full name, or to a thing mistyped as a person."""
    nodes = clusters.nodes
    if nodes[i].person.kind in ("full", "none"):
        return False
    members = [nodes[n] for n in clusters.members(i) if n != i and not nodes[n].is_email]
    if any(node.person.kind == "full" for node in members):
        return True
    things = sum(node.weight for node in members if node.entity_class != "Person")
    return nodes[i].entity_class == "Person" and things > nodes[i].weight


class Cooccurrence:
    """Co-occurrence of nodes in sources, computed on first use. The owner's names do not count as co-occurring."""

    def __init__(self, names: Names, settled: Set[int]) -> None:
        self._names = names
        self._settled = settled
        self._company: dict[int, set[int]] | None = None
        self._sources: dict[int, frozenset[str]] | None = None
        self._met: dict[int, set[int]] = {}
        self._labelled: dict[int, set[str]] | None = None

    def both_speak(self, short: int, whole: int) -> bool:
        """Return whether a source has a short form as a speaker, beside the full name: "Jules" and "Julia Leung".

        A name of one word is as sure as a full name only where it is the label of who speaks.
        """
        if self._labelled is None:
            people = {i for i, n in enumerate(self._names.nodes) if n.person.kind in ("lone", "full")}
            rows = self._names.rows.filter((pl.col("confidence") >= FULL_NAME) & ~pl.col("by_alias"))
            self._labelled = defaultdict(set)
            for node, source in rows.select("node", "source_id").unique().iter_rows():
                if node in people:
                    self._labelled[node].add(source)
        return bool(self._labelled.get(short, set()) & self._labelled.get(whole, set()))

    def recorded(self, whole: int, short: int) -> bool:
        """Return whether a source records `short` as an alias of `whole`."""
        return (whole, short) in self._names.aliases

    def in_company(self, one: int, other: int) -> bool:
        """Return whether two nodes co-occur with at least COMPANY common names.

        Only common short forms and rare full names are indexed: no other pairs are asked for.
        """
        if self._company is None:
            nodes = self._names.nodes
            most = max((n.sources for n in nodes if n.person.kind == "lone"), default=0)
            common = {i for i, n in enumerate(nodes) if n.person.kind != "full" and n.sources >= COMMON}
            rare = {i for i, n in enumerate(nodes) if n.person.kind == "full" and n.sources * THIN < most}
            self._company = cooccurring(self._names, {i for i in common if nodes[i].person.kind != "none"} | rare)
        shared = self._company.get(one, set()) & self._company.get(other, set())
        return len(shared - self._settled) >= COMPANY

    def common(self, one: int, other: int) -> set[int]:
        """Return the names that co-occur with both."""
        for node in (one, other):
            if node not in self._met:
                self._met[node] = cooccurring(self._names, {node}).get(node, set())
        return (self._met[one] & self._met[other]) - self._settled

    def are_apart(self, one: int, other: int) -> bool:
        """Return whether two nodes are each named with others, but never together or with the same."""
        shared = self.common(one, other)
        mine, theirs = (self._met[node] - self._settled for node in (one, other))
        return bool(mine and theirs) and not shared and other not in mine

    def count(self, one: int, other: int) -> int:
        """Return the number of sources that name both."""
        if self._sources is None:
            nodes = self._names.nodes
            acronyms = {i for i, n in enumerate(nodes) if n.entity_class != "Person" and n.display.isupper()}
            longer = {i for i, n in enumerate(nodes) if n.entity_class != "Person" and " " in n.name}
            self._sources = sources_by_node(self._names, acronyms | longer)
        return len(self._sources.get(one, frozenset()) & self._sources.get(other, frozenset()))


class Rivals:
    """Short forms that contradict each other and fit one name: "Liz Carr" and "Beth Carr" of Elizabeth Carr.

    The one that has more names in common with the full name wins; without a difference none does.
    """

    def __init__(
        self, forms: list[int], full_forms: FullForms, clusters: Clusters, cooccurrence: "Cooccurrence"
    ) -> None:
        self._clusters = clusters
        self._cooccurrence = cooccurrence
        self._by_whole: dict[int, list[int]] = {}
        for i in forms:
            person = clusters.nodes[i].person
            # Only full and titled names can contradict each other.
            can_contradict = clusters.nodes[i].sources and (person.kind == "full" or person.gender != "-")
            for candidate in full_forms.candidates(i) if can_contradict else ():
                if candidate.rule in ("nickname", "part_of_name"):
                    self._by_whole.setdefault(candidate.node, []).append(i)

    def of(self, i: int, candidate: Candidate) -> int | None:
        """Return a form that contradicts form `i` and fits its candidate no worse, None without one."""
        for other in self._by_whole.get(candidate.node, ()):
            if other != i and self._contradict(i, other):
                mine, theirs = (len(self._cooccurrence.common(n, candidate.node)) for n in (i, other))
                if mine <= theirs:
                    return other
        return None

    def _contradict(self, one: int, other: int) -> bool:
        left, right = (self._clusters.nodes[n].person for n in (one, other))
        if {left.gender, right.gender} == {"m", "f"}:
            return True
        two = left.kind == right.kind == "full" and left != right and not agree(left, right)
        return two or (left.kind == right.kind == "full" and self._clusters.are_together(one, other))


def _fitting(
    i: int, full_forms: FullForms, clusters: Clusters, cooccurrence: Cooccurrence, at_least: float
) -> dict[int, Candidate]:
    """Return the best candidate of each cluster that a node may join."""
    found: dict[int, Candidate] = {}
    nodes, own = full_forms.nodes, clusters.root(i)
    for candidate in full_forms.candidates(i):
        root = clusters.root(candidate.node)
        if root == own or candidate.score < at_least:
            if root == own:
                return {}
            continue
        if candidate.rule in ("nickname", "alias") and cooccurrence.both_speak(i, candidate.node):
            continue
        if candidate.rule == "acronym" and not _is_acronym(i, candidate.node, nodes, cooccurrence):
            continue
        held = found.get(root)
        if held is None or (-candidate.score, candidate.node) < (-held.score, held.node):
            found[root] = candidate
    return {root: c for root, c in found.items() if _allowed(i, c, clusters)}


def _refusal(i: int, candidate: Candidate, rivals: Rivals, cooccurrence: Cooccurrence, nodes: list[Node]) -> str | None:
    """Return why a form is not joined to the only name that it fits; None if it may be.

    A nickname of one word is hardly short for who is named among others: "Leni", a pupil, for Magdalena of a club.
    """
    if (rival := rivals.of(i, candidate)) is not None:
        return f"{nodes[rival].display} fits as well, and they are two"
    is_nickname = candidate.rule == "nickname" and nodes[i].person.kind == "lone"
    if is_nickname and cooccurrence.are_apart(i, candidate.node):
        return "the two are named with others, and never with the same"
    return None


def _is_acronym(short: int, whole: int, nodes: list[Node], cooccurrence: Cooccurrence) -> bool:
    both = nodes[short].type == nodes[whole].type == "Organization"
    return (both and len(nodes[short].name) >= 3) or cooccurrence.count(short, whole) > 0


def _allowed(i: int, candidate: Candidate, clusters: Clusters) -> bool:
    link = _link(i, candidate, "")
    reason = clusters.objection(link)
    if reason:
        clusters.note(link, reason)
    return not reason


def _link(i: int, candidate: Candidate, reason: str) -> Link:
    # Strict only between full names: a source often uses both a full name and a part of it for one person.
    return Link(i, candidate.node, candidate.score, candidate.rule, reason, strict=candidate.rule in FULL_RULES)


def _join_candidate(i: int, candidate: Candidate, clusters: Clusters, cooccurrence: Cooccurrence) -> None:
    node = clusters.nodes[i]
    whole = clusters.sources_of(candidate.node)
    common = node.sources >= COMMON and whole * THIN < node.sources
    recorded = candidate.rule == "alias" or cooccurrence.recorded(candidate.node, i)
    if common and not recorded and not cooccurrence.in_company(i, candidate.node):
        clusters.note(_link(i, candidate, ""), f"{node.sources} sources against {whole}")
        return
    clusters.follow(_link(i, candidate, "the only one that fits"))
