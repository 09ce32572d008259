"""Preparation of evidence as statements with a begin, an end and whether they state a change.

Conflicts between statements are resolved in `slots.py` and `episodes.py`. Times are microseconds since 1970.
"""

import polars as pl

from brain_retrieval.knowledge.predicates import (
    behaviour,
    contains_places,
    ended_as,
    ends,
    is_change,
    is_specific,
)

KEY = ["subject_id", "predicate", "object_key"]
ASSERTED, HEDGED = "asserted", "hedged"
_NAMED = ("Entity", "Person")  # classes of objects that can be led; a concept is rarely a single thing


def prepare(evidence: pl.DataFrame) -> pl.DataFrame:
    """Return evidence sorted, with row number, key number and times.

    Args:
        evidence: FACT_EVIDENCE.

    Returns:
        The columns of evidence and row, key, certainty, begins, until, again, change, functional, exclusive, symmetric,
        ends. `begins` is null if only the end is stated. `again` is the time at which the fact is stated to hold still:
        set for "has lived there since 2020", not for "moved there in 2020".
    """
    ordered = evidence.sort("said_at", "evidence_id").with_row_index("row")
    rows = _with_changes(_with_behaviour(ordered))
    is_end = pl.col("ends").list.len() > 0
    over = pl.col("stated_from").is_null() & (pl.col("stated_to") <= pl.col("said_at"))
    begins = (
        pl.when(is_end)
        .then(pl.coalesce("stated_to", "stated_from", "said_at"))
        .when(~over.fill_null(value=False))
        .then(pl.coalesce("stated_from", "said_at"))
    )
    until = pl.when(~is_end).then(pl.col("stated_to"))
    still = ~pl.col("change") & pl.col("stated_to").is_null() & (pl.col("said_at") > pl.col("stated_from")) & ~is_end
    return (
        rows.with_columns(
            pl.struct(KEY).rank("dense").cast(pl.Int64).alias("key"),
            pl.when(pl.col("modality") == "asserted")
            .then(pl.lit(ASSERTED))
            .otherwise(pl.lit(HEDGED))
            .alias("certainty"),
            begins.dt.epoch("us").alias("begins"),
            until.dt.epoch("us").alias("until"),
            pl.when(still).then(pl.col("said_at")).dt.epoch("us").alias("again"),
        )
        .with_columns(pl.when((pl.col("until") <= pl.col("begins")).not_() | pl.col("begins").is_null()).then("until"))
        .sort("row")
    )


def _with_changes(rows: pl.DataFrame) -> pl.DataFrame:
    """Add `change`, whether the form states a beginning, and `ends`, the predicates that it ends."""
    forms = rows.select("predicate_text", "predicate").unique()
    known = pl.DataFrame(
        [(text, name, is_change(text, name), list(ends(text, name))) for text, name in forms.iter_rows()],
        schema={"predicate_text": pl.String, "predicate": pl.String, "change": pl.Boolean, "ends": pl.List(pl.String)},
        orient="row",
    )
    joined = rows.join(known, on=["predicate_text", "predicate"], how="left")
    does_not_count = (pl.col("modality") != "asserted") | (pl.col("polarity") != "affirmed")
    empty = pl.lit([], dtype=pl.List(pl.String))
    return joined.with_columns(pl.when(does_not_count).then(empty).otherwise(pl.col("ends")).alias("ends"))


def _with_behaviour(rows: pl.DataFrame) -> pl.DataFrame:
    """Add the temporal behaviour; a predicate is functional or exclusive only between named entities."""
    flags = ["functional", "exclusive", "symmetric"]
    predicates = rows["predicate"].unique().to_list()
    found = {name: behaviour(name) for name in predicates}
    behaved = [name for name, how in found.items() if how.functional or how.exclusive]
    names = ["predicate", "subject", "subject_class", "object", "object_class"]
    cases = rows.filter(pl.col("predicate").is_in(behaved)).select(names).unique()
    known = pl.DataFrame(
        [(*case, *_behaves(*case)) for case in cases.iter_rows()],
        schema=dict.fromkeys(names, pl.String) | dict.fromkeys(flags, pl.Boolean),
        orient="row",
    )
    return rows.join(known, on=names, how="left").with_columns(pl.col(flags).fill_null(False))


def _behaves(predicate: str, subject: str, subject_class: str, obj: str, object_class: str) -> tuple[bool, bool, bool]:
    how = behaviour(predicate)
    functional = how.functional and (subject_class == "Person" or is_specific(subject))
    if how.classes:
        functional = functional and object_class in how.classes
    if how.family == "place":
        functional = functional and not contains_places(obj)
    exclusive = how.exclusive and subject_class == "Person" and object_class in _NAMED and is_specific(obj)
    return functional, exclusive, how.symmetric and functional


def endings(rows: pl.DataFrame) -> pl.DataFrame:
    """Return key, at (µs), received, source and place in the text of every statement that ends another fact.

    "Bob left Acme" ends "Bob works at Acme", and every office he had there.
    """
    telling = rows.filter(pl.col("ends").list.len() > 0).explode("ends")
    predicates = rows["predicate"].unique().to_list()
    names = {name: ended_as(name) for name in predicates}
    keys = rows.select(*KEY, "key").unique().with_columns(pl.col("predicate").replace_strict(names).alias("ends"))
    mutual = keys.filter(pl.col("predicate").is_in([name for name in predicates if behaviour(name).symmetric]))
    sides = ["subject_id", "object_key"]
    either_way = pl.concat([keys, mutual.rename({sides[0]: sides[1], sides[1]: sides[0]}).select(keys.columns)])
    joined = telling.drop("key").join(either_way.select(*sides, "ends", "key"), on=[*sides, "ends"])
    columns = [
        pl.col("begins").alias("at"),
        pl.col("received_at").dt.epoch("us").alias("received"),
        "source_id",
        "start",
    ]
    return joined.select("key", *columns).unique().sort("key", "at", "source_id", "start", "received")
