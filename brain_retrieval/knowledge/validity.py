"""Temporal queries on facts: valid at a moment, chains of replacement, drift of preferences and rules."""

from datetime import datetime

import polars as pl

from brain_retrieval.knowledge.predicates import behaviour

DRIFTING = ("preference", "rule", "policy")


def valid_at(facts: pl.DataFrame, at: datetime) -> pl.DataFrame:
    """Return the facts that hold at a moment of event time: valid_from ≤ at, and valid_to null or later.

    Args:
        facts: KNOWN_FACTS.
        at: with a time zone.
    """
    return facts.filter((pl.col("valid_from") <= at) & (pl.col("valid_to").is_null() | (pl.col("valid_to") > at)))


def chain(facts: pl.DataFrame, subject_id: str, predicate: str) -> pl.DataFrame:
    """Return the asserted facts of a subject and a canonical predicate, past and present, in order of event time."""
    mine = (pl.col("subject_id") == subject_id) & (pl.col("predicate") == predicate)
    return facts.filter(mine & (pl.col("modality") == "asserted")).sort("valid_from", "fact_id")


def drift(facts: pl.DataFrame, subject_id: str) -> dict[str, pl.DataFrame]:
    """Return the chains of a subject's preferences, rules and policies by canonical predicate."""
    predicates = facts.filter(pl.col("subject_id") == subject_id)["predicate"].unique().sort().to_list()
    wanted = [name for name in predicates if behaviour(name).family in DRIFTING]
    return {name: chain(facts, subject_id, name) for name in wanted}
