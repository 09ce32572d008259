"""Habits of a person: what comes back every week or month, what programs are always to do, steps in order.

All of them are functions of the rows of a snapshot alone, whatever their order; each names the sentences it rests on.
"""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import polars as pl

from brain_pipelines.knowledge.memory.habits.procedures import procedures
from brain_pipelines.knowledge.memory.habits.rhythmic import rhythmic_habits
from brain_pipelines.knowledge.memory.habits.rules import INSTRUCTION, rules
from brain_pipelines.knowledge.memory.habits.said import all_forms
from brain_pipelines.knowledge.memory.habits.stated import stated_habits
from brain_pipelines.knowledge.memory.habits.written import written
from brain_pipelines.knowledge.memory.machine_turns import is_machine
from brain_pipelines.knowledge.memory.stories.matters import relatives
from brain_pipelines.stages.extraction.local.names.gazetteers import given_names
from brain_retrieval.knowledge.memory_states import HIGH, NORMAL
from brain_retrieval.stores.memory_tables import HABITS

PERSON, EPHEMERAL = "Person", "ephemeral"


def build_habits(
    texts: pl.DataFrame, memories: pl.DataFrame, known: pl.DataFrame, *, now: datetime, zone: ZoneInfo
) -> pl.DataFrame:
    """Return HABITS, the latest first.

    Args:
        texts: TEXT_COLUMNS of DOCUMENT_TEXT.
        memories: MEMORY_COLUMNS of MEMORIES.
        known: KNOWN_ENTITIES; a person's name is what no habit is called.
        now: the end of the snapshot, exclusive; what is of a later day does not count yet.
        zone: of the user.
    """
    # What expires leaves no habit, and what is of high sensitivity waits for its name.
    lasting = texts.filter(
        pl.col("ttl_policy").fill_null("") != EPHEMERAL, pl.col("sensitivity").fill_null(NORMAL) != HIGH
    )
    today = (now - timedelta(microseconds=1)).astimezone(zone).date()
    languages = lasting.select("source_id", "language").unique("source_id")
    spoken = memories.filter(pl.col("said_at") < now).join(languages, on="source_id")
    pieces = written(lasting, spoken, zone).filter(pl.col("day") <= today)
    barred = _names_of_people(pieces, known)
    rows = [
        *rhythmic_habits(_of_people(pieces), barred, today),
        *rules(pieces, spoken.filter(pl.col("kind") == INSTRUCTION)),
        *procedures(pieces),
        *stated_habits(spoken, today),
    ]
    schema = pl.DataFrame(HABITS.empty_table()).schema
    found = pl.DataFrame(rows, schema=schema).unique("habit_id", keep="first", maintain_order=True)
    return found.sort(["last_at", "habit_id"], descending=[True, False])


def _names_of_people(pieces: pl.DataFrame, known: pl.DataFrame) -> frozenset[str]:
    """Return forms of the names of who speaks, and of people with a given name or several names.

    One word that is taken for a person's name may be none: "Lunch".
    """
    people = known.filter(pl.col("entity_class") == PERSON)
    listed = {*people["name"], *people["aliases"].explode().drop_nulls()}
    given = given_names()
    sure = {name for name in listed if len(name.split()) > 1 or name in given}
    speakers = set(pieces["speaker"].drop_nulls().unique())
    return frozenset[str]().union(*map(all_forms, sure | speakers)) - relatives()


def _of_people(pieces: pl.DataFrame) -> pl.DataFrame:
    """Return the pieces that no program said."""
    machine = pl.Series([bool(one) and is_machine(one) for one in pieces["speaker"]], dtype=pl.Boolean)
    return pieces.filter(~machine)
