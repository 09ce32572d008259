"""What is left of an extraction when echoes do not count: mentions inside an echo go, and entities without others."""

import polars as pl


def without_echoes(entities: pl.DataFrame, mentions: pl.DataFrame, echoes: pl.DataFrame) -> pl.DataFrame:
    """Return ENTITIES rows with `mention_count` less what lies in echoes; an entity with nothing left is dropped.

    An entity that no mention stands for (the "user" of "I") stays as it is.

    Args:
        mentions: entity_id, source_id, start, end of MENTIONS rows.
        echoes: ECHOES.
    """
    if echoes.is_empty():
        return entities
    spans = echoes.select("source_id", pl.col("start").alias("from"), pl.col("end").alias("to"))
    touched = mentions.join(spans, on="source_id")
    inside = touched.filter((pl.col("start") >= pl.col("from")) & (pl.col("end") <= pl.col("to")))
    lost = inside.unique(["source_id", "start", "end"]).group_by("entity_id").agg(pl.len().alias("lost"))
    counted = entities.join(lost, on="entity_id", how="left").with_columns(pl.col("lost").fill_null(0))
    kept = counted.filter((pl.col("lost") == 0) | (pl.col("lost") < pl.col("mention_count")))
    count = (pl.col("mention_count") - pl.col("lost")).cast(entities.schema["mention_count"])
    return kept.with_columns(count.alias("mention_count")).drop("lost")
