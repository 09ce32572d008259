"""Memories about a topic as of a moment: what holds then, what is only said, and why each line is shown.

    rows known by `known_at` ─► begun and not ended by `at` ─► match ─► supersession ─► ranking ─► at most `limit`

Of what supersession leaves, a memory that a later one answers the question instead of is shown as perhaps outdated.

The view stores nothing: deleting a row re-opens what it had ended, and the order of the rows does not matter.
"""

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property
from itertools import islice, pairwise
from typing import Any

from brain_retrieval.knowledge.memories.asked.answers import Answers
from brain_retrieval.knowledge.memories.asked.lines import GONE, in_order
from brain_retrieval.knowledge.memories.asked.related import is_name, related
from brain_retrieval.knowledge.memories.compared.in_time import has_passed, occasion
from brain_retrieval.knowledge.memories.compared.numbered import numbers_asked, of_another_number
from brain_retrieval.knowledge.memories.facets import Facet, Row
from brain_retrieval.knowledge.memories.later import MOST_COMPARED, MOST_OF_ALL, LaterOnes
from brain_retrieval.knowledge.memories.matching import has_word, match_all, topic_words
from brain_retrieval.knowledge.memories.seen import (
    BESIDE,
    CURRENT,
    ENDED,
    INSTEAD,
    OUTDATED,
    POSSIBLE,
    UPCOMING,
    Seen,
    ranked,
)
from brain_retrieval.knowledge.memories.supersession import ANSWER, SURE, Ending, Known, ending
from brain_retrieval.knowledge.memories.whose import of_another_than, owners_asked
from brain_retrieval.language.content_words import content_words

SURELY_BEGUN = timedelta(days=730)  # before its end, what states no beginning is taken for begun
MOST_JUDGED = 200  # best matches of a topic; a name may be in many thousands of memories
_LEAST_MATCH = 0.5  # of the best match: what has ended a worse one is not of interest
_AT_ONCE = 500  # of all memories, so many are compared together
_AT_ONCE_ASKED = 8  # of those that match a question, of which often few are asked for


def as_of(
    rows: Sequence[Row], about: str | None, *, at: datetime, known_at: datetime | None = None, limit: int = 5
) -> list[Seen]:
    """Return the memories about a topic that hold at a moment, the best match first; without a topic the newest.

    Args:
        rows: rows of MEMORIES as mappings, in any order; those that can end a candidate are to be among them.
        about: names and words of the topic.
        at: the moment asked for.
        known_at: only what had been received by then counts; None: everything.
        limit: the most lines.
    """
    if about is None:
        return [one for one in view(rows, about, at=at, known_at=known_at) if one.status not in GONE][:limit]
    return [one for one in answered(rows, about, at=at, known_at=known_at, limit=limit) if one.status not in GONE]


def answered(
    rows: Sequence[Row], about: str, *, at: datetime, known_at: datetime | None = None, limit: int = 5
) -> list[Seen]:
    """Return what answers a question, also what has ended, as `MemoryReader.answers` does of a user without vectors.

    The arguments are those of `as_of`.
    """
    facets = [Facet(row) for row in rows]
    facet_of = {facet.row["memory_id"]: facet for facet in facets}
    meaning = None if is_name(about, facets) else {}
    seen = judged(facets, about, at=at, known_at=known_at, meaning=meaning)
    filled = meaning is not None
    return in_order(seen, lambda one: has_word(about, facet_of[one.row["memory_id"]]), limit, filled=filled)


def view(
    rows: Sequence[Row],
    about: str | None,
    *,
    at: datetime,
    known_at: datetime | None = None,
    only: Container[str] | None = None,
    names: Collection[str] = (),
) -> list[Seen]:
    """Return all memories that match, also those that have ended, the best match first: `judged` as a list."""
    return list(judged(map(Facet, rows), about, at=at, known_at=known_at, only=only, names=names))


def judged(
    facets: Iterable[Facet],
    about: str | None,
    *,
    at: datetime,
    known_at: datetime | None = None,
    only: Container[str] | None = None,
    names: Collection[str] = (),
    wanted: Callable[[Facet], bool] | None = None,
    key: Callable[[Seen], Any] | None = None,
    is_question: bool = True,
    meaning: Mapping[str, float] | None = None,
) -> Iterator[Seen]:
    """Yield the memories that match, the best match first; each is judged when it is asked for.

    With `key` those come first for which it is highest, of equal ones the best match.

    `only` names the memories to judge by their ids; the others may still have ended one of them. `names` are those of
    the person or thing asked about: an attribute of it has one value, under whichever name it is stated. `wanted`
    chooses among the best matches those that are judged and returned. Where `about` is no question but the name of an
    event, no later memory answers instead of an earlier one. What has ended one of the best matches of a question comes
    after it, also if it does not match (`Instead`).

    With `meaning`, the cosines of memories with the question by their ids, memories that are related to a question come
    last, without a word of it (`related.py`); without any cosine those that are beside a match or share words with one.
    """
    known = (facet for facet in facets if known_by(facet, at, known_at))
    facets = sorted(known, key=lambda facet: facet.order)
    topic = frozenset(topic_words(about or ""))
    found, besides = matching(facets, about, topic, only, meaning)
    facet_of = {facet.row["memory_id"]: facet for facet, _ in (*found, *besides)}
    by_match = ranked([Seen(facet.row, facet.row["modality"], parts=match) for facet, match in found])
    own = {facet.row["memory_id"] for facet, _ in found}
    by_match += ranked([Seen(facet.row, facet.row["modality"], parts={BESIDE: near}) for facet, near in besides])
    wished = [one for one in by_match if wanted is None or wanted(facet_of[one.row["memory_id"]])]
    if not wished:
        return
    every = not about and only is None
    later = LaterOnes(facets, MOST_OF_ALL if every else MOST_COMPARED, topic)
    answers = Answers(about, found, facets, at, besides) if about and is_question else None
    follows = only is None and wanted is None and not is_name(about or "", facets)
    instead = Instead(facets, own, answers.best) if answers and follows else None
    called = frozenset(words for name in names if (words := frozenset(content_words(name))))
    known = Known(topic, later.frequent, called)
    in_turn = wished if key is None else sorted(wished, key=key, reverse=True)
    chosen = ((one, facet_of[one.row["memory_id"]]) for one in in_turn)
    while some := list(islice(chosen, _AT_ONCE_ASKED if about else _AT_ONCE)):
        others = later.likely([facet for _, facet in some], at)
        for (one, facet), compared in zip(some, others, strict=True):
            if instead and BESIDE in one.parts and instead.has_given(facet):
                continue
            status, ended = _judged(facet, _ended(facet, compared, at, known), at, answers)
            yield replace(one, status=status, ended_by=ended)
            for other in instead.of(one.match, ended) if instead else ():
                status, ended = _judged(other, _ended(other, later.of(other), at, known), at, answers)
                if status in (CURRENT, UPCOMING):
                    yield Seen(other.row, status, ended, one.score, {INSTEAD: one.match})


class Together:
    """Memories without a topic that are compared with each other; each is judged when its status is asked for."""

    def __init__(
        self, facets: Iterable[Facet], wanted: Container[str], at: datetime, known_at: datetime | None
    ) -> None:
        """Take memories, and the ids of those that may be asked for; the others may have ended one of them."""
        known = (facet for facet in facets if known_by(facet, at, known_at))
        self._at, self._facets = at, sorted(known, key=lambda facet: facet.order)
        self._of = {key: facet for facet in self._facets if (key := facet.row["memory_id"]) in wanted}

    @cached_property
    def waiting(self) -> list[Seen]:
        """Those that may be asked for, as `judged` orders them, their status being only their modality."""
        return ranked([Seen(facet.row, facet.row["modality"], parts={"all": 1.0}) for facet in self._of.values()])

    @cached_property
    def _later(self) -> LaterOnes:
        return LaterOnes(self._facets, MOST_COMPARED)

    def judged(self, waiting: Sequence[Seen]) -> list[Seen]:
        """Return some of `waiting` with their status and what has ended them."""
        facets, known = [self._of[one.row["memory_id"]] for one in waiting], Known(frequent=self._later.frequent)
        others = self._later.likely(facets, self._at)
        ended = [_ended(facet, some, self._at, known) for facet, some in zip(facets, others, strict=True)]
        return [
            replace(one, status=_status(facet, each, self._at), ended_by=each)
            for one, facet, each in zip(waiting, facets, ended, strict=True)
        ]


def matching(
    facets: Sequence[Facet],
    about: str | None,
    topic: Collection[str],
    only: Container[str] | None,
    meaning: Mapping[str, float] | None,
) -> tuple[list[tuple[Facet, dict[str, float]]], list[tuple[Facet, float]]]:
    """Return the memories that match, each with its words and their parts of the score, and those related to them.

    The arguments are those of `judged`, `topic` are the words of the question; the memories are the oldest first.
    """
    matches = match_all(about, facets) if about else [{"all": 1.0}] * len(facets)
    besides = related(facets, matches, topic, meaning) if about and meaning is not None else []
    found = [(facet, match) for facet, match in zip(facets, matches, strict=True) if match]
    if about and only is None and (owned := owners_asked(about)):  # to "my rent" the sister's is no answer
        found = [one for one in found if not of_another_than(owned, one[0])] or found
        besides = [one for one in besides if not of_another_than(owned, one[0])]
    if about and only is None and (asked := numbers_asked(about)):  # to "house 3" that of house 1 is none
        found = [one for one in found if not of_another_number(asked, one[0])] or found
        besides = [one for one in besides if not of_another_number(asked, one[0])]
    if only is not None:
        found = [one for one in found if one[0].row["memory_id"] in only]
    if about:  # newest first, then by match: a stable sort keeps the newest of equal matches
        newest = sorted(found, key=lambda one: one[0].order, reverse=True)
        found = sorted(newest, key=lambda one: -sum(one[1].values()))[:MOST_JUDGED]
    return found, besides


def known_by(facet: Facet, at: datetime, known_at: datetime | None) -> bool:
    """Return whether a memory had been learnt, and was said or held by the moment asked for."""
    if known_at is not None and facet.row["received_at"] > known_at:
        return False
    return min(facet.row["said_at"], facet.starts) <= at


def _judged(
    facet: Facet, ended: tuple[Ending, ...], at: datetime, answers: Answers | None
) -> tuple[str, tuple[Ending, ...]]:
    """Return the status of a memory with what has ended it, or answers the question instead of it."""
    if answers:
        ended = tuple(one for one in ended if one.sure or not answers.leaves(facet, one.memory_id))
    status = _status(facet, ended, at)
    if answers and status in (CURRENT, UPCOMING) and (other := answers.successor(facet)):
        return OUTDATED, (Ending(other.row["memory_id"], ANSWER, sure=False),)
    return status, ended


def _ended(facet: Facet, others: Sequence[Facet], at: datetime, known: Known) -> tuple[Ending, ...]:
    kinds = ((other, ending(facet, other, at, known)) for other in others if not has_passed(other, at))
    return tuple(Ending(other.row["memory_id"], kind, kind in SURE) for other, kind in kinds if kind)


def _status(facet: Facet, ended: tuple[Ending, ...], at: datetime) -> str:
    until = facet.row["valid_to"]
    if (until is not None and until <= at) or any(each.sure for each in ended):
        return ENDED
    if ended:
        return OUTDATED
    if not facet.asserted:
        return facet.row["modality"]
    if until is not None and facet.only_ended and at < until - SURELY_BEGUN:
        return POSSIBLE
    return UPCOMING if facet.starts > at else CURRENT


class Instead:
    """The memories that may be shown in the place of others, although they have no word of the question.

    "Our doctor is Mrs Ott" is ended by "Mrs Ott has retired", which says nothing of a doctor; who the doctor is now
    often stands in the next sentence: "From April we go to Dr. Quist." So both are shown where the ended memory would
    stand: what has ended it, and the sentence after that, if this one states a change and the former has no word of the
    question. Each is given once.
    """

    def __init__(self, facets: Sequence[Facet], matching: Collection[str], best: float) -> None:
        """Take all memories, the ids of those that match the question, and how well the best of them does."""
        self._facets = {facet.row["memory_id"]: facet for facet in facets}
        self._own, self._given, self._best = frozenset(matching), set(matching), best
        in_place = sorted(facets, key=lambda facet: (occasion(facet), facet.row["start"], facet.row["clause"]))
        self._next = {
            one.row["memory_id"]: after for one, after in pairwise(in_place) if occasion(one) == occasion(after)
        }

    def has_given(self, facet: Facet) -> bool:
        """Return whether a memory has been shown in the place of another one."""
        return facet.row["memory_id"] in self._given

    def of(self, match: float, ended: Sequence[Ending]) -> Iterator[Facet]:
        """Yield what may be shown instead of a memory that matches the question so well and has been ended so."""
        if match < _LEAST_MATCH * self._best:
            return
        for one in ended:
            after = self._next.get(one.memory_id)
            said_next = after if after is not None and after.cue != "none" and one.memory_id not in self._own else None
            for facet in (self._facets.get(one.memory_id), said_next):
                if facet is not None and facet.row["memory_id"] not in self._given:
                    self._given.add(facet.row["memory_id"])
                    yield facet
