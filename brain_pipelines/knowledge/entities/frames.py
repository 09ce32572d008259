"""The tables ENTITY_MEMBERS and ENTITY_NAMES of a partition."""

import polars as pl

from brain_pipelines.knowledge.entities.partition import Partition, shaped
from brain_retrieval.stores.knowledge_tables import ENTITY_MEMBERS, ENTITY_NAMES


def members_frame(partition: Partition) -> pl.DataFrame:
    """Return ENTITY_MEMBERS: the entity of every extraction row, with rule and score."""
    rules = partition.joined_by()
    nodes = range(len(partition.names.nodes))
    of_node = pl.DataFrame(
        {
            "node": pl.Series(nodes, dtype=pl.UInt32),
            "user_entity": [partition.entity_of(i).entity_id for i in nodes],
            "rule": [rules[i][0] for i in nodes],
            "score": pl.Series([rules[i][1] for i in nodes], dtype=pl.Float64),
        }
    )
    chosen = pl.DataFrame(
        [(c.row, partition.entity_of(c.whole).entity_id, c.score) for c in partition.choices],
        schema={"entity_id": pl.String, "chosen": pl.String, "chosen_score": pl.Float64},
        orient="row",
    )
    rows = partition.names.rows.join(of_node, on="node", how="left").join(chosen, on="entity_id", how="left")
    elsewhere = pl.col("chosen").is_not_null()
    alias = pl.col("by_alias") & (pl.col("rule") == "same_name")
    return shaped(
        rows.with_columns(
            pl.col("entity_id").alias("member_id"),
            pl.coalesce("chosen", "user_entity").alias("entity_id"),
            pl.col("source").alias("source_type"),
            pl.when(elsewhere)
            .then(pl.lit("context"))
            .when(alias)
            .then(pl.lit("alias"))
            .otherwise("rule")
            .alias("rule"),
            pl.coalesce("chosen_score", "score").alias("score"),
        ),
        ENTITY_MEMBERS,
    ).sort("member_id")


def names_frame(partition: Partition, members: pl.DataFrame) -> pl.DataFrame:
    """Return ENTITY_NAMES: each name with one entity, the one that most sources use the name for."""
    counted = name_uses(partition, members).group_by("node", "entity_id").agg(pl.col("source_id").n_unique().alias("n"))
    best = counted.sort(["node", "n", "entity_id"], descending=[False, True, False]).unique(
        "node", keep="first", maintain_order=True
    )
    rows = []
    for node, entity_id, count in best.iter_rows():
        item = partition.names.nodes[node]
        rows.append((item.name_id, entity_id, item.name, item.display or item.name, item.entity_class, count))
    frame = (
        pl.DataFrame(rows, schema=ENTITY_NAMES.names, orient="row")
        if rows
        else pl.DataFrame(ENTITY_NAMES.empty_table())
    )
    frame = shaped(frame, ENTITY_NAMES)
    if partition.owner is not None:
        frame = _with_owner_id(partition, frame)
    return frame.sort("name_id")


def _with_owner_id(partition: Partition, frame: pl.DataFrame) -> pl.DataFrame:
    """Add a row whose name_id is the owner's entity id, so that the id itself can be looked up."""
    owner = partition.entity_of(partition.owner or 0)
    head = partition.names.nodes[owner.head]
    count = int(frame.filter(pl.col("entity_id") == owner.entity_id)["source_count"].max() or 0)  # pyright: ignore[reportArgumentType]
    row = (owner.entity_id, owner.entity_id, head.name, head.display or head.name, "Person", count)
    return pl.concat([frame, pl.DataFrame([row], schema=frame.schema, orient="row")])


def name_uses(partition: Partition, members: pl.DataFrame) -> pl.DataFrame:
    """Return node, entity_id, source_id: each use of a name or alias for an entity in a source."""
    own = partition.names.rows.select("node", "by_alias", pl.col("entity_id").alias("member_id"), "source_id").join(
        members.select("member_id", "entity_id"), on="member_id"
    )
    by_alias = partition.names.alias_displays.select("node", "alias", "source_id").join(
        own.select("node", "source_id", "entity_id"), on=["node", "source_id"]
    )
    return pl.concat(
        [
            own.select("node", "entity_id", "source_id"),
            by_alias.select(pl.col("alias").alias("node"), "entity_id", "source_id"),
        ]
    ).unique()
