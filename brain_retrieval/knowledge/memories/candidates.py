"""The memories that are read for a question: those that match its topic, and those that may have ended one of them.

Also read is what may answer without a word of the topic: what shares a rare word with a match, and the sentence after
one that states a change.

Both are bounded, by rules that depend on the rows alone: of the matches the best, then the newest; of the changes, for
each match, those that share its rarest words and come after it. A topic with fewer of them is read as a whole.
"""

import math
from collections.abc import Collection, Sequence
from datetime import datetime

import numpy as np

from brain_retrieval.knowledge.memories.endings import Endings
from brain_retrieval.knowledge.memories.facets import Facet, Row
from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.knowledge.memories.matching import (
    CONCEPT,
    LEAST_PART,
    anchor_keys,
    similarity,
    title_keys,
    topic_concepts,
    topic_words,
)
from brain_retrieval.knowledge.memories.postings import NONE, Rows, sharing_most

MOST_MATCHES = 200  # of a topic, as many as the view judges
MOST_CHANGES = 400  # read without a choice
RARE = 20  # rows that have a rare word
MOST_SHARED = 12  # matches, the newest, for which all that shares a rare word is read
MOST_FOLLOWED = 100  # changes, the newest, for which the sentence after them is read
CHANGES_EACH, SHARING_EACH = 3, 50  # else: changes for each match, chosen of so many that share one of its words

Visible = np.ndarray | None  # for each row whether it counts; None: all do


def rows_about(index: MemoryIndex, topic: str, *, at: datetime, visible: Visible = None) -> list[Row]:
    """Return the rows of `facets_about`."""
    return [facet.row for facet in facets_about(index, topic, at=at, visible=visible)]


def facets_about(index: MemoryIndex, topic: str, *, at: datetime, visible: Visible = None) -> list[Facet]:
    """Return the memories that a topic can match, and those that could have ended one of them.

    Args:
        index: of all memories.
        topic: names and words.
        at: the time asked about; matters only where there are too many matches.
        visible: for each row of the index whether it counts.
    """
    keys = anchor_keys(topic, index.words.near(topic_words(topic), LEAST_PART) | topic_concepts(topic))
    found = index.words.having_one(sorted(keys | title_keys(topic)))
    found = found if visible is None else found[visible[found]]
    if len(found) > MOST_MATCHES:
        found = _best(index, topic, keys, found[index.begun[found] <= _microseconds(at)])
    facets = Endings(index).facets(found.tolist())
    others = _changes(index, found, facets, visible)
    beside = np.union1d(_sharing(index, found, facets, topic), others)
    beside = np.union1d(beside, _said_next(index, np.union1d(found, beside)))
    beside = np.setdiff1d(beside if visible is None else beside[visible[beside]], found)
    return facets + Endings(index).facets(beside.tolist())


def with_changes(index: MemoryIndex, found: Rows, visible: Visible = None) -> list[Facet]:
    """Return the rows `found` with those that state a change, value or attribute of what is named there, or end one."""
    facets = Endings(index).facets(found.tolist())
    return facets + Endings(index).facets(_changes(index, found, facets, visible).tolist())


def _changes(index: MemoryIndex, found: Rows, facets: Sequence[Facet], visible: Visible) -> Rows:
    """Return the rows that state a change, value or attribute of what is named in those found, or that end one."""
    rows = [facet.row for facet in facets]
    others = index.names.having_one(index.subjects(rows))
    may = np.zeros(index.rows.height, bool)
    may[others] = index.changes[others]
    may[found] = False
    may = may if visible is None else may & visible
    changes = np.flatnonzero(may)
    changes = changes if len(changes) <= MOST_CHANGES else _closest(index, found, facets, may)
    ending = index.ending.having_one(sorted(row["memory_id"] for row in rows))
    ending = np.setdiff1d(ending if visible is None else ending[visible[ending]], found)
    return np.union1d(changes, ending)


def _sharing(index: MemoryIndex, found: Rows, facets: Sequence[Facet], topic: str) -> Rows:
    """Return the later rows that share a rare word with one of those found, besides the words of the topic."""
    asked = frozenset(topic_words(topic))
    later: list[Rows] = []
    for place, facet in list(zip(found.tolist(), facets, strict=True))[-MOST_SHARED:]:
        for word in sorted(facet.telling - asked - facet.voice):
            rows = index.words.having(word)
            if len(rows) <= RARE:
                later.append(rows[rows.searchsorted(place) :])
    return np.unique(np.concatenate(later))[-MOST_CHANGES:] if later else NONE


def _said_next(index: MemoryIndex, rows: Rows) -> Rows:
    """Return the rows that follow in their source on one that states a change."""
    found: set[int] = set()
    for row in rows[index.changes[rows]][-MOST_FOLLOWED:].tolist():
        own = index.sources.having(index.rows["source_id"][row])
        after = own[index.spans[own, 0] > index.spans[row, 0]]
        if len(after):
            found.add(int(after[index.spans[after, 0].argmin()]))
    return np.array(sorted(found), np.int64)


def _best(index: MemoryIndex, topic: str, keys: Collection[str], found: Rows) -> Rows:
    """Return the rows that match most of the topic, rare words before frequent ones, the newest of equal ones."""
    score, count = np.zeros(index.rows.height), index.rows.height
    for word in topic_words(topic):
        strength = {key: similarity(word, key) or CONCEPT * (key in topic_concepts(topic)) for key in keys}
        own = np.zeros(count)
        for key in sorted(keys, key=lambda key: (strength[key], key)):
            own[index.words.having(key)] = strength[key]
        score += math.log(1 + (count + 1) / max(1, np.count_nonzero(own))) * own
    order = np.lexsort((found, score[found]))[-MOST_MATCHES:]
    return np.sort(found[order])


def _closest(index: MemoryIndex, found: Rows, facets: Sequence[Facet], may: np.ndarray) -> Rows:
    """Return for each row the later changes that share most with it, rare words before frequent ones."""
    chosen = [_closest_to(index, int(place), facet, may) for place, facet in zip(found, facets, strict=True)]
    return np.unique(np.concatenate(chosen)) if chosen else NONE


def _closest_to(index: MemoryIndex, place: int, facet: Facet, may: np.ndarray) -> Rows:
    shared: list[tuple[Rows, int]] = []
    for having in map(index.changing.having, sorted(facet.words | facet.concepts)):
        later = having[having.searchsorted(place) :][-SHARING_EACH:]
        shared.append((later[may[later]], len(having)))
    return sharing_most(shared, index.rows.height, CHANGES_EACH)


def _microseconds(at: datetime) -> int:
    return int(at.timestamp() * 1_000_000)
