"""Entity resolution, entry point: ENTITIES rows of all sources of a user → entities, members, names, merge log."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl

from brain_pipelines.knowledge.decision import Decision
from brain_pipelines.knowledge.entities.candidate_links import find_links, sources_by_node
from brain_pipelines.knowledge.entities.clusters import Clusters
from brain_pipelines.knowledge.entities.context import choose_by_context
from brain_pipelines.knowledge.entities.entity_table import entities_frame
from brain_pipelines.knowledge.entities.frames import members_frame, names_frame
from brain_pipelines.knowledge.entities.manual import NodeFinder, apply_manual_merges
from brain_pipelines.knowledge.entities.merge_log import merges_frame
from brain_pipelines.knowledge.entities.nodes import Names, collect_names
from brain_pipelines.knowledge.entities.owner import gather_owner, owner_id, owner_keys
from brain_pipelines.knowledge.entities.partition import Partition
from brain_pipelines.knowledge.entities.short_form_resolution import AmbiguousForm, resolve_short_forms
from brain_pipelines.knowledge.entities.standing import named_entities, recurs
from brain_retrieval.settings.knowledge import KnowledgeSettings, OwnerSettings


@dataclass(frozen=True)
class Resolution:
    """The tables ENTITY_MEMBERS, KNOWN_ENTITIES, ENTITY_NAMES and ENTITY_MERGES, and the common nouns of the sources.

    `topics` and `topic_members` have the columns of KNOWN_ENTITIES and ENTITY_MEMBERS. `report` counts
    entities_left_out and members_left_out (below the thresholds) and decisions_without_name.
    """

    members: pl.DataFrame
    known_entities: pl.DataFrame
    names: pl.DataFrame
    merges: pl.DataFrame
    topics: pl.DataFrame
    topic_members: pl.DataFrame
    report: dict[str, int] = field(default_factory=dict)


def resolve(
    entities: pl.DataFrame,
    *,
    user: str,
    owner: OwnerSettings,
    decisions: Sequence[Decision] = (),
    facts: pl.DataFrame | None = None,
    settings: KnowledgeSettings,
    min_confidence: float = 0.0,
    min_mentions: int = 1,
    has_owner: bool = True,
) -> Resolution:
    """Return the entities of a user.

    The result is a function of the set of rows: it does not depend on their order, and sources that share no name with
    an entity do not change that entity.

    Args:
        entities: ENTITIES rows of all sources.
        user: the space; part of every id.
        owner: names and addresses that mean the owner.
        decisions: manual merges of the owner; they take precedence over every rule.
        facts: FACTS rows, for the descriptions.
        settings: `merge_score` is the minimum score that joins two names.
        min_confidence: entities with a lower confidence over all sources are left out, with members and names.
        min_mentions: likewise for the number of mentions. The owner is never left out.
        has_owner: False for a team's space, where "user" is a name like any other.
    """
    keys = owner_keys(owner) if has_owner else []
    names = collect_names(entities, user, keys)
    partition, joined = _joined(names, user, owner if has_owner else None, decisions, settings.merge_score)
    members = members_frame(partition)
    found, left_out = entities_frame(partition, members, facts, min_confidence, min_mentions)
    return _tables(partition, joined, members, found, left_out)


def _tables(
    partition: Partition, joined: "_Joined", members: pl.DataFrame, found: pl.DataFrame, left_out: int
) -> Resolution:
    """Part what has a name or recurs from common nouns, with the tables of both."""
    named = named_entities(partition, members, joined.declared)
    shown = pl.col("entity_id").is_in(named) | recurs(found) | pl.col("is_owner")
    known, topics = found.filter(shown), found.filter(~shown)
    is_known, is_common, is_found = (_is_of(part) for part in (known, topics, found))
    return Resolution(
        members.filter(is_known),
        known,
        names_frame(partition, members).filter(is_known),
        merges_frame(partition, joined.still_open).filter(is_known),
        topics,
        members.filter(is_common),
        {
            "entities_left_out": left_out,
            "members_left_out": members.filter(~is_found).height,
            "decisions_without_name": joined.lost,
        },
    )


def _is_of(entities: pl.DataFrame) -> pl.Expr:
    return pl.col("entity_id").is_in(entities["entity_id"].implode())


@dataclass(frozen=True)
class _Joined:
    """What joining leaves over: nodes that the owner declared the same, open short forms, decisions without a name."""

    declared: set[int]
    still_open: list[AmbiguousForm]
    lost: int


def _joined(
    names: Names, user: str, owner: OwnerSettings | None, decisions: Sequence[Decision], at_least: float
) -> tuple[Partition, _Joined]:
    """Join the names: the owner's first, then what the owner decided, then full names, then short forms."""
    links = find_links(names, at_least=at_least)
    # Strict links and nicknames of full names need the sources of their nodes; all others do not.
    strict = {n for link in links if link.strict for n in (link.left, link.right)}
    full = {i for i, node in enumerate(names.nodes) if node.person.kind == "full" and node.sources}
    clusters = Clusters(names.nodes, sources_by_node(names, strict | full))
    first = None if owner is None else gather_owner(names.nodes, owner, clusters)
    settled = set() if first is None else set(clusters.members(first))
    lost = apply_manual_merges(decisions, NodeFinder(names.nodes, owner_id(user), first), clusters)
    declared = {n for link in clusters.accepted if link.decided_by == "owner" for n in (link.left, link.right)}
    names = _respecting_bans(names, clusters)
    # Names that the owner merged are identified; short-form rules must not move them.
    settled.update(n for link in clusters.accepted for n in (link.left, link.right))
    for link in links:
        clusters.follow(link)
    still_open = resolve_short_forms(names, clusters, settled, at_least=at_least)
    choices = choose_by_context(names, clusters, still_open, None if first is None else clusters.root(first))
    return Partition.of(names, clusters, choices, first, user), _Joined(declared, still_open, lost)


def _respecting_bans(names: Names, clusters: Clusters) -> Names:
    """Move rows that were assigned to a fuller alias back to their own name where the owner keeps both apart."""
    if not clusters.has_bans or not names.rows["by_alias"].any():
        return names
    own = names.aliases_by_display()
    rows = names.rows.join(own, on=["node", "name"], how="left")
    pairs = rows.filter(pl.col("by_alias") & pl.col("own").is_not_null()).select("node", "own").unique()
    banned = [pair for pair in pairs.iter_rows() if clusters.are_kept_apart(*pair)]
    if not banned:
        return names
    bans = pl.DataFrame(banned, schema={"node": pl.UInt32, "own": pl.UInt32}, orient="row").with_columns(banned=True)
    rows = rows.join(bans, on=["node", "own"], how="left")
    back = pl.col("by_alias") & pl.col("banned").fill_null(False)
    rows = rows.with_columns(
        pl.when(back).then("own").otherwise("node").alias("node"), (pl.col("by_alias") & ~back).alias("by_alias")
    )
    return names.with_rows(rows.drop("own", "banned"))
