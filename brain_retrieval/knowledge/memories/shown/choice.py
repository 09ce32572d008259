"""Which memories are shown first, and in which order."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

import numpy as np

from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.knowledge.memories.postings import Rows
from brain_retrieval.knowledge.memories.seen import OUTDATED, Seen
from brain_retrieval.knowledge.memories.shown.bars import (
    filled_up,
    least_alone,
    least_ordinary,
    least_useful,
    of_essay,
    useful_enough,
)
from brain_retrieval.knowledge.memories.shown.coming import is_long_over
from brain_retrieval.knowledge.memories.shown.display import may_stand_in_front, mixed, one_a_topic, worth_showing
from brain_retrieval.knowledge.memories.shown.matters import (
    DECIDED,
    DUES,
    LEAST_KEEP_ANNOUNCED,
    SUM,
    is_matter,
    matter_of,
    stays,
    superseded,
    without_steps,
)
from brain_retrieval.knowledge.memories.shown.meaning import promising
from brain_retrieval.knowledge.memories.shown.orders import is_order
from brain_retrieval.knowledge.memories.shown.surroundings import Surroundings
from brain_retrieval.knowledge.memories.stored import life_matters, worth_judging
from brain_retrieval.knowledge.memories.supersession import CHANGE
from brain_retrieval.knowledge.memories.vectors import MemoryVectors

PASSING = (None, "health", DUES, SUM, DECIDED)  # matters that are over with their day; None: a day that was to come
MOST_COMPARED, MOST_JUDGED = 1000, 200  # of all memories, by what is stored of them; of these, with their vectors

Row = Mapping[str, Any]
Ranked = Mapping[str, tuple[float, Mapping[str, float], Seen]]  # by id: the score, its parts, the memory


def likely_rows(
    index: MemoryIndex, counted: np.ndarray | None, vectors: Mapping[str, MemoryVectors], at: datetime
) -> Rows:
    """Return the numbers of the rows that may be shown first: the most likely ones, and what a life turns on.

    Args:
        index: of the memories.
        counted: bool (n,), those that count; None: all do.
        vectors: by model.
        at: the time asked about.
    """
    compared = worth_judging(index.rows, counted, at=at, most=MOST_COMPARED)
    ordinary = worth_judging(index.rows, counted, at=at, most=MOST_COMPARED, least_keep=LEAST_KEEP_ANNOUNCED)
    turning = life_matters(index, ordinary, most=MOST_JUDGED)
    return np.union1d(promising(index, vectors, compared, most=MOST_JUDGED), turning)


def is_wanted(row: Row, home: Surroundings, today: date) -> bool:
    """Return whether a memory may be among those shown first, for what it says: neither an order nor long over.

    In a home to which nothing is added any more, what was to come at its last entry still is.

    Args:
        row: of MEMORIES.
        home: of all memories of the user.
        today: the day asked about.
    """
    matter = is_matter(row, home)
    if not (matter or worth_showing(row)) or is_order(row, home):
        return False
    # Who starts a job or moves on 1 May works or lives there later; an operation set for that day, or a fee, is past.
    lasts = matter and (row["kind"] == "event" or matter_of(row) not in PASSING)
    last = today if home.latest is None else min(today, home.latest.date())
    return lasts or not is_long_over(row, last)


def stands(one: Seen, rows: Mapping[str, Row], home: Surroundings) -> bool:
    """Return whether a memory may stand in front: it holds, or what may have changed it is of another matter.

    Args:
        one: the memory.
        rows: of MEMORIES by id, those that have ended it among them.
        home: of all memories of the user.
    """
    if may_stand_in_front(one):
        return True
    if one.status != OUTDATED or not (of_essay(one.row, home) or all(by.kind == CHANGE for by in one.ended_by)):
        return False
    changes = [rows.get(ending.memory_id) for ending in one.ended_by]
    return None not in changes and stays(one.row, [row for row in changes if row is not None], home)


def chosen(ranked: Ranked, home: Surroundings) -> list[str]:
    """Return the ids of the memories that are useful enough, the best first; last those that only a sum lets in."""
    rows = {key: one.row for key, (_, _, one) in ranked.items()}
    useful = {key: parts["useful"] for key, (_, parts, _) in ranked.items()}
    least = {key: least_useful(row, home) for key, row in rows.items()}
    alone = {key: least_alone(row, home) for key, row in rows.items()}
    enough = useful_enough(useful, least, alone)
    past = superseded(rows[key] for key in enough if is_matter(rows[key], home))
    sums = {key for key in enough if matter_of(row := rows[key]) == SUM and useful[key] < least_ordinary(row, home)}
    order = sorted(enough - past, key=lambda key: (key in sums, -ranked[key][0], key))
    shown = without_steps(one_a_topic(rows[key] for key in order))
    return [row["memory_id"] for row in mixed(filled_up(shown, home))]
