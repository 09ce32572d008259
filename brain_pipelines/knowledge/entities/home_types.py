"""Types of names by all sources of a home: what the words of a name or another sentence show outweighs a guess."""

import re
from collections import Counter
from collections.abc import Collection

import polars as pl

from brain_pipelines.knowledge.entities.home_people import with_people_of_home
from brain_pipelines.knowledge.entities.names import is_written_as_name
from brain_pipelines.knowledge.entities.people import stands_in_heading
from brain_pipelines.stages.extraction.local.names.gazetteers import (
    every_given_name,
    known_names,
    listed_places,
    nicknames,
    rarer_given_names,
)
from brain_pipelines.stages.extraction.local.names.mention import EVIDENT, GUESSED, MODEL, NAMED
from brain_pipelines.stages.extraction.local.names.name_forms import begins_place, type_by_ending

UNKNOWN_TYPE = "Concept"
_OPEN = ("Person", UNKNOWN_TYPE)  # types that the words of a name overrule
_THINGS = ("Location", "Organization", "Tool")
_GUESSES = (*_THINGS, UNKNOWN_TYPE)
_TICKET, _VERSION = re.compile(r"[A-Z]{1,6}-\d{1,7}"), re.compile(r"(.{2,60}) v?\d[\d.]{0,12}")
GROUPS = 3  # names that begin with two words and are no people's
SHOWN_AMONG = 4  # of so many sources with a name one must show whose it is


def typed_by_all_sources(rows: pl.DataFrame) -> pl.DataFrame:
    """Return ENTITIES rows with types that agree with what all rows together show of a name."""
    rows = rows.with_columns(_by_ending(rows))
    rows = rows.with_columns(_by_number(rows))
    rows = rows.with_columns(_beside_heading(rows))
    rows = rows.with_columns(_as_shown(rows))
    rows = rows.with_columns(_as_person(rows))
    rows = rows.with_columns(_with_place(rows))
    rows = rows.with_columns(_known_organisation(rows))
    rows = rows.with_columns(_first_of_organisation(rows))
    rows = rows.with_columns(_without_guesses(rows))
    rows = rows.with_columns(_without_groups(rows))
    return with_people_of_home(rows)


def _by_ending(rows: pl.DataFrame) -> pl.Expr:
    """Return the types of rows; a person or concept whose words name streets or companies is one: "Elm Road"."""
    names = rows.filter(pl.col("type").is_in(_OPEN))["name"].unique().to_list()
    found = {name: kind for name in names if is_written_as_name(name) and (kind := _type_by_words(name))}
    if not found:
        return pl.col("type")
    ending = pl.col("name").replace_strict(found, default=None, return_dtype=pl.String)
    return pl.when(pl.col("type").is_in(_OPEN)).then(pl.coalesce(ending, "type")).otherwise("type").alias("type")


def _by_number(rows: pl.DataFrame) -> pl.Expr:
    """Return the types of rows; a guess is no place or person if it is a ticket ("LH-438") or a version of a tool."""
    tools = {name for name, kind in known_names().items() if kind == "Tool"}
    tools.update(rows.filter(pl.col("type") == "Tool")["name"])
    guess = pl.col("type").is_in(_THINGS + _OPEN) & (pl.col("confidence") <= MODEL)
    kinds: dict[str, str] = {}
    for name in rows.filter(guess)["name"].unique().to_list():
        if _TICKET.fullmatch(name):
            kinds[name] = UNKNOWN_TYPE
        elif (found := _VERSION.fullmatch(name)) and found[1] in tools:
            kinds[name] = "Tool"
    if not kinds:
        return pl.col("type")
    kind = pl.col("name").replace_strict(kinds, default=None, return_dtype=pl.String)
    return pl.when(guess).then(pl.coalesce(kind, "type")).otherwise("type").alias("type")


def _beside_heading(rows: pl.DataFrame) -> pl.Expr:
    """Return the types of rows; a guess that begins or ends with a word of headings is no person: "Raffle Costs"."""
    guess = (pl.col("type") == "Person") & (pl.col("confidence") <= MODEL)
    found = [name for name in rows.filter(guess)["name"].unique().to_list() if stands_in_heading(name)]
    beside = guess & pl.col("name").is_in(sorted(found))
    return pl.when(beside).then(pl.lit(UNKNOWN_TYPE)).otherwise("type").alias("type")


def _type_by_words(name: str) -> str | None:
    return type_by_ending(name) or ("Location" if begins_place(name) else None)


def _as_shown(rows: pl.DataFrame) -> pl.Expr:
    """Return the types of rows; who is a person only by the parser's guess is the thing that a sentence shows."""
    people = rows.filter((pl.col("type") == "Person") & (pl.col("confidence") > MODEL))
    sure = people["name"].str.to_lowercase().unique().to_list()
    shown = rows.filter(pl.col("type").is_in(_THINGS) & (pl.col("confidence") >= EVIDENT))
    weights = shown.group_by(pl.col("name").str.to_lowercase(), "type").agg(
        (pl.col("confidence") * 1000).round().cast(pl.Int64).sum().alias("weight")
    )
    best = weights.sort(["name", "weight", "type"], descending=[False, True, False]).unique("name", keep="first")
    kinds = {name: kind for name, kind in best.select("name", "type").iter_rows() if name not in set(sure)}
    if not kinds:
        return pl.col("type")
    kind = pl.col("name").str.to_lowercase().replace_strict(kinds, default=None, return_dtype=pl.String)
    return pl.when(pl.col("type") == "Person").then(pl.coalesce(kind, "type")).otherwise("type").alias("type")


def _as_person(rows: pl.DataFrame) -> pl.Expr:
    """Return the types of rows; a guess is a person if the name is shown to be one where it is known what it is.

    Of the sources with that name a quarter must show a person ("Present: Tamsin", "asked Seun"), one of them for
    certain, or two, or one where the parser takes it for a person in another, and no more may show a thing. A listed
    place stays one.
    """
    named = rows.select(pl.col("name").str.to_lowercase().alias("key"), "name", "type", "confidence", "source_id")
    person = (pl.col("type") == "Person") & (pl.col("confidence") >= EVIDENT)
    thing = (pl.col("type") != "Person") & (pl.col("confidence") >= EVIDENT)
    sure = person & (pl.col("confidence") >= NAMED) & ~pl.col("name").str.contains(" ")
    counts = named.group_by("key").agg(
        pl.col("source_id").filter(person).n_unique().alias("people"),
        pl.col("source_id").filter(sure).n_unique().alias("sure"),
        pl.col("source_id").filter(thing).n_unique().alias("things"),
        pl.col("source_id").filter(pl.col("type") == "Person").n_unique().alias("guessed"),
        pl.col("source_id").n_unique().alias("all"),
    )
    agreed = (pl.col("people") > 0) & (pl.col("guessed") >= 2) & (pl.col("things") == 0)
    shown = (pl.col("people") >= 2) | (pl.col("sure") > 0) | agreed
    often = (pl.col("people") > pl.col("things")) & (SHOWN_AMONG * pl.col("people") >= pl.col("all"))
    keys = counts.filter(shown & often)["key"].to_list()
    places = {name.lower() for name in listed_places()} | {name.lower() for name in known_names()}
    found = sorted(set(keys) - places)
    guess = pl.col("type").is_in(_GUESSES) & (pl.col("confidence") <= MODEL)
    is_person = guess & pl.col("name").str.to_lowercase().is_in(found)
    return pl.when(is_person).then(pl.lit("Person")).otherwise("type").alias("type")


def _with_place(rows: pl.DataFrame) -> pl.Expr:
    """Return the types of rows; a guessed person of several words one of which is a place here is none: "Dublin Dart".

    A given name in it may be that of a person, as may a name that a sentence shows to be one.
    """
    places = rows.filter((pl.col("type") == "Location") & (pl.col("confidence") >= MODEL))
    towns = {name for name in places["name"].unique() if " " not in name and name not in every_given_name()}
    people = rows.filter((pl.col("type") == "Person") & pl.col("name").str.contains(" "))
    sure = set(people.filter(pl.col("confidence") > MODEL)["name"])
    found = [name for name in people["name"].unique() if name not in sure and _names_town(name.split(" "), towns)]
    named = (pl.col("type") == "Person") & pl.col("name").is_in(sorted(found))
    return pl.when(named).then(pl.lit(UNKNOWN_TYPE)).otherwise("type").alias("type")


def _names_town(words: list[str], towns: set[str]) -> bool:
    return not towns.isdisjoint(words) and not any(word in every_given_name() for word in words)


def _known_organisation(rows: pl.DataFrame) -> pl.Expr:
    """Return the types of rows; an organisation that no row of the home is more than a guess for is a Concept.

    A parser labels most unknown acronyms and headings as organisations ("WIP", "DHT").
    """
    guess = (pl.col("type") == "Organization") & (pl.col("confidence") <= GUESSED)
    shown = rows.filter((pl.col("type") == "Organization") & (pl.col("confidence") > GUESSED))
    names = shown.select(pl.col("name").str.to_lowercase().unique())["name"].to_list()
    unknown = guess & ~pl.col("name").str.to_lowercase().is_in(names)
    return pl.when(unknown).then(pl.lit(UNKNOWN_TYPE)).otherwise("type").alias("type")


def _first_of_organisation(rows: pl.DataFrame) -> pl.Expr:
    """Return the types of rows; a guess that is the first word of an organisation here is that: "Oakdene", a hospital.

    A given name may be that of a person, as may the first or last word of a person's name.
    """
    longer = rows.filter((pl.col("type") == "Organization") & pl.col("name").str.contains(" "))["name"].unique()
    firsts = {name.split(" ")[0] for name in longer if type_by_ending(name) == "Organization"}
    people = rows.filter((pl.col("type") == "Person") & pl.col("name").str.contains(" "))["name"].unique()
    of_people = {word for name in people for word in (name.split(" ")[0], name.split(" ")[-1])}
    found = sorted(firsts - of_people - every_given_name().keys())
    guess = pl.col("type").is_in(("Person", "Location", UNKNOWN_TYPE)) & (pl.col("confidence") <= MODEL)
    is_first = guess & pl.col("name").is_in(found)
    return pl.when(is_first).then(pl.lit("Organization")).otherwise("type").alias("type")


def _without_guesses(rows: pl.DataFrame) -> pl.Expr:
    """Return the types of rows; a single word is no person if the home has no more than its large letter for it.

    Such words begin the lines of notes and logs: "Verdict", "Sandbox". What lists as a given name alone stays one. Nor
    is "Bo-facing" a person, where Bo is.
    """
    people = rows.filter((pl.col("type") == "Person") & ~pl.col("name").str.contains(" "))
    surest = dict(people.group_by("name").agg(pl.col("confidence").max()).iter_rows())
    large = {name: surely for name, surely in surest.items() if name[0].isupper()}
    guesses = {name for name, surely in large.items() if surely <= GUESSED and not _is_only_name(name)}
    found = guesses.union(name for name in large if _is_beside_name(name, surest))
    guess = (pl.col("type") == "Person") & pl.col("name").is_in(sorted(found))
    return pl.when(guess).then(pl.lit(UNKNOWN_TYPE)).otherwise("type").alias("type")


def _is_only_name(word: str) -> bool:
    """Return whether a word is a given name, or a short form of one, and in no list also something else."""
    known = every_given_name().get(word, rarer_given_names().get(word))
    return word.lower() in nicknames() if known is None else known


def _is_beside_name(name: str, people: Collection[str]) -> bool:
    """Return whether a word is the name of a person with a small word behind a hyphen: "Bo-led"."""
    first, _, rest = name.partition("-")
    return rest.islower() and first in people


def _without_groups(rows: pl.DataFrame) -> pl.Expr:
    """Return the types of rows; no person has a number in the name, or two words in common with GROUPS others.

    "Circle Makers Hull" and "Circle Makers Leeds" are groups; "Ana Maria Costa" begins with a given name.
    """
    people = rows.filter((pl.col("type") == "Person") & pl.col("name").str.contains(" "))["name"].unique().to_list()
    words = {name: name.split(" ") for name in people}
    begins = Counter(tuple(one[:2]) for one in words.values() if len(one) > 2 and one[0] not in every_given_name())
    stems = {begin for begin, count in begins.items() if count >= GROUPS}
    found = [name for name, one in words.items() if tuple(one[:2]) in stems or any(map(str.isdigit, one))]
    group = (pl.col("type") == "Person") & pl.col("name").is_in(sorted(found))
    return pl.when(group).then(pl.lit(UNKNOWN_TYPE)).otherwise("type").alias("type")
