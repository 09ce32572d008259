"""Which entities are shown: named things, what the owner declared, and topics with a name of their own that recur.

All other nouns ("dogs", "rent", "the meeting") are topics. They are resolved like entities, because statements refer to
them, but they stand in tables of their own.
"""

import re

import polars as pl

from brain_pipelines.knowledge.entities.names import is_email, is_exact_form, singular
from brain_pipelines.knowledge.entities.partition import Partition
from brain_pipelines.knowledge.entities.people import is_proper, stands_in_heading
from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.names.gazetteers import KIN, every_given_name, type_of_noun
from brain_pipelines.stages.extraction.local.names.mention import GUESSED, LARGE, MODEL, NAMED

_WORDS = LEXICONS.read("topics")

TOPIC_SOURCES, TOPIC_DAYS = 3, 2
AGENT = "agent"  # method of what an agent or the owner recorded by a tool
MOST_OFFICE_WORDS = 3  # "Deputy Parish Clerk"
_OFFICES = LEXICONS.every_language("offices").words("offices")
_BODIES = LEXICONS.every_language("offices").words("bodies")
_NUMBERED = LEXICONS.every_language("labels").words("numbered")
_UNITS = LEXICONS.every_language("labels").words("units")
_HEADINGS = LEXICONS.every_language("labels").words("headings")
_NUMBER = re.compile(r"#?\d{1,4}[a-z]?\.?|[ivx]{1,4}|[a-z]")
_DIGIT = re.compile(r"\d")
_HEADS = _WORDS.words("heads")
_ALONE = _WORDS.words("undertakings")
_URL = re.compile(r"^(?:https?://|www\.)", re.IGNORECASE)
_ZONE = re.compile(r"[a-z]/[A-Z]")  # "Europe/Lisbon"
_ABBREVIATIONS = _WORDS.words("abbreviations")
_OWNED = re.compile(r"^\S.*['’]s \S")


def named_entities(partition: Partition, members: pl.DataFrame, declared: set[int]) -> set[str]:
    """Return the ids of entities that are named in at least half of their sources, or declared.

    Args:
        members: ENTITY_MEMBERS of all rows.
        declared: nodes that a manual merge names.
    """
    columns = ["name", "type", "method"]
    rows = partition.names.rows.select(pl.col("entity_id").alias("member_id"), "confidence", *columns)
    joined = members.select("member_id", "entity_id", "source_id").join(rows, on="member_id")
    forms = joined.group_by("entity_id", *columns).agg(
        pl.col("confidence").max(), pl.col("source_id").n_unique().alias("sources")
    )
    named_in = joined.filter(pl.col("confidence") >= LARGE).group_by("entity_id", "name")
    # Whatever its type is in each; a word inside a sentence that is large in two sources is no mistake of the parser.
    large = (pl.col("confidence") == LARGE).any().cast(pl.Int64)
    often = named_in.agg((pl.col("source_id").n_unique() + large).alias("often"))
    forms = forms.join(often, on=["entity_id", "name"], how="left").with_columns(pl.col("often").fill_null(0))
    found = {partition.entity_of(node).entity_id for node in declared}
    named: dict[str, int] = {}
    others: dict[str, int] = {}
    for entity_id, name, kind, method, confidence, sources, often in forms.iter_rows():
        if method == AGENT:
            found.add(entity_id)
        counted = named if is_named(name, kind, confidence, method=method, sources=often) else others
        counted[entity_id] = counted.get(entity_id, 0) + (sources if counted is named or _is_common(name) else 0)
    return found | {entity_id for entity_id, count in named.items() if count >= others.get(entity_id, 0)}


def _is_common(name: str) -> bool:
    """Return whether a form is written like an ordinary word, which speaks against a name: "dates"."""
    return name == name.lower()


def is_named(name: str, kind: str, confidence: float, *, method: str = "local", sources: int = 1) -> bool:
    """Return whether a name with the type and confidence of its best row is the name of one thing or person."""
    if _URL.match(name) or _ZONE.search(name) or name.casefold() in _ABBREVIATIONS:
        return False
    # One word that only the parser takes for a name needs to recur, and so does what only large letters show.
    is_open = confidence == LARGE or (confidence == GUESSED and " " not in name.strip())
    if confidence < LARGE or (is_open and sources < TOPIC_SOURCES):
        return False
    if is_office(name) or is_label(name) or (method != AGENT and is_mixed_up(name)):
        return False
    words = name.casefold().split()
    if all(word in _HEADINGS for word in words):
        return False
    if kind == "Person":
        return is_proper(name) and not stands_in_heading(name, sure=confidence > MODEL)
    if type_of_noun(singular(name.casefold())) == kind:
        return False  # "Reviews" above a section is no name of one of them
    if is_email(name) or (kind == "Document" and is_exact_form(name)):
        return True
    is_written = any(char.isupper() or char >= "\u2e80" for char in name)
    return is_written or (kind != "Concept" and method != "llm" and confidence >= NAMED)


def is_office(name: str) -> bool:
    """Return whether a name says only what a person or a group is: "Clerk", "Parish Councillors", "the Council"."""
    words = name.casefold().split()
    if not words or len(words) > MOST_OFFICE_WORDS or name.split()[0] in every_given_name():
        return False
    return words[-1] in _OFFICES or (len(words) == 1 and words[0] in _BODIES)


def is_label(name: str) -> bool:
    """Return whether a name only numbers a part of something: "Task 2", "Schritt 3", "Phase II"."""
    noun, _, number = name.casefold().partition(" ")
    return noun.rstrip(".:#") in _NUMBERED and _NUMBER.fullmatch(number) is not None


def is_mixed_up(name: str) -> bool:
    """Return whether a form is more than a name: "Rent 598 euros", "Rent: Mill St", "Admin - Waste"."""
    if ": " in name or " - " in name or name.count("(") != name.count(")"):
        return True
    words = name.casefold().split()
    return bool(_DIGIT.search(name)) and any(word.strip(".,") in _UNITS for word in words)


def is_topic_name(name: str, kind: str) -> bool:
    """Return whether a common noun can name one undertaking ("UI redesign", "the launch") or a relative ("my dad")."""
    words = name.casefold().split()
    if not words:
        return False
    head = singular(words[-1])
    if kind == "Person":
        return bool(_OWNED.match(name)) and head in KIN
    return kind in ("Project", "Event") and (head in _ALONE or (len(words) > 1 and head in _HEADS))


def recurs(known: pl.DataFrame) -> pl.Expr:
    """Return for each row of KNOWN_ENTITIES whether it is a topic that recurs."""
    names = [is_topic_name(name, kind) for name, kind in known.select("name", "type").iter_rows()]
    often = (pl.col("source_count") >= TOPIC_SOURCES) & (pl.col("distinct_source_days") >= TOPIC_DAYS)
    return often & pl.Series(names, dtype=pl.Boolean)
