"""Salience of all items at the end of a snapshot, computed from creation, confidence, policy, mentions and recalls.

Every snapshot is computed from scratch, so skipped or repeated snapshots change nothing. The effect of recalls is
defined in `brain_retrieval.knowledge.salience`; items without recalls, which are most, are computed as columns here.
"""

from datetime import UTC, datetime
from typing import Any

import polars as pl

from brain_retrieval.knowledge.memory_states import EPISODIC_DAYS, EPISODIC_ITEMS, SEMANTIC_DAYS
from brain_retrieval.knowledge.salience import CERTAIN, DIGITS, FIRST_GRADIENT, fold_recalls
from brain_retrieval.settings import MemorySettings
from brain_retrieval.stores.memory_tables import SALIENCE

KEY = ["item", "item_id"]
MICROSECONDS_A_DAY = 86_400_000_000
TIME = pl.Datetime("us", "UTC")
FOLDED = {
    "item": pl.String,
    "item_id": pl.String,
    "anchor_salience": pl.Float64,
    "anchor_at": TIME,
    "rate": pl.Float64,
    "access_count": pl.Int64,
    "decay_gradient": pl.Float64,
    "last_recall_interval": pl.Float64,
    "last_accessed_at": TIME,
}


def compute_salience(
    items: pl.DataFrame,
    recalls: pl.DataFrame,
    *,
    now: datetime,
    settings: MemorySettings,
    mentions: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Return SALIENCE at `now` and a column `salience`, its value at `now`, one row for each item.

    Args:
        items: item, item_id, created_at, confidence, ttl_policy, sensitivity, initial, and received_at, from which
            ephemeral items expire (without it, from created_at). Null means: certain (1.0),
            decay, normal, the initial salience of the settings.
        recalls: item, item_id, at; those of other items, and those from `now` on, do not count.
        mentions: item_id, at: the time of a source that mentions an item; likewise.
    """
    now = now.astimezone(UTC)
    filled = _filled(items, settings)
    spoken = _mentions(mentions, now)
    folded = _folded(filled, recalls.filter(pl.col("at") < now), spoken, settings)
    latest = spoken.group_by("item_id").agg(pl.col("at").max().alias("mentioned_at"))
    rows = (
        filled.join(folded, on=KEY, how="left")
        .join(latest, on="item_id", how="left")
        .with_columns(
            pl.col("anchor_salience").fill_null(pl.col("initial")),
            # Without recalls, a mention resets an item to its initial strength, so decay starts at the last mention.
            pl.col("anchor_at").fill_null(pl.max_horizontal("created_at", "mentioned_at")),
            pl.col("rate").fill_null(_first_rate(settings)),
            pl.col("access_count").fill_null(0),
            pl.col("decay_gradient").fill_null(FIRST_GRADIENT),
            pl.col("last_recall_interval").fill_null(0.0),
            _expiry().alias("expires_at"),
        )
    )
    kept = pl.col("ttl_policy") == "keep_forever"
    rows = rows.with_columns(
        pl.when(kept).then(1.0).otherwise("anchor_salience").alias("anchor_salience"),
        pl.when(kept).then(0.0).otherwise("rate").alias("rate"),
    )
    rows = rows.with_columns(_salience(now).alias("salience")).with_columns(_state(now, settings).alias("state"))
    return rows.select(*SALIENCE.names, "salience").cast({"access_count": pl.Int64}).sort("item_id", "item")


def _filled(items: pl.DataFrame, settings: MemorySettings) -> pl.DataFrame:
    received = "received_at" if "received_at" in items.columns else "created_at"
    return items.select(
        *KEY,
        pl.col("created_at").dt.convert_time_zone("UTC").cast(TIME),
        pl.col(received).dt.convert_time_zone("UTC").cast(TIME).alias("received_at"),
        pl.col("confidence").cast(pl.Float64).fill_null(1.0).clip(0.0, 1.0),
        pl.col("ttl_policy").cast(pl.String).fill_null("decay"),
        pl.col("sensitivity").cast(pl.String).fill_null("normal"),
        pl.col("initial").cast(pl.Float64).fill_null(settings.initial_salience).clip(0.0, 1.0),
    )


def _mentions(mentions: pl.DataFrame | None, now: datetime) -> pl.DataFrame:
    if mentions is None:
        return pl.DataFrame(schema={"item_id": pl.String, "at": TIME})
    return mentions.select("item_id", pl.col("at").cast(TIME)).filter(pl.col("at") < now)


def _folded(
    filled: pl.DataFrame, recalls: pl.DataFrame, mentions: pl.DataFrame, settings: MemorySettings
) -> pl.DataFrame:
    # Only recalled items go through the Python loop: each recall depends on the one before it.
    times = recalls.select(*KEY, "at").unique().group_by(KEY).agg(pl.col("at").sort())
    spoken = mentions.unique().group_by("item_id").agg(pl.col("at").sort().alias("mentions"))
    recalled = filled.join(times, on=KEY, how="inner").join(spoken, on="item_id", how="left").sort(KEY)
    return pl.DataFrame([_fold(row, settings) for row in recalled.iter_rows(named=True)], schema=FOLDED, orient="row")


def _fold(row: dict[str, Any], settings: MemorySettings) -> tuple[Any, ...]:
    end = fold_recalls(
        row["created_at"],
        row["at"],
        confidence=row["confidence"],
        initial=row["initial"],
        settings=settings,
        mentions=row["mentions"] or (),
    )
    days = round(end.interval.total_seconds() * 1_000_000 / MICROSECONDS_A_DAY, DIGITS)
    return row["item"], row["item_id"], end.salience, end.at, end.rate, end.recalls, end.gradient, days, end.since


def _first_rate(settings: MemorySettings) -> pl.Expr:
    doubt = 1.0 + 2.0 * (1.0 - pl.col("confidence"))
    return settings.base_rate * pl.when(pl.col("confidence") >= CERTAIN).then(1.0).otherwise(doubt)


def _expiry() -> pl.Expr:
    days = pl.when(pl.col("item").is_in(EPISODIC_ITEMS)).then(EPISODIC_DAYS).otherwise(SEMANTIC_DAYS)
    return pl.when(pl.col("ttl_policy") == "ephemeral").then(pl.col("received_at") + pl.duration(days=days))


def _salience(now: datetime) -> pl.Expr:
    days = ((pl.lit(now, TIME) - pl.col("anchor_at")).dt.total_microseconds() / MICROSECONDS_A_DAY).clip(0.0)
    left = (pl.col("anchor_salience") * (-pl.col("rate") * days).exp()).round(DIGITS)
    return pl.when(pl.col("expires_at") <= pl.lit(now, TIME)).then(0.0).otherwise(left)


def _state(now: datetime, settings: MemorySettings) -> pl.Expr:
    expired = (pl.col("expires_at") <= pl.lit(now, TIME)).fill_null(value=False)
    return (
        pl.when(pl.col("ttl_policy") == "keep_forever")
        .then(pl.lit("core"))
        .when(expired | (pl.col("salience") < settings.archive_below))
        .then(pl.lit("archived"))
        .when(pl.col("access_count") >= settings.core_recalls)
        .then(pl.lit("core"))
        .when(pl.col("access_count") > 0)
        .then(pl.lit("active"))
        .otherwise(pl.lit("candidate"))
    )
