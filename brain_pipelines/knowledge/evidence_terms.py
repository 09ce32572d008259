"""Tense and modality of a fact from its whole sentence (ended, planned, passing moods), and values of literals."""

import re
from datetime import date

import polars as pl

from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.time.date_ranges import period_of
from brain_retrieval.language.folding import fold

_WORDS = LEXICONS.read("evidence")

# States that ended if stated in the simple past ("lived in Rome"); the present perfect ("has lived") still holds.
_PAST = _WORDS.table("past")
_GOES_ON = r"(?:has|have|['’]ve|['’]s|had)"
_PLANNED = rf"(?:{_WORDS.expression('planned')})"
_SCHEDULED = "be scheduled for"
_ABOUT = "about|of|for|with|by|to|at|over|that"
_MOODS = _WORDS.words("moods")
_MONEY = re.compile(r"^[$€£]?\s*(\d[\d,]*(?:\.\d+)?)\s*(k|m)?$")
_SCALE = {"k": 1_000, "m": 1_000_000}


def with_tense(rows: pl.DataFrame) -> pl.DataFrame:
    """Set `stated_to` of states in the simple past to `said_at`, and the modality of undated plans to "possible".

    Dated statements and those written by agents are left unchanged.

    Args:
        rows: predicate (lemma form), method, evidence, modality, polarity, said_at, stated_from, stated_to.
    """
    verb = pl.col("predicate").str.to_lowercase().str.split(" ").list.first()
    role = pl.col("predicate").str.to_lowercase().str.extract(r"^be (.+) (?:of|at|for)$")
    past = verb.replace_strict(_PAST, default=None, return_dtype=pl.String)
    is_open = pl.col("stated_from").is_null() & pl.col("stated_to").is_null()
    undated = (pl.col("modality") == "asserted") & is_open & (pl.col("method") != "agent")
    text = pl.col("evidence").str.to_lowercase()
    plain = pl.when(undated & (pl.col("polarity") == "affirmed")).then(text).otherwise(pl.lit(""))
    was = r"\b(?:was|were)\b"
    might = plain.str.contains(was) | plain.str.contains(rf"\b(?:{'|'.join(sorted(set(_PAST.values())))})\b")
    # A cheap test on whole columns: only rows that may be in the past tense go through the Python loop of `_past`.
    rows = rows.with_columns(verb.alias("_verb"), role.alias("_role"), past.alias("_past"), plain.alias("_text"))
    rows = rows.with_columns(might.alias("_might"))
    return _moods(_planned(_past(rows), undated), undated).drop("_verb", "_role", "_past", "_text", "_might")


def _past(rows: pl.DataFrame) -> pl.DataFrame:
    chosen = rows.filter("_might").select("fact_id", "_text", "_past", "_role").rows()
    past_ids = [fact_id for fact_id, text, past, role in chosen if _has_ended(text, past, role)]
    ended = pl.when(pl.col("fact_id").is_in(past_ids)).then(pl.col("said_at")).otherwise(pl.col("stated_to"))
    return rows.with_columns(ended.alias("stated_to"))


def _has_ended(text: str, past: str | None, role: str | None) -> bool:
    """Return whether a sentence puts a role ("was CTO of") or a state ("lived in") in the simple past."""
    if role:
        # "was appointed CTO" is the beginning of the role, not its end.
        return re.search(rf"\b(?:was|were) (?:\w+ ){{0,3}}?{re.escape(role)}\b", text) is not None and not re.search(
            r"\b(?:was|were) (?:\w+ )?(?:appointed|named|elected|made|hired|promoted)\b", text
        )
    if not past or re.search(rf"\b{past}\b", text) is None:
        return False
    # "has lived" still holds, and "was used" is a passive whose form says nothing about the end.
    return not re.search(rf"{_GOES_ON} (?:\w+ ){{0,2}}?{past}\b|\b(?:was|were|is|are|been|being|get) {past}\b", text)


def _moods(rows: pl.DataFrame, undated: pl.Expr) -> pl.DataFrame:
    """Set `stated_to` of a mood ("is excited about") to one day after it was said."""
    form = pl.col("predicate").str.to_lowercase()
    feeling = pl.when(form.is_in(["be", "feel"])).then(pl.col("object").str.to_lowercase())
    felt = pl.coalesce(feeling, form.str.extract(rf"^(?:be|feel) (\w+) (?:{_ABOUT})$"))
    passes = undated & pl.col("stated_to").is_null() & felt.is_in(_MOODS)
    ended = pl.when(passes).then(pl.col("said_at") + pl.duration(days=1)).otherwise(pl.col("stated_to"))
    return rows.with_columns(ended.alias("stated_to"))


def _planned(rows: pl.DataFrame, undated: pl.Expr) -> pl.DataFrame:
    """Set the modality of an undated plan ("will move to Madrid") to "possible"."""
    text = pl.col("evidence").str.to_lowercase()
    chosen = rows.filter(undated & text.str.contains(rf"\b{_PLANNED}\b|{_PLANNED}\b")).select(
        "fact_id", "evidence", "_verb"
    )
    planned = [
        fact_id
        for fact_id, said, verb in chosen.iter_rows()
        if re.search(rf"(?:\b|(?<=\w)){_PLANNED} (?:\w+ ){{0,2}}?{_stem(verb)}(?:e|ing)?\b", said.lower())
    ]
    hedged = pl.when(pl.col("fact_id").is_in(planned)).then(pl.lit("possible")).otherwise(pl.col("modality"))
    return rows.with_columns(hedged.alias("modality"))


def _stem(verb: str) -> str:
    """Return the common stem of "move" and "moving" as a pattern."""
    return re.escape(verb.removesuffix("e") if len(verb) > 3 else verb)


def literal_keys(rows: pl.DataFrame) -> pl.DataFrame:
    """Add `object_key`: the id of an entity, or the value of a literal: an ISO 8601 date, a number, or folded text.

    Args:
        rows: object_id, object, predicate (canonical), said_at.
    """
    literals = rows.filter(pl.col("object_id").is_null())
    cases = literals.select("object", "predicate", pl.col("said_at").dt.date().alias("_day")).unique()
    keys = [_literal(*case) for case in cases.iter_rows()]
    known = cases.with_columns(pl.Series("_literal", keys, dtype=pl.String))
    joined = rows.with_columns(pl.col("said_at").dt.date().alias("_day")).join(
        known, on=["object", "predicate", "_day"], how="left"
    )
    return joined.with_columns(pl.coalesce("object_id", "_literal").alias("object_key")).drop("_literal", "_day")


def _literal(text: str, predicate: str, said: date) -> str:
    plain = fold(text).strip(" .,;:!?\"'")
    if predicate == _SCHEDULED:
        period = period_of(plain, said, 1)
        return period.start.isoformat() if period else plain
    if match := _MONEY.match(plain):
        number = float(match[1].replace(",", "")) * _SCALE.get(match[2] or "", 1)
        return f"{number:g}" if number < 1e15 else plain
    return plain or text
