"""The table KNOWN_ENTITIES: the entities of a partition with counts, confidence and description."""

import polars as pl

from brain_pipelines.knowledge.entities.describe import with_descriptions
from brain_pipelines.knowledge.entities.frames import name_uses
from brain_pipelines.knowledge.entities.names import canonical_name
from brain_pipelines.knowledge.entities.partition import Partition, shaped
from brain_retrieval.stores.knowledge_tables import KNOWN_ENTITIES

CERTAIN = 0.9999  # cap on the confidence of one source, so that the noisy-or below stays defined


def entities_frame(
    partition: Partition,
    members: pl.DataFrame,
    facts: pl.DataFrame | None,
    min_confidence: float,
    min_mentions: int,
) -> tuple[pl.DataFrame, int]:
    """Return KNOWN_ENTITIES above the thresholds, and the number of entities below them.

    The owner is always included.
    """
    known = _counted(members).join(_identities(partition), on="entity_id")
    known = known.with_columns(pl.when("is_owner").then(1.0).otherwise("confidence").alias("confidence"))
    enough = (pl.col("confidence") >= min_confidence) & (
        (pl.col("mention_count") >= min_mentions) | (min_mentions <= 1)
    )
    kept = known.filter(enough | pl.col("is_owner")).join(_other_names(partition, members), on="entity_id", how="left")
    kept = kept.with_columns(
        pl.col("aliases").fill_null([]).list.set_difference(pl.concat_list("name")).list.sort(),
    )
    descriptions = partition.names.rows.select("entity_id", "description")
    kept = with_descriptions(kept, members, descriptions, facts)
    return shaped(kept, KNOWN_ENTITIES).sort("entity_id"), known.height - kept.height


def _counted(members: pl.DataFrame) -> pl.DataFrame:
    by_source = members.group_by("entity_id", "source_id").agg(
        pl.col("confidence").max(),
        pl.col("mention_count").cast(pl.Int64).sum(),
        pl.col("event_at").min(),
        pl.col("received_at").min(),
    )
    # Noisy-or: doubts (1 - confidence) multiply over sources. Logarithms are summed as whole billionths, so that the
    # result does not depend on the order of the rows.
    doubt = (-(1 - pl.col("confidence").clip(0, CERTAIN)).log() * 1e9).round().cast(pl.Int64)
    return by_source.group_by("entity_id").agg(
        (1 - (-doubt.sum() / 1e9).exp()).round(6).alias("confidence"),
        pl.col("mention_count").sum(),
        pl.len().cast(pl.Int64).alias("source_count"),
        pl.col("event_at").dt.date().n_unique().cast(pl.Int64).alias("distinct_source_days"),
        pl.col("event_at").min().alias("first_mentioned_at"),
        pl.col("event_at").max().alias("last_mentioned_at"),
        pl.col("received_at").min().alias("first_received_at"),
        pl.col("received_at").max().alias("last_received_at"),
    )


def _identities(partition: Partition) -> pl.DataFrame:
    rows = []
    for entity in partition.entities.values():
        head = partition.names.nodes[entity.head]
        shown = head.display or head.name
        rows.append(
            (entity.entity_id, entity.entity_class, entity.type, shown, canonical_name(head.name), entity.is_owner)
        )
    columns = ["entity_id", "entity_class", "type", "name", "canonical_name"]
    schema = {**dict.fromkeys(columns, pl.String), "is_owner": pl.Boolean}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _other_names(partition: Partition, members: pl.DataFrame) -> pl.DataFrame:
    """Return entity_id, aliases: all names of an entity in their most frequent spelling."""
    uses = name_uses(partition, members).select("node", "entity_id").unique()
    shown = [partition.names.nodes[node].display or partition.names.nodes[node].name for node in uses["node"]]
    return (
        uses.with_columns(pl.Series("shown", shown, pl.String))
        .group_by("entity_id")
        .agg(pl.col("shown").unique().alias("aliases"))
    )
