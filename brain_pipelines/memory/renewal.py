"""A new mention renews a memory: what is spoken of again is as strong as something new, at least.

It is not a recall: it changes neither the state nor the rate, only the strength that decay starts from.
"""

from datetime import datetime

import polars as pl

from brain_retrieval.settings import MemorySettings

MICROSECONDS_A_DAY = 86_400_000_000


def renewed(
    salience: pl.DataFrame, mentioned: pl.DataFrame, *, now: datetime, settings: MemorySettings
) -> pl.DataFrame:
    """Return SALIENCE rows whose decay starts at their last mention, where that came after their last recall.

    Args:
        salience: SALIENCE at `now`.
        mentioned: item_id, mentioned_at: when Brain was last given something that speaks of the item.
    """
    known = mentioned.filter(pl.col("mentioned_at") <= now).group_by("item_id").agg(pl.col("mentioned_at").max())
    joined = salience.join(known, on="item_id", how="left")
    later = (pl.col("ttl_policy") == "decay") & (pl.col("mentioned_at") > pl.col("anchor_at")).fill_null(value=False)
    left = pl.col("anchor_salience") * (-pl.col("rate") * _days("anchor_at", pl.col("mentioned_at"))).exp()
    start = pl.max_horizontal(left, pl.lit(settings.initial_salience)).round(9)
    moved = joined.with_columns(later.alias("later")).with_columns(
        pl.when("later").then(start).otherwise("anchor_salience").alias("anchor_salience"),
        pl.when("later").then("mentioned_at").otherwise("anchor_at").alias("anchor_at"),
    )
    value = (pl.col("anchor_salience") * (-pl.col("rate") * _days("anchor_at", pl.lit(now))).exp()).round(9)
    state = (
        pl.when(value < settings.archive_below)
        .then(pl.lit("archived"))
        .when(pl.col("access_count") >= settings.core_recalls)
        .then(pl.lit("core"))
        .when(pl.col("access_count") > 0)
        .then(pl.lit("active"))
        .otherwise(pl.lit("candidate"))
    )
    return moved.with_columns(
        pl.when("later").then(value).otherwise("salience").alias("salience"),
        pl.when("later").then(state).otherwise("state").alias("state"),
    ).select(salience.columns)


def _days(start: str, end: pl.Expr) -> pl.Expr:
    return (end - pl.col(start)).dt.total_microseconds() / MICROSECONDS_A_DAY
