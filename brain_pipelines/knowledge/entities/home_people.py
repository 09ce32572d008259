"""Who is a person by all sources of a home: lists of given names are none, and the short form of a person is one."""

import re
from collections import defaultdict
from collections.abc import Iterator

import polars as pl

from brain_pipelines.stages.extraction.local.names.gazetteers import every_given_name, listed_places
from brain_pipelines.stages.extraction.local.names.mention import EVIDENT, GUESSED, MODEL
from brain_pipelines.stages.extraction.local.names.name_forms import type_by_ending

UNKNOWN_TYPE = "Concept"
_NO_WORD = re.compile(r"[^\w\s'’.-]|[\d_]|(?<!\w)-")  # "Michelle & Paul", "Edie - Emma"
SHORT_LIST = 2  # words of a name that may also be two people
MOST_WORDS = 4  # of a person's name


def with_people_of_home(rows: pl.DataFrame) -> pl.DataFrame:
    """Return ENTITIES rows with the types Person and Concept by what all sources together show.

    A run of given names that is written once ("Mila Enora Ava", the labels of a picture) is no person if other sources
    name these people apart. A guess ("Krijn") is a person if it is a part of a person's name ("Krijn Hoetmer"), or its
    first word is one.
    """
    people = rows.filter(pl.col("type") == "Person").select("name", "source_id", "confidence")
    alone: dict[str, set[str]] = defaultdict(set)
    full: dict[str, set[str]] = defaultdict(set)
    sure: set[str] = set()
    for name, source, confidence in people.iter_rows():
        (full if " " in name else alone)[name].add(source)
        if confidence >= EVIDENT:
            sure.add(name)
    lists = {name for name, sources in full.items() if _is_list(name.split(" "), sources, alone)}
    parts = {word for name in full.keys() - lists if name in sure for word in _parts(name)}
    open_type = pl.col("type") == UNKNOWN_TYPE
    doubtful = pl.col("type").is_in(("Location", "Organization", "Tool")) & pl.col("name").str.contains(" ")
    is_guess = (open_type & (pl.col("confidence") <= GUESSED)) | (doubtful & (pl.col("confidence") <= MODEL))
    found = {name for name in rows.filter(is_guess)["name"].unique() if _is_person(name, parts, sure)}
    kinds = dict.fromkeys(lists, UNKNOWN_TYPE)
    person = is_guess & pl.col("name").is_in(sorted(found))
    listed = (pl.col("type") == "Person") & pl.col("name").is_in(sorted(kinds))
    kind = pl.when(person).then(pl.lit("Person")).when(listed).then(pl.lit(UNKNOWN_TYPE)).otherwise(pl.col("type"))
    return rows.with_columns(kind.alias("type"))


def _is_list(words: list[str], sources: set[str], alone: dict[str, set[str]]) -> bool:
    """Return whether a name is a list of given names: its last word is one, and other sources name the people apart.

    Of three words and more all but one stand alone elsewhere; of two, both in one source that does not join them.
    """
    if words[-1] not in every_given_name() or len(sources) > 1:
        return False
    apart = [alone[word] - sources for word in words if alone.get(word)]
    apart = [places for places in apart if places]
    if len(words) > SHORT_LIST:
        return len(apart) >= len(words) - 1 and bool(alone.get(words[-1]))
    return len(apart) == SHORT_LIST and bool(apart[0] & apart[1])


def _parts(name: str) -> Iterator[str]:
    """Yield the first and the last word of a person's name, as they are used alone."""
    words = [word for word in name.split(" ") if len(word) > 1 and word[0].isupper()]
    yield from (words[0], words[-1]) if len(words) > 1 else ()


def _is_person(name: str, parts: set[str], sure: set[str]) -> bool:
    """Return whether a guess is a part of a person's name, or a longer name of a person known by the first word."""
    words = name.split(" ")
    if len(words) == 1:
        return name in parts
    if (
        len(words) > MOST_WORDS
        or type_by_ending(name)
        or words[-1] in listed_places()
        or _NO_WORD.search(name)
        or any(map(str.isupper, words))
        or not words[-1][0].isupper()
    ):
        return False
    return words[0] in sure and every_given_name().get(words[0], True)
