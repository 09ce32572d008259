"""Extracted entities without retrieval echoes: mentions inside an echo are removed, and entities left without any."""

import polars as pl


def without_echoes(entities: pl.DataFrame, mentions: pl.DataFrame, echoes: pl.DataFrame) -> pl.DataFrame:
    """Return ENTITIES rows with `mention_count` reduced by mentions inside echoes; entities at zero are dropped.

    An entity without mentions of its own (the "user" behind "I") is kept unchanged.

    Args:
        mentions: entity_id, source_id, start, end of MENTIONS rows.
        echoes: ECHOES rows: spans of agent output that repeat retrieved text.
    """
    if echoes.is_empty():
        return entities
    spans = echoes.select("source_id", pl.col("start").alias("from"), pl.col("end").alias("to"))
    touched = mentions.join(spans, on="source_id")
    # Spans of echoes may overlap, so a mention inside two of them is counted once.
    inside = touched.filter((pl.col("start") >= pl.col("from")) & (pl.col("end") <= pl.col("to")))
    lost = inside.unique(["source_id", "start", "end"]).group_by("entity_id").agg(pl.len().alias("lost"))
    counted = entities.join(lost, on="entity_id", how="left").with_columns(pl.col("lost").fill_null(0))
    kept = counted.filter((pl.col("lost") == 0) | (pl.col("lost") < pl.col("mention_count")))
    count = (pl.col("mention_count") - pl.col("lost")).cast(entities.schema["mention_count"])
    return kept.with_columns(count.alias("mention_count")).drop("lost")
