"""Themes: what people do for months without a name for it (running, a garden, a move), found by words of six languages.

A memory is of a theme if it has a word of it that is enough alone ("marathon"), or two others ("ran", "miles").
"""

from collections.abc import Iterable
from functools import cache

import polars as pl

from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_retrieval.ids import content_id
from brain_retrieval.language.content_words import word_form
from brain_retrieval.language.lexicon import ENGLISH, code_of
from brain_retrieval.language.plain import plain
from brain_retrieval.stores.memory_tables import THEME

SUBJECT, NAMES, HINTS, JOURNEYS = "themes", "names", "_hints", "journeys"
ENOUGH = 2  # words, of which one that is enough alone counts as so many


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


def _forms(listed: str) -> list[tuple[str, str]]:
    """Return the languages and words of a list, as memories have them among their anchors."""
    codes = LEXICONS.languages(SUBJECT)
    forms = ((code, form) for code in codes for form in LEXICONS.read(SUBJECT, code).listed(listed))
    return sorted({(code, word_form(plain(form))) for code, form in forms})


def themed(memories: pl.DataFrame) -> pl.DataFrame:
    """Return anchor_id, memory_id, code: the memories of each theme, with the code of their language.

    Args:
        memories: memory_id, anchors (their words), optionally language.
    """
    return (
        _exploded(memories)
        .join(_words(), on=["code", "word"])
        .group_by("theme_id", "memory_id", "code")
        .agg(pl.col("weight").sum())
        .filter(pl.col("weight") >= ENOUGH)
        .select("memory_id", "code", anchor_id="theme_id")
    )


def journeys(memories: pl.DataFrame) -> pl.DataFrame:
    """Return memory_id of the memories with a word of a journey or a move. Args: as in `themed`."""
    words = pl.DataFrame(_forms(JOURNEYS), schema=["code", "word"], orient="row")
    return _exploded(memories).join(words, on=["code", "word"], how="semi").select("memory_id").unique()


def _exploded(memories: pl.DataFrame) -> pl.DataFrame:
    """Return memory_id, code, word."""
    language = pl.col("language") if "language" in memories.columns else pl.lit(None, pl.String)
    named = memories.select("memory_id", "anchors", language.alias("language"))
    codes = {name: code_of(name) for name in named["language"].unique().drop_nulls().to_list()}
    code = pl.col("language").replace_strict(codes, default=ENGLISH, return_dtype=pl.String)
    return named.select("memory_id", code.alias("code"), word="anchors").explode("word").drop_nulls().unique()


def theme_name(theme_id: str, codes: Iterable[str]) -> str:
    """Return the name of a theme in the commonest of the languages, the first in the alphabet of several."""
    listed = sorted(codes)
    code = max(sorted(set(listed)), key=listed.count, default=ENGLISH)
    names = themes()[theme_id]
    return names.get(code, names[ENGLISH])
