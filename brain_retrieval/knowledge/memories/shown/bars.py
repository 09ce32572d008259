"""How useful a memory has to be (`usefulness.py`) to be shown to a reader who did not ask for anything.

A usefulness of .7 is right on average over all labelled homes, but not for each kind of text. People jot down what they
want to have later; much of it is useful that looks ordinary. Diaries, blogs and weeknotes tell what a day was like; of
that only what looks most useful is shown, but also what looks ordinary and tells what a life turns on (`matters.py`).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from brain_retrieval.knowledge.memories.shown.display import is_routine
from brain_retrieval.knowledge.memories.shown.fitness import FEW as FEW_SOURCES
from brain_retrieval.knowledge.memories.shown.matters import is_matter
from brain_retrieval.knowledge.memories.shown.narrated import is_narrated
from brain_retrieval.knowledge.memories.shown.surroundings import Surroundings
from brain_retrieval.knowledge.memories.shown.usefulness import is_essay

# Usefulness (`usefulness.py`): of 100 memories of homes left out that have it, readers find 80 useful.
MIN_USEFUL = 0.7
# In a home of jotted facts, which their owner wrote down to have them later, more is useful than in the labelled homes,
# which have next to none; of what people write to one another there, too. What states no value must be a little surer.
JOTTED_USEFUL, TALK_USEFUL, LESS_SURE = 0.55, 0.55, 0.05
# What a mail to someone who jots down facts states, such as a day or a price, looks least like it: of 17 such lines
# between .3 and .55 readers found 16 useful.
MAIL_USEFUL = 0.4
# In longer notes, for what a life or a work turns on (`matters.py`), and for what else they say. Readers differ on the
# latter: of labelled lines of .75 and more, those of older homes found 34 of 37 useful, a strict one 1 of 7.
MATTER_USEFUL, STORY_USEFUL = 0.35, 0.8
MATTER_IN_TALK = 0.3  # of the labelled ones of talk and mail between .3 and .55, 10 of 13 were useful
NEVER = 2.0  # above every probability
# Of what else they say only so much is shown that the list has these lines.
FILLED = 3
# A list of fewer lines is filled up to them with what is a little less useful, rather than left empty. With three lines
# .76 of all would be useful, with one .80. Of what longer notes have between .6 and .7, 26 of 120 lines were.
FEW, LESS_USEFUL = 1, 0.6
INSTRUCTION, EMAIL = "instruction", "email"
_IN_TALK = frozenset({"conversation", EMAIL})

Row = Mapping[str, Any]


def least_useful(row: Row, home: Surroundings) -> float:
    """Return how useful a memory has to be to be shown.

    Args:
        row: of MEMORIES.
        home: of all memories of the user.
    """
    if is_matter(row, home):
        return MATTER_IN_TALK if row["source"] in _IN_TALK else MATTER_USEFUL
    return least_ordinary(row, home)


def least_ordinary(row: Row, home: Surroundings) -> float:
    """Return how useful a memory that is no matter has to be to be shown, with the arguments of `least_useful`."""
    if of_essay(row, home):
        done = row["kind"] == INSTRUCTION or is_narrated(row)  # a task of a log is done, or is none of its reader
        return NEVER if done or not _is_of_person(row) else STORY_USEFUL
    if row["source_id"] in home.diaries and is_narrated(row):
        return NEVER  # of a diary beside jotted facts
    if not home.of_facts or is_routine(row):
        return MIN_USEFUL
    talk = TALK_USEFUL if row["source"] in _IN_TALK else MIN_USEFUL
    least = JOTTED_USEFUL if row["source_id"] in home.jotted else talk
    said = row["said_at"].date().isoformat()
    stated = any(value["value"] != said for value in row["values"] or ())  # "saw it again today" is of a moment
    if not stated:
        return min(least + LESS_SURE, MIN_USEFUL)
    return MAIL_USEFUL if row["source"] == EMAIL else least


def least_alone(row: Row, home: Surroundings) -> float:
    """Return how useful a memory has to be to be the only one, rather than to show nothing; 1: it never is.

    What meetings say of themselves fills no list, nor what the notes of a diary tell.
    """
    story = row["method"] == "local" and row["source"] == "note" and not home.of_facts and home.sources >= FEW_SOURCES
    return 1.0 if story or is_routine(row) else LESS_USEFUL


def useful_enough(chances: Mapping[str, float], least: Mapping[str, float], alone: Mapping[str, float]) -> set[str]:
    """Return the ids of the memories that are shown.

    Args:
        chances: by id how useful they are to their owner.
        least: by id how useful they have to be.
        alone: by id how useful they have to be as one of the FEW surest.
    """
    surest = sorted(chances, key=lambda key: (-chances[key], key))
    found = {key for key in surest if chances[key] >= least[key]}
    if len(found) < FEW:
        likely = [key for key in surest if chances[key] >= alone[key]]
        found |= set([key for key in likely if key not in found][: FEW - len(found)])
    return found


def filled_up(order: Sequence[Row], home: Surroundings) -> list[Row]:
    """Return the rows in order, what else longer notes say only to fill a list of fewer than FILLED lines.

    Args:
        order: rows of MEMORIES that are useful enough, the best first.
        home: of all memories of the user.
    """
    story = {row["memory_id"] for row in order if of_essay(row, home) and not is_matter(row, home)}
    room = FILLED - (len(order) - len(story))
    fills = set([row["memory_id"] for row in order if row["memory_id"] in story][: max(0, room)])
    return [row for row in order if row["memory_id"] not in story or row["memory_id"] in fills]


def _is_of_person(row: Row) -> bool:
    """Return whether its writer or another person does or is what a memory says; else it tells what a thing is."""
    people = (one for one in row["entities"] or () if one["type"] == "Person")
    return any(one["role"] in ("speaker", "subject") for one in people)


def of_essay(row: Row, home: Surroundings) -> bool:
    """Return whether a memory was read from a longer note, of a home with enough sources to tell what recurs in them.

    Where people jot down facts, they write longer notes for themselves, too.
    """
    written = row["method"] == "local" and not home.of_facts
    return written and is_essay(row, home) and home.sources >= FEW_SOURCES
