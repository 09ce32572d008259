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
from brain_pipelines.knowledge.entities.short_form_resolution import resolve_short_forms
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
    links = find_links(names, at_least=settings.merge_score)
    # Strict links and nicknames of full names need the sources of their nodes; all others do not.
    strict = {n for link in links if link.strict for n in (link.left, link.right)}
    full = {i for i, node in enumerate(names.nodes) if node.person.kind == "full" and node.sources}
    clusters = Clusters(names.nodes, sources_by_node(names, strict | full))
    first = gather_owner(names.nodes, owner, clusters) if has_owner else None
    settled = set() if first is None else set(clusters.members(first))
    lost = apply_manual_merges(decisions, NodeFinder(names.nodes, owner_id(user), first), clusters)
    declared = {n for link in clusters.accepted if link.decided_by == "owner" for n in (link.left, link.right)}
    names = _respecting_bans(names, clusters)
    # Names that the owner merged are identified; short-form rules must not move them.
    settled.update(n for link in clusters.accepted for n in (link.left, link.right))
    for link in links:
        clusters.follow(link)
    still_open = resolve_short_forms(names, clusters, settled, at_least=settings.merge_score)
    choices = choose_by_context(names, clusters, still_open, None if first is None else clusters.root(first))
    partition = Partition.of(names, clusters, choices, first, user)
    members = members_frame(partition)
    found, left_out = entities_frame(partition, members, facts, min_confidence, min_mentions)
    shown = pl.col("entity_id").is_in(named_entities(partition, members, declared)) | recurs(found) | pl.col("is_owner")
    known, topics = found.filter(shown), found.filter(~shown)
    kept, common = known["entity_id"].implode(), topics["entity_id"].implode()
    merges = merges_frame(partition, still_open)
    return Resolution(
        members.filter(pl.col("entity_id").is_in(kept)),
        known,
        names_frame(partition, members).filter(pl.col("entity_id").is_in(kept)),
        merges.filter(pl.col("entity_id").is_in(kept)),
        topics,
        members.filter(pl.col("entity_id").is_in(common)),
        {
            "entities_left_out": left_out,
            "members_left_out": members.filter(~pl.col("entity_id").is_in(found["entity_id"].implode())).height,
            "decisions_without_name": lost,
        },
    )


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
