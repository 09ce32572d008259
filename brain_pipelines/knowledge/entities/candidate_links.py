"""Candidate links between names: spelling variants, one name in two classes, and aliases recorded by sources."""

from collections.abc import Iterator

import polars as pl

from brain_pipelines.knowledge.entities.blocking import pairs
from brain_pipelines.knowledge.entities.clusters import Link
from brain_pipelines.knowledge.entities.nodes import Names, Node
from brain_pipelines.knowledge.entities.similarity import Support, agree, pair_score
from brain_pipelines.stages.extraction.local.names.mention import FULL_NAME, NAMED

ALIAS, ADDRESS_ALIAS, OTHER_CLASS, MISTYPED = 0.95, 0.97, 0.96, 0.9
SURE_TYPE = 0.75  # a name whose best confidence is lower may have the wrong type
MIN_SHARE = 0.1  # share of the evidence below which a type is taken for an extraction error
RARE_TIMES = 3  # a misspelling is at least this many times rarer than the correct name
COMPANY = 2  # shared co-occurring names from which on two names support each other


def find_links(names: Names, *, at_least: float) -> list[Link]:
    """Return the links with a score of at least `at_least`, highest score first."""
    links = [*_spellings(names, at_least), *_classes(names.nodes), *_recorded(names)]
    return in_order(links)


def in_order(links: list[Link]) -> list[Link]:
    """Return links by descending score; ties are broken by nodes, so that input order does not matter."""
    return sorted(links, key=lambda link: (-link.score, link.left, link.right, link.rule))


def sources_by_node(names: Names, wanted: set[int]) -> dict[int, frozenset[str]]:
    """Return by node in `wanted` the ids of the sources that name it."""
    rows = names.rows.filter(pl.col("node").is_in(sorted(wanted))).select("node", "source_id").unique()
    return {node: frozenset(ids) for node, ids in rows.group_by("node").agg("source_id").iter_rows()}


def _spellings(names: Names, at_least: float) -> Iterator[Link]:
    """Yield links between spelling variants.

    Pairs are first scored with full support; only those that could pass with it have their support looked up.
    """
    nodes = names.nodes
    scored = [
        (a, b, pair_score(nodes[a].name, nodes[b].name, nodes[a].entity_class, Support(True, True)))
        for a, b in pairs(nodes)
    ]
    possible = [(a, b, best) for a, b, best in scored if best.score >= at_least]
    uncertain = [(a, b) for a, b, best in possible if best.strict]
    met = cooccurring(names, {n for pair in uncertain for n in pair})
    for a, b, best in possible:
        likeness = best
        if best.strict:
            support = Support(_is_rare(nodes[a], nodes[b]), len(met.get(a, set()) & met.get(b, set())) >= COMPANY)
            likeness = pair_score(nodes[a].name, nodes[b].name, nodes[a].entity_class, support)
        if likeness.score >= at_least:
            yield Link(a, b, likeness.score, likeness.rule, "other spelling", likeness.strict)


def _is_rare(one: Node, other: Node) -> bool:
    low, high = sorted((one.sources, other.sources))
    return high >= RARE_TIMES and low * RARE_TIMES <= high


def cooccurring(names: Names, wanted: set[int]) -> dict[int, set[int]]:
    """Return by node in `wanted` the other nodes that occur in its sources."""
    rows = names.rows.select("node", "source_id").unique()
    mine = rows.filter(pl.col("node").is_in(sorted(wanted)))
    met = mine.join(rows.rename({"node": "other"}), on="source_id").filter(pl.col("node") != pl.col("other"))
    return {
        node: set(others)
        for node, others in met.select("node", "other").unique().group_by("node").agg("other").iter_rows()
    }


def _classes(nodes: list[Node]) -> Iterator[Link]:
    """Yield links between nodes of one name in two classes; with a person only if one type is likely an error."""
    by_name: dict[str, list[int]] = {}
    for i, node in enumerate(nodes):
        if node.sources and not node.is_email:
            by_name.setdefault(node.name, []).append(i)
    for same in by_name.values():
        for i, a in enumerate(same):
            for b in same[i + 1 :]:
                if "Person" not in (nodes[a].entity_class, nodes[b].entity_class):
                    yield Link(a, b, OTHER_CLASS, "same_name", "one name in two classes")
                elif _is_mistyped(nodes[a], nodes[b]) or _is_one(nodes[a], nodes[b]):
                    yield Link(a, b, MISTYPED, "same_name", "the type of one is unsure")


def _is_mistyped(one: Node, other: Node) -> bool:
    low, high = sorted((one, other), key=lambda node: (node.weight, node.entity_class))
    return low.best < SURE_TYPE or low.weight < MIN_SHARE * high.weight


def _is_one(one: Node, other: Node) -> bool:
    """Return whether several words are one name whatever its type, as two things rarely share them."""
    person, thing = (one, other) if one.entity_class == "Person" else (other, one)
    return " " in one.name and not (person.best >= FULL_NAME and thing.best >= NAMED)


def _recorded(names: Names) -> Iterator[Link]:
    """Yield links for aliases recorded by sources: e-mail addresses, and other full names of a person."""
    nodes = names.nodes
    for (node, alias), count in sorted(names.aliases.items()):
        one, other = nodes[node], nodes[alias]
        reason = f"one entity in {count} source{'s' if count > 1 else ''}"
        if other.is_email and not one.is_email and other.person.kind != "none":
            yield Link(node, alias, ADDRESS_ALIAS, "alias", reason)
        elif (
            one.entity_class == "Person"
            and one.person.kind == other.person.kind == "full"
            and agree(one.person, other.person)
        ):
            yield Link(node, alias, ALIAS, "alias", reason)
