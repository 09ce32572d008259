"""The table KNOWN_SOURCES: one row for each source of a snapshot, with title, times, participants and summary."""

import hashlib

import polars as pl

from brain_retrieval.stores.snapshot_tables import SNAPSHOT_TABLES

_TEXT_COLUMNS = "source_id source uri title day event_at received_at participants sensitivity ttl_policy trust"
TEXT_COLUMNS = [*_TEXT_COLUMNS.split(), "parent_id", "url", "text"]
ENRICHMENT_COLUMNS = ["source_id", "summary", "keywords", "tags", "bucket"]
UNSORTED = "UNSORTED"


def known_sources(texts: pl.DataFrame, enrichments: pl.DataFrame, teams: dict[str, str]) -> pl.DataFrame:
    """Return KNOWN_SOURCES.

    Args:
        texts: TEXT_COLUMNS of DOCUMENT_TEXT rows.
        enrichments: ENRICHMENT_COLUMNS of ENRICHMENTS rows; a source may lack one.
        teams: team by source type, named as in the stores of a reader of that team.
    """
    empty = pl.lit([], dtype=pl.List(pl.String))
    joined = texts.rename({"source": "source_type"}).join(enrichments, on="source_id", how="left")
    rows = joined.with_columns(
        pl.col("text").map_elements(_digest, return_dtype=pl.String).alias("digest"),
        pl.col("ttl_policy").fill_null("decay"),
        pl.col("summary").fill_null(""),
        pl.col("bucket").fill_null(UNSORTED),
        pl.col("keywords").fill_null(empty),
        pl.col("tags").fill_null(empty),
        pl.col("participants").fill_null(empty),
        pl.col("source_type").replace_strict(teams, default=None, return_dtype=pl.String).alias("team"),
    )
    return (
        rows.select(SNAPSHOT_TABLES["known_sources"].names)
        .unique("source_id", keep="first", maintain_order=True)
        .sort("source_id")
    )


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
