"""Short descriptions of entities built from the tables alone: type, sources, extracted description or facts."""

import polars as pl

MAX_FACTS = 2
MAX_CHARS = 240


def with_descriptions(
    known: pl.DataFrame, members: pl.DataFrame, descriptions: pl.DataFrame, facts: pl.DataFrame | None
) -> pl.DataFrame:
    """Return entities with `description`: "Person; in 12 sources; lead API redesign".

    Args:
        known: entities with type and source_count.
        members: ENTITY_MEMBERS.
        descriptions: entity_id (of a member), description from extraction; preferred to facts.
        facts: FACTS rows; only affirmed, asserted ones are used.
    """
    plural = pl.when(pl.col("source_count") == 1).then(pl.lit(" source")).otherwise(pl.lit(" sources"))
    opening = pl.concat_str(pl.col("type"), pl.lit("; in "), pl.col("source_count").cast(pl.String), plural)
    owned = members.select("member_id", pl.col("entity_id").alias("owner_id"), "source_id")
    given = descriptions.filter(pl.col("description").str.strip_chars() != "").rename({"entity_id": "member_id"})
    extracted = _most_said(given.join(owned, on="member_id").rename({"description": "said"}), 1)
    joined = known.join(extracted, left_on="entity_id", right_on="owner_id", how="left")
    if facts is not None and not facts.is_empty():
        joined = joined.join(_facts(facts, owned), left_on="entity_id", right_on="owner_id", how="left", suffix="_fact")
        joined = joined.with_columns(pl.coalesce("statement", "statement_fact").alias("statement")).drop(
            "statement_fact"
        )
    with_more = (
        pl.when(pl.col("statement").is_null()).then(opening).otherwise(opening + pl.lit("; ") + pl.col("statement"))
    )
    return joined.with_columns(with_more.str.slice(0, MAX_CHARS).alias("description")).drop("statement")


def _facts(facts: pl.DataFrame, owned: pl.DataFrame) -> pl.DataFrame:
    sure = facts.filter((pl.col("polarity") == "affirmed") & (pl.col("modality") == "asserted"))
    said = pl.concat_str("predicate", "object", separator=" ").str.strip_chars()
    vague = pl.col("relation") == "RELATED_TO"
    mine = sure.select(pl.col("subject_id").alias("member_id"), said.alias("said"), vague.alias("vague")).join(
        owned, on="member_id"
    )
    return _most_said(mine, MAX_FACTS)


def _most_said(said: pl.DataFrame, most: int) -> pl.DataFrame:
    """Return owner_id, statement: the `most` statements with most sources joined by "; ", specific relations first."""
    said = said if "vague" in said.columns else said.with_columns(pl.lit(False).alias("vague"))
    counted = said.group_by("owner_id", "said").agg(
        pl.col("source_id").n_unique().alias("sources"), pl.col("vague").min()
    )
    ordered = counted.sort(["owner_id", "vague", "sources", "said"], descending=[False, False, True, False])
    return ordered.group_by("owner_id", maintain_order=True).agg(
        pl.col("said").head(most).str.join("; ").alias("statement")
    )
