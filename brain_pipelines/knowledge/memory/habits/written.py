"""What was written on which day, for habits: pieces of texts with their day in the user's zone, and their words."""

from functools import cache
from zoneinfo import ZoneInfo

import polars as pl

from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_pipelines.stages.enrichment.words import empty_words, function_words, vague_nouns
from brain_retrieval.language.content_words import word_form
from brain_retrieval.language.lexicon import ENGLISH, SHARED, code_of
from brain_retrieval.language.plain import plain

TEXT_COLUMNS = ["source_id", "source", "language", "event_at", "sensitivity", "ttl_policy", "text", "segments"]
# Segments that someone wrote or said: no tables, data, pictures and generated sentences.
WRITTEN = ("page", "message", "section", "body", "speech")
LEAST_LETTERS = 3
SUBJECT = "habits"
_WORD = r"\p{L}[\p{L}\p{M}]+"


def written(texts: pl.DataFrame, memories: pl.DataFrame, zone: ZoneInfo) -> pl.DataFrame:
    """Return piece, source_id, source, language, at, day, speaker, start and text of what was written or said.

    Args:
        texts: TEXT_COLUMNS of DOCUMENT_TEXT.
        memories: source_id, start and said_at of MEMORIES, which know the day of a heading in a diary.
        zone: of the user, in which days begin and end.
    """
    segment = pl.col("segments").struct
    pieces = (
        texts.select(TEXT_COLUMNS)
        .explode("segments")
        .with_columns(
            kind=segment.field("kind").fill_null(WRITTEN[0]),
            start=segment.field("start").fill_null(0),
            end=segment.field("end").fill_null(pl.col("text").str.len_chars().cast(pl.Int64)),
            speaker=segment.field("speaker"),
            time=segment.field("time"),
        )
        .filter(pl.col("kind").is_in(WRITTEN), pl.col("start") < pl.col("end"))
        .with_columns(text=pl.col("text").str.slice("start", (pl.col("end") - pl.col("start"))))
        .sort("start", "source_id")
    )
    pieces = (
        pieces.with_columns(at=pl.coalesce("time", _times(pieces, memories), "event_at"))
        .with_columns(label=_label())
        .with_columns(text=pl.col("text").str.slice("label"), start=pl.col("start") + pl.col("label"))
        .with_columns(day=pl.col("at").dt.convert_time_zone(zone.key).dt.date())
        .sort("at", "source_id", "start")
    )
    columns = ["source_id", "source", "language", "at", "day", "speaker", "start", "text"]
    return pieces.select(columns).with_row_index("piece")


def _times(pieces: pl.DataFrame, memories: pl.DataFrame) -> pl.Series:
    """Return the time of the first memory of each piece, null where there is none. Args: pieces sorted by `start`."""
    numbered = pieces.select("source_id", "start").with_row_index("number")
    said = memories.select("source_id", "start", "said_at").sort("start", "source_id")
    within = said.join_asof(numbered, on="start", by="source_id", strategy="backward", check_sortedness=False)
    first = within.drop_nulls("number").group_by("number").agg(pl.col("said_at").min())
    return numbered.select("number").join(first, on="number", how="left", maintain_order="left")["said_at"]


def _label() -> pl.Expr:
    """Return the length of "Speaker: " before what was said."""
    label = pl.col("speaker").fill_null("") + ": "
    found = pl.col("speaker").is_not_null() & pl.col("text").str.starts_with(label)
    return pl.when(found).then(label.str.len_chars()).otherwise(0).cast(pl.Int64)


def words_of_days(pieces: pl.DataFrame) -> pl.DataFrame:
    """Return word and piece, once each: the words of the pieces in their common form, without empty ones."""
    words = (
        pieces.select("piece", "language", word=pl.col("text").str.to_lowercase().str.extract_all(_WORD))
        .explode("word")
        .drop_nulls("word")
        .unique()
    )
    listed = words.select("language", "word").unique().rows()
    kept = [(language, word, form) for language, word in listed if (form := _form(word, language))]
    schema = {"language": pl.String, "word": pl.String, "form": pl.String}
    forms = pl.DataFrame(kept, schema=schema, orient="row")
    found = words.join(forms, on=["language", "word"], nulls_equal=True)
    return found.select("piece", word="form").unique()


def _form(word: str, language: str | None) -> str | None:
    """Return the common form of a word, None of an empty one."""
    form = word_form(plain(word))
    hollow = len(word) < LEAST_LETTERS or word in hollow_words(language) or form in hollow_forms(language)
    return None if hollow else form


@cache
def hollow_words(language: str | None) -> frozenset[str]:
    """Return words of a language and of English that name nothing that is done: function words, times, greetings."""
    code = code_of(language)
    known = dict.fromkeys((code if LEXICONS.has(SUBJECT, code) else ENGLISH, ENGLISH))
    greetings = {word for one in known for word in LEXICONS.read(SUBJECT, one).listed("hollow")}
    weekdays = SHARED.every_language("question_times").words("short_weekdays")
    return function_words(code) | empty_words(None) | vague_nouns() | weekdays | greetings


@cache
def hollow_forms(language: str | None) -> frozenset[str]:
    """Return `hollow_words` in the common form of words."""
    return frozenset(word_form(plain(word)) for word in hollow_words(language))
