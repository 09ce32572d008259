"""`derive_facts`: FACT_EVIDENCE → KNOWN_FACTS, a pure function of the set of statements.

A fact is a subject, a canonical predicate and an object, affirmed or denied, asserted or hedged, over one episode of
validity. Most facts have one open episode; only facts with conflicting statements are split (`timelines.py`). The
knowledge at an earlier time is the same function, applied to the evidence received until then.
"""

from datetime import datetime

import polars as pl

from brain_retrieval.knowledge.fact_rows import fact_rows
from brain_retrieval.knowledge.statements import ASSERTED, endings, prepare
from brain_retrieval.knowledge.timelines import EPISODES, cut

EPISODE_KEY = ["key", "polarity", "certainty"]


def derive_facts(evidence: pl.DataFrame, *, now: datetime | None = None) -> pl.DataFrame:
    """Return KNOWN_FACTS, sorted by fact_id.

    Only asserted statements end or replace other facts. Ended facts stay in the table.

    Args:
        evidence: FACT_EVIDENCE.
        now: facts that end after it are still current; default: the latest `received_at` of the evidence.
    """
    rows = prepare(evidence)
    ends = endings(rows)
    disputed = _disputable(rows, ends)
    episodes, support = cut(rows.filter(disputed), ends)
    simple, simple_support = _simple(rows.filter(~disputed), first=episodes.height)
    moment = now or max(evidence["received_at"].to_list(), default=None)
    return fact_rows(rows, pl.concat([episodes, simple]), pl.concat([support, simple_support]), moment)


def _disputable(rows: pl.DataFrame, ends: pl.DataFrame) -> pl.Expr:
    """Return an expression that selects the rows whose fact could be ended, denied or displaced."""
    asserted = rows.filter(pl.col("certainty") == ASSERTED)
    affirmed = asserted.filter(pl.col("polarity") == "affirmed")
    denied = asserted.group_by("key").agg(pl.col("polarity").n_unique().alias("n")).filter(pl.col("n") > 1)
    bounded = asserted.filter(pl.col("until").is_not_null() | pl.col("begins").is_null())
    keys = [
        denied["key"],
        bounded["key"],
        ends["key"],
        _contested(affirmed.filter(pl.col("functional")), "subject_id"),
        _contested(affirmed.filter(pl.col("exclusive") | pl.col("symmetric")), "object_key"),
        affirmed.filter("symmetric")["key"],
    ]
    return (pl.col("certainty") == ASSERTED) & pl.col("key").is_in(pl.concat(keys).unique().implode())


def _contested(rows: pl.DataFrame, side: str) -> pl.Series:
    """Return the keys that share a slot with another key."""
    many = rows.group_by(side, "predicate").agg(pl.col("key").unique()).filter(pl.col("key").list.len() > 1)
    return many["key"].explode()


def _simple(rows: pl.DataFrame, first: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return one episode per key, beginning with its first statement, and the supporting rows."""
    begins = pl.coalesce("begins", "until")
    asserted = pl.col("certainty") == ASSERTED
    # A hedged fact has ended if every statement of it gives an end.
    until = pl.when(pl.col("until").is_not_null().all() & ~asserted.first()).then(pl.col("until").max())
    grouped = (
        rows.group_by(EPISODE_KEY)
        .agg(begins.min().alias("begins"), until.alias("until"), pl.col("row"))
        .sort(EPISODE_KEY)
        .with_row_index("episode", offset=first)
    )
    support = grouped.select(pl.col("episode").cast(pl.Int64), "row").explode("row")
    episodes = grouped.with_columns(
        pl.col("episode").cast(pl.Int64),
        pl.when(pl.col("until").is_not_null()).then(pl.lit("ended")).otherwise(pl.lit("")).alias("retired"),
    )
    return _complete(episodes), support


def _complete(episodes: pl.DataFrame) -> pl.DataFrame:
    missing = [pl.lit(None).cast(kind).alias(name) for name, kind in EPISODES.items() if name not in episodes.columns]
    return episodes.with_columns(missing).select([pl.col(name).cast(kind) for name, kind in EPISODES.items()])
