"""A short description of an entity, made only of what the rows say: its type, how often it is met, its surest facts."""

import polars as pl

MAX_FACTS = 2
MAX_CHARS = 200


def described(known: pl.DataFrame, members: pl.DataFrame, facts: pl.DataFrame | None) -> pl.DataFrame:
    """Return entities with `description`: "Person; in 12 sources; lead API redesign"."""
    plural = pl.when(pl.col("source_count") == 1).then(pl.lit(" source")).otherwise(pl.lit(" sources"))
    opening = pl.concat_str(pl.col("type"), pl.lit("; in "), pl.col("source_count").cast(pl.String), plural)
    if facts is None or facts.is_empty():
        return known.with_columns(opening.alias("description"))
    told = _top(facts, members)
    joined = known.join(told, on="entity_id", how="left")
    with_facts = pl.when(pl.col("told").is_null()).then(opening).otherwise(opening + pl.lit("; ") + pl.col("told"))
    return joined.with_columns(with_facts.str.slice(0, MAX_CHARS).alias("description")).drop("told")


def _top(facts: pl.DataFrame, members: pl.DataFrame) -> pl.DataFrame:
    """Return entity_id, told: the facts most sources state, a fact only counted where it is affirmed and asserted."""
    sure = facts.filter((pl.col("polarity") == "affirmed") & (pl.col("modality") == "asserted"))
    owned = sure.join(members.select(pl.col("member_id").alias("subject_id"), "entity_id"), on="subject_id")
    said = owned.select(
        "entity_id", "source_id", pl.concat_str("predicate", "object", separator=" ").str.strip_chars().alias("said")
    )
    counted = said.group_by("entity_id", "said").agg(pl.col("source_id").n_unique().alias("sources"))
    ordered = counted.sort(["entity_id", "sources", "said"], descending=[False, True, False])
    return ordered.group_by("entity_id", maintain_order=True).agg(
        pl.col("said").head(MAX_FACTS).str.join("; ").alias("told")
    )
