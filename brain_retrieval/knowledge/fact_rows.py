"""Rows of KNOWN_FACTS from episodes and the statements that support them: counts, confidence, ids, links."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import polars as pl

from brain_retrieval.ids import content_id
from brain_retrieval.knowledge.statements import ASSERTED, KEY
from brain_retrieval.knowledge.vocabulary import HAS_VALUE, LITERAL, edge_kind
from brain_retrieval.stores.knowledge_tables import KNOWN_FACTS

TRUST = {"own": 1.0, "owner": 1.0}
OTHER_TRUST = 0.9
MOST_SURE = 0.99  # upper bound of a confidence, whatever the number of sources
_MODALITIES = ("reported", "possible", "conditional", "question")  # from closest to an assertion to furthest
_TIME = pl.Datetime("us", "UTC")


def fact_rows(rows: pl.DataFrame, episodes: pl.DataFrame, support: pl.DataFrame, now: datetime | None) -> pl.DataFrame:
    """Return KNOWN_FACTS.

    Args:
        rows: of `prepare`.
        episodes: EPISODES of `timelines.py`.
        support: SUPPORT.
        now: the time at which `status` is evaluated.
    """
    statements = support.join(rows, on="row").sort("episode", "row")
    facts = episodes.join(_summaries(statements), on="episode").join(_confidence(statements), on="episode")
    facts = facts.with_columns(
        pl.from_epoch("begins", "us").dt.replace_time_zone("UTC").alias("valid_from"),
        pl.from_epoch("until", "us").dt.replace_time_zone("UTC").alias("valid_to"),
        pl.from_epoch("end_received", "us").dt.replace_time_zone("UTC").alias("ended_known_from"),
        (pl.col("functional") & ~pl.col("together").fill_null(value=False)).alias("functional"),
        _modality().alias("modality"),
        pl.Series("properties", [_merged(said) for said in facts["properties"].to_list()], dtype=pl.String),
    )
    ids = facts.select(*KEY, "polarity", "certainty", "valid_from").iter_rows()
    facts = facts.with_columns(pl.Series("fact_id", [_fact_id(*row) for row in ids], dtype=pl.String))
    linked = _with_status(_with_links(facts), now)
    kinds = linked.select("subject_class", "object_class").unique()
    kind = pl.DataFrame(
        [(one, other, HAS_VALUE if other == LITERAL else edge_kind(one, other)) for one, other in kinds.iter_rows()],
        schema={"subject_class": pl.String, "object_class": pl.String, "kind": pl.String},
        orient="row",
    )
    complete = linked.join(kind, on=["subject_class", "object_class"], how="left")
    empty: Any = pl.DataFrame(pl.from_arrow(KNOWN_FACTS.empty_table())).schema
    return complete.select([pl.col(name).cast(dtype) for name, dtype in empty.items()]).sort("fact_id")


def _merged(said: Sequence[str]) -> str | None:
    """Return the properties of all statements, oldest first, as one JSON object; the newest value of each counts."""
    if len(set(said)) < 2:
        return said[0] if said else None
    merged = {name: value for one in said for name, value in json.loads(one).items()}
    return json.dumps(merged, sort_keys=True, ensure_ascii=False)


def _fact_id(subject_id: str, predicate: str, key: str, polarity: str, certainty: str, valid_from: datetime) -> str:
    parts = [subject_id, predicate, key, polarity, valid_from.isoformat()]
    return content_id("fact", *parts, *([] if certainty == ASSERTED else [certainty]))


def _summaries(statements: pl.DataFrame) -> pl.DataFrame:
    """Aggregate the statements of each episode; `statements` is sorted by time."""
    surest = [pl.col("relation") == "RELATED_TO", -pl.col("confidence"), pl.col("evidence_id")]
    agent = pl.col("method") == "agent"
    said = pl.col("description").is_not_null() & (pl.col("description") != "")
    return statements.group_by("episode").agg(
        pl.col("subject_id", "predicate", "object_key", "object_id").first(),
        pl.col("subject", "subject_class", "object", "object_class").last(),
        pl.col("relation").sort_by(surest).first(),
        pl.col("functional").any(),
        pl.col("modality").unique().sort().alias("modalities"),
        pl.col("received_at").min().alias("known_from"),
        pl.len().cast(pl.Int64).alias("evidence_count"),
        pl.col("source_id").n_unique().cast(pl.Int64).alias("source_count"),
        pl.col("said_at").min().alias("first_said_at"),
        pl.col("said_at").max().alias("last_said_at"),
        pl.col("description").filter(said).last().fill_null("").alias("description"),
        pl.col("attitude").filter(agent & pl.col("attitude").is_not_null()).last(),
        pl.col("proximity").filter(agent & pl.col("proximity").is_not_null()).last(),
        pl.col("properties").drop_nulls(),
        pl.when(agent.any()).then(pl.lit("agent")).otherwise(pl.lit("extraction")).alias("recorded_by"),
        pl.col("evidence_id").unique().sort().alias("evidence_ids"),
        pl.col("source_id").unique().sort().alias("source_ids"),
    )


def _confidence(statements: pl.DataFrame) -> pl.DataFrame:
    """Return noisy-or per episode: 1 - Π (1 - c) over its sources, c = the source's highest confidence · its trust."""
    trust = pl.col("trust").replace_strict(TRUST, default=OTHER_TRUST, return_dtype=pl.Float64)
    sure = (pl.col("confidence") * trust).clip(0.0, MOST_SURE)
    by_source = statements.group_by("episode", "source_id").agg((1.0 - sure.max()).alias("doubt"))
    # Sorted, so that the product does not depend on the order of the rows.
    return by_source.group_by("episode").agg((1.0 - pl.col("doubt").sort().product()).round(6).alias("confidence"))


def _modality() -> pl.Expr:
    chosen = pl.when(pl.col("certainty") == ASSERTED).then(pl.lit(ASSERTED))
    for name in _MODALITIES:
        chosen = chosen.when(pl.col("modalities").list.contains(name)).then(pl.lit(name))
    return chosen.otherwise(pl.col("modalities").list.first())


def _with_links(facts: pl.DataFrame) -> pl.DataFrame:
    """Replace episode numbers by fact ids, and add `open_disputes`, the number of contradicting facts that are open."""
    ids = facts.select("episode", "fact_id", pl.col("until").is_null().alias("open"))
    for column, link in (("superseded_by", "superseded_by_fact_id"), ("supersedes", "supersedes_fact_id")):
        named = ids.select(pl.col("episode").alias(column), pl.col("fact_id").alias(link))
        facts = facts.join(named, on=column, how="left")
    pairs = facts.select("episode", "disputes").explode("disputes").drop_nulls()
    other = ids.select(pl.col("episode").alias("disputes"), pl.col("fact_id").alias("other"), "open")
    against = pairs.join(other, on="disputes").group_by("episode")
    disputed = against.agg(
        pl.col("other").unique().sort().alias("contradicts"), pl.col("open").any().alias("is_disputed")
    )
    empty = pl.lit([], dtype=pl.List(pl.String))
    return facts.join(disputed, on="episode", how="left").with_columns(pl.col("contradicts").fill_null(empty))


def _with_status(facts: pl.DataFrame, now: datetime | None) -> pl.DataFrame:
    is_over = pl.col("valid_to").is_not_null() & (pl.col("valid_to") <= pl.lit(now, dtype=_TIME))
    status = (
        pl.when(is_over)
        .then(pl.col("retired"))
        .when(pl.col("is_disputed").fill_null(value=False) & pl.col("valid_to").is_null())
        .then(pl.lit("contradicted"))
        .otherwise(pl.lit("current"))
    )
    return facts.with_columns(status.alias("status"))
