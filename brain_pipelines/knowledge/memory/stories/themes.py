"""Themes: what people do for months without a name for it (running, a garden, a move), found by words of six languages.

A memory is of a theme if it has a word of it that is enough alone ("marathon"), or two others ("ran", "miles"); so is
one with such a word in a short source that has two in all.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import polars as pl

from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_retrieval.ids import content_id
from brain_retrieval.knowledge.memories.shown.fitness import OWNER
from brain_retrieval.language.content_words import word_form
from brain_retrieval.language.lexicon import ENGLISH, code_of
from brain_retrieval.language.plain import plain
from brain_retrieval.stores.memory_tables import THEME

SUBJECT, NAMES, HINTS, JOURNEYS = "themes", "names", "_hints", "journeys"
STEADY, ESTABLISHED, MARGIN_DAYS = "steady", 4, 30
SHORT = 6  # memories of a source with one subject
ENOUGH = 2  # words, of which one that is enough alone counts as so many
# A change of where the owner lives is how a move came out, without a word of it: "I live in Lisbon now".
MOVE, RESIDENCE = "relocation", "lives_in"


@cache
def themes() -> dict[str, dict[str, str]]:
    """Return the names of each theme by language; the key is the id of the anchor of its storylines."""
    codes = LEXICONS.languages(SUBJECT)
    names = {code: LEXICONS.read(SUBJECT, code).table(NAMES) for code in codes}
    return {content_id(THEME, key): {code: names[code][key] for code in codes} for key in names[ENGLISH]}


@cache
def _words() -> pl.DataFrame:
    """Return code, word, theme_id and weight, ENOUGH of a word that is enough alone, 1 of others."""
    rows: dict[tuple[str, str, str], int] = {}
    for key in LEXICONS.read(SUBJECT).table(NAMES):
        for listed, weight in ((key, ENOUGH), (key + HINTS, 1)):  # "cycling" has the form of "cycle"
            rows |= {(code, word, content_id(THEME, key)): weight for code, word in _forms(listed)}
    columns = {"code": pl.String, "word": pl.String, "theme_id": pl.String, "weight": pl.Int64}
    return pl.DataFrame([(*key, weight) for key, weight in rows.items()], schema=columns, orient="row")


@cache
def theme_words(*, hints: bool = False) -> frozenset[str]:
    """Return the forms of the words of all themes and languages that are enough alone, or all of them."""
    return frozenset(_words().filter(pl.col("weight") >= (1 if hints else ENOUGH))["word"])


def _forms(listed: str) -> list[tuple[str, str]]:
    """Return the languages and words of a list, as memories have them among their anchors."""
    codes = LEXICONS.languages(SUBJECT)
    forms = ((code, form) for code in codes for form in LEXICONS.read(SUBJECT, code).listed(listed))
    return sorted({(code, word_form(plain(form))) for code, form in forms})


def themed(memories: pl.DataFrame) -> pl.DataFrame:
    """Return anchor_id, memory_id, code: the memories of each theme, with the code of their language.

    In a source of at most SHORT memories, which has one subject, the words of all of them count together. Of a steady
    theme that ESTABLISHED sources have, one of two words is enough there from MARGIN_DAYS before to after these, unless
    it is a loose one or one of another theme, too.

    Args:
        memories: memory_id, source_id, said_at, anchors (their words), optionally language.
    """
    found = _exploded(memories).join(_words(), on=["code", "word"])
    one = found.group_by("theme_id", "memory_id", "code").agg(pl.col("weight").sum())
    sources = memories.select("memory_id", "source_id", "said_at", short=pl.len().over("source_id") <= SHORT)
    together = (
        found.join(sources.filter("short"), on="memory_id")
        .unique(["theme_id", "source_id", "word"])
        .group_by("theme_id", "source_id")
        .agg(total=pl.col("weight").sum())
        .filter(pl.col("total") >= ENOUGH)
    )
    of_short = one.join(sources, on="memory_id").join(together, on=["theme_id", "source_id"], how="semi")
    enough = pl.concat([one.filter(pl.col("weight") >= ENOUGH), of_short.select(one.columns)])
    loose = pl.DataFrame(_forms("loose"), schema=["code", "word"], orient="row")
    sure = found.join(loose, on=["code", "word"], how="anti")
    sure = sure.filter(pl.col("theme_id").n_unique().over("memory_id", "word") == 1)  # an offer of a job or of a house
    enough = pl.concat([enough, _moves(memories).select(enough.columns)])
    enough = pl.concat([enough, _steady(one.join(sure, on=["theme_id", "memory_id"], how="semi"), enough, sources)])
    return enough.select("memory_id", "code", anchor_id="theme_id").unique().sort("anchor_id", "memory_id")


def is_move(row: Mapping[str, Any]) -> bool:
    """Return whether a memory says that the owner lives somewhere else now."""
    return row["slot_attribute"] == RESIDENCE and row["slot_subject"] == OWNER and row["cue"] != "none"


def _moves(memories: pl.DataFrame) -> pl.DataFrame:
    """Return theme_id, memory_id, code, weight of the memories that say that the owner lives somewhere else now."""
    changed = pl.struct("slot_subject", "slot_attribute", "cue").map_elements(is_move, return_dtype=pl.Boolean)
    return _coded(memories.filter(changed)).with_columns(
        theme_id=pl.lit(content_id(THEME, MOVE)), weight=pl.lit(ENOUGH, pl.Int64)
    )


def _steady(one: pl.DataFrame, enough: pl.DataFrame, sources: pl.DataFrame) -> pl.DataFrame:
    """Return the memories of short sources with one word of a steady theme, while ESTABLISHED sources are of it."""
    steady = [content_id(THEME, key) for key in LEXICONS.read(SUBJECT).listed(STEADY)]
    known = enough.filter(pl.col("theme_id").is_in(steady)).join(sources, on="memory_id")
    times = known.group_by("theme_id").agg(
        pl.col("source_id").n_unique(), first=pl.col("said_at").min(), last=pl.col("said_at").max()
    )
    times = times.filter(pl.col("source_id") >= ESTABLISHED).drop("source_id")
    likely = one.join(sources.filter("short"), on="memory_id").join(times, on="theme_id")
    margin = pl.duration(days=MARGIN_DAYS)
    during = pl.col("said_at").is_between(pl.col("first") - margin, pl.col("last") + margin)
    return likely.filter(during).select(one.columns)


def journeys(memories: pl.DataFrame) -> pl.DataFrame:
    """Return memory_id of the memories with a word of a journey or a move. Args: as in `themed`."""
    words = pl.DataFrame(_forms(JOURNEYS), schema=["code", "word"], orient="row")
    return _exploded(memories).join(words, on=["code", "word"], how="semi").select("memory_id").unique()


def _exploded(memories: pl.DataFrame) -> pl.DataFrame:
    """Return memory_id, code, word."""
    return _coded(memories).rename({"anchors": "word"}).explode("word").drop_nulls().unique()


def _coded(memories: pl.DataFrame) -> pl.DataFrame:
    """Return memory_id, code, anchors."""
    language = pl.col("language") if "language" in memories.columns else pl.lit(None, pl.String)
    named = memories.select("memory_id", "anchors", language.alias("language"))
    codes = {name: code_of(name) for name in named["language"].unique().drop_nulls().to_list()}
    code = pl.col("language").replace_strict(codes, default=ENGLISH, return_dtype=pl.String)
    return named.select("memory_id", "anchors", code=code)


def theme_name(theme_id: str, codes: Iterable[str]) -> str:
    """Return the name of a theme in the commonest of the languages, the first in the alphabet of several."""
    listed = sorted(codes)
    code = max(sorted(set(listed)), key=listed.count, default=ENGLISH)
    names = themes()[theme_id]
    return names.get(code, names[ENGLISH])
