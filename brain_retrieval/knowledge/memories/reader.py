"""`MemoryReader`: the memories of one user, about a name or topic as of a time, or the most notable ones of all.

Memories are read from the lake and judged by the view (`view.py`); a snapshot only adds the names of an entity, the
salience of entities, and which agent output repeats retrieved text.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import islice

import numpy as np
import polars as pl

from brain_retrieval.home import Space
from brain_retrieval.knowledge.memories import SHOWN
from brain_retrieval.knowledge.memories.asked.lines import FILLED, in_order
from brain_retrieval.knowledge.memories.asked.nearby import Alike, most_alike, with_related
from brain_retrieval.knowledge.memories.asked.owner_names import may_be_name, owner_named
from brain_retrieval.knowledge.memories.asked.related import is_name
from brain_retrieval.knowledge.memories.candidates import facets_about, with_changes
from brain_retrieval.knowledge.memories.cards import MemoryCard, card_in_list, card_of
from brain_retrieval.knowledge.memories.facets import Facet, Row
from brain_retrieval.knowledge.memories.index import MemoryIndex
from brain_retrieval.knowledge.memories.matching import has_word
from brain_retrieval.knowledge.memories.shown.choice import chosen, is_wanted, likely_rows, stands
from brain_retrieval.knowledge.memories.shown.coming import SOON, Coming, coming_up, dated_within
from brain_retrieval.knowledge.memories.shown.display import (
    OPENING,
    rank_parts,
    rank_score,
    support_counts,
    worth_showing,
)
from brain_retrieval.knowledge.memories.shown.fitness import is_of_home
from brain_retrieval.knowledge.memories.shown.matters import is_matter
from brain_retrieval.knowledge.memories.shown.meaning import meanings
from brain_retrieval.knowledge.memories.shown.usefulness import followed_up, usefulness
from brain_retrieval.knowledge.memories.stored import (
    jotted,
    known_names,
    memory_index,
    routine_openings,
    surroundings,
    topics,
    visible,
)
from brain_retrieval.knowledge.memories.supersession import SLOT, VALUE
from brain_retrieval.knowledge.memories.vectors import memory_vectors
from brain_retrieval.knowledge.memories.view import Seen, judged
from brain_retrieval.stores.catalog import Catalog

Passage = tuple[str, tuple[int, int]]  # the id of a source and characters of it, half-open
MOST_SUCCESSORS = 40  # of those that have replaced one of them


@dataclass(frozen=True)
class MemoryReader:
    """Reads memories. `names` returns all names of the entity a name belongs to, `salience` its strength.

    `asked_of` returns the names under which the owner speaks, if a question names the owner: "where does Ann live".
    `owner` are the names of the owner, the user id among them.
    `embed` returns the vector of a text by a model, None if there is no such model.
    `catalog` is that of the user, if it is open: opening it takes longer than to see that nothing has changed.
    """

    space: Space
    known_at: datetime | None = None
    names: Callable[[str], Collection[str]] = field(default=lambda _name: ())
    salience: Callable[[str], float] = field(default=lambda _name: 0.0)
    echoes: Callable[[], pl.DataFrame | None] = field(default=lambda: None)
    asked_of: Callable[[str], Collection[str]] = field(default=lambda _question: ())
    embed: Callable[[str, str], np.ndarray | None] = field(default=lambda _text, _model: None)
    owner: tuple[str, ...] = ()
    catalog: Catalog | None = None

    @property
    def index(self) -> MemoryIndex:
        """All memories as they are now; a StoreError if the lake cannot be read."""
        return memory_index(self.space, self.catalog)

    def about(
        self, about: str, *, at: datetime | None = None, limit: int = SHOWN, is_question: bool = True
    ) -> list[MemoryCard]:
        """Return what is known about a name or topic as of a time, the best match first; ended ones come last.

        Args:
            about: a name, or words such as "launch date".
            at: the time asked about; now if not given.
            limit: of cards.
            is_question: whether a later memory may answer instead of an earlier one; False for a mere name.
        """
        seen = self._judged(facets := self._facets(about, at), about, at, is_question=is_question)
        return self._cards(self._in_order(seen, about, facets, limit, filled=False), facets)

    def answers(self, question: str, *, at: datetime | None = None, limit: int = SHOWN) -> list[MemoryCard]:
        """Return what `about` does, and where that is less than `limit`, what is only related to the question.

        Args:
            question: words such as "who is our doctor"; of a mere name all that is known has it.
            at: the time asked about; now if not given.
            limit: of cards.

        Raises:
            StoreError: if the lake cannot be read.
        """
        facets = self._facets(question, at)
        found = self._in_order(self._judged(facets, question, at), question, facets, limit, filled=False)
        if len(found) < min(limit, FILLED) and not is_name(question, facets):
            index, counted = self._memories()
            facets, meaning = with_related(index, facets, found, question, self._alike(question), counted)
            seen = self._judged(facets, question, at, meaning=meaning)
            found = self._in_order(seen, question, facets, limit, filled=True)
        return self._cards(found, facets)

    def notable(self, *, at: datetime | None = None, limit: int = SHOWN) -> list[MemoryCard]:
        """Return the memories to show first: current, asserted, about named things, one for each topic."""
        moment, (index, counted) = self._time(at), self._memories()
        vectors, home = memory_vectors(self.space, self.catalog), surroundings(index)
        likely = likely_rows(index, counted, vectors, moment)
        wanted = set(index.rows["memory_id"][likely].to_list())
        facets = with_changes(index, likely, counted)
        support, routine = support_counts(facets), routine_openings(index)
        known, topic, short = known_names(index), topics(index), jotted(index)
        ranked: dict[str, tuple[float, dict[str, float], Seen]] = {}

        def fits(row: Row) -> bool:
            return is_wanted(row, home, moment.date()) and is_of_home(row, known, topic, short)

        rows = {facet.row["memory_id"]: facet.row for facet in facets}
        front = list(self._in_front(facets, wanted, moment, fits, lambda one: stands(one, rows, home)))
        stated = [row for one, replaced in front for row in (one.row, *replaced)]
        meaning = meanings(index, vectors, _numbers(index, stated))
        for one, replaced in front:
            if one.row["evidence"][:OPENING] in routine:  # what the minutes of every meeting say
                continue
            key, strength = one.row["memory_id"], self._strength(one.row)
            followed = len({row["source_id"] for row in replaced})
            useful = max(usefulness(row, home, meaning.get(row["memory_id"])) for row in (one.row, *replaced))
            useful, matter = followed_up(useful, followed), is_matter(one.row, home)
            rank = partial(rank_parts, one.row, at=moment, support=support[key], salience=strength)
            parts = rank(useful=useful, followed=followed, matter=matter)
            ranked[key] = (rank_score(parts), parts, one)
        kept = chosen(ranked, home)[:limit]
        return [card_in_list(*ranked[key], support=support[key]) for key in kept]

    def _in_front(
        self,
        facets: Sequence[Facet],
        wanted: Collection[str],
        at: datetime,
        fits: Callable[[Row], bool],
        holds: Callable[[Seen], bool],
    ) -> Iterator[tuple[Seen, Sequence[Row]]]:
        """Yield what may stand in front: of `wanted`, and the values that surely replaced some of it, with that.

        A new value is as useful as the one it has ended: "Then it is on 30 March" by itself says too little.
        """
        replaced: dict[str, list[Row]] = {}
        fitting = {facet.row["memory_id"] for facet in facets if facet.row["memory_id"] in wanted and fits(facet.row)}
        for one in judged(facets, None, at=at, known_at=self.known_at, only=fitting):
            if holds(one):
                yield one, ()
            for by in one.ended_by:
                if by.kind in (VALUE, SLOT):
                    replaced.setdefault(by.memory_id, []).append(one.row)
        worth = {
            key: {**facet.row, "keep": max(row["keep"] for row in (facet.row, *replaced[key]))}
            for facet in facets
            if (key := facet.row["memory_id"]) in replaced
        }
        surest = sorted(worth, key=lambda key: (-worth[key]["keep"], key))
        worth = dict(islice(((key, worth[key]) for key in surest if worth_showing(worth[key])), MOST_SUCCESSORS))
        if worth:
            for one in judged(facets, None, at=at, known_at=self.known_at, only=worth):
                if holds(one):
                    key = one.row["memory_id"]
                    yield replace(one, row=worth[key]), replaced[key]

    def everything(self, about: str | None = None, *, at: datetime | None = None) -> list[MemoryCard]:
        """Return all memories, or all about a name or topic, in order of the time they hold from."""
        facets = self._facets(about, at)
        seen = self._judged(facets, about, at)
        return self._cards(sorted(seen, key=lambda one: (one.row["effective_from"], one.row["memory_id"])), facets)

    def coming_up(self, today: date, *, at: datetime | None = None, within: timedelta = SOON) -> list[Coming]:
        """Return what is said to be or to be due from a day on, the nearest first, as known at a time."""
        wanted = dated_within(self._memories()[0].rows, today, today + within)
        return coming_up(self.cards_of(wanted, at=at), today, within=within)

    def seen(self, about: str, *, at: datetime | None = None) -> list[Seen]:
        """Return all statements about a name or topic with what has ended them, the best match first."""
        return list(self._judged(self._facets(about, at), about, at))

    def cards_of(self, wanted: Collection[str], *, at: datetime | None = None) -> list[MemoryCard]:
        """Return memories by their ids, with what has ended them by a time; none that has expired or is an echo."""
        index, counted = self._memories()
        chosen = np.flatnonzero(index.rows["memory_id"].is_in(list(wanted)).to_numpy() & (counted is None or counted))
        facets = with_changes(index, chosen, counted)
        return self._cards(judged(facets, None, at=self._time(at), known_at=self.known_at, only=wanted), facets)

    def has_word(self, about: str, row: Row) -> bool:
        """Return whether a memory has a word of a topic or a name of what it names, and not only its concept."""
        return has_word(self._topic(about), Facet(row))

    def stated_in(self, passages: Iterable[Passage], *, at: datetime | None = None) -> list[MemoryCard]:
        """Return the memories that passages state."""
        (index, counted), found = self._memories(), set[int]()
        for source_id, (start, end) in passages:
            own = index.sources.having(source_id)
            begins, ends = index.spans[own, 0], index.spans[own, 1]
            found.update(own[(begins < end) & (ends > start)].tolist())
        rows = sorted(found) if counted is None else [row for row in sorted(found) if counted[row]]
        return self.cards_of(index.rows["memory_id"][rows].to_list(), at=at) if rows else []

    def most_alike(self, question: str) -> list[str]:
        """Return the ids of the memories that are most like a question; none without vectors of a model here."""
        alike, (index, counted) = self._alike(question), self._memories()
        return [] if alike is None else most_alike(index, alike, counted)

    def nearness(self, question: str, wanted: Collection[str]) -> dict[str, float]:
        """Return the cosines of memories with a question, by id; of none without vectors of a model on this machine."""
        if not wanted or (alike := self._alike(question)) is None:
            return {}
        index, _ = self._memories()
        rows = np.flatnonzero(index.rows["memory_id"].is_in(list(wanted)).to_numpy())
        return dict(zip(index.rows["memory_id"][rows].to_list(), alike.cosines(index, rows).tolist(), strict=True))

    def owner_words(self, question: str) -> frozenset[str]:
        """Return the content words of a question that name the owner of the memory: "ann" of "where does Ann live".

        A name that the memories have as an ordinary word only, such as the user id "test", is none.
        """
        named = owner_named(question, self.owner)
        return frozenset(word for word in named if may_be_name(self.index, word))

    def rows_by_id(self, wanted: Collection[str]) -> dict[str, Row]:
        """Return rows of MEMORIES by id."""
        rows = self.index.rows.filter(pl.col("memory_id").is_in(list(wanted)))
        return {row["memory_id"]: row for row in rows.iter_rows(named=True)}

    def _in_order(
        self, seen: Iterable[Seen], about: str, facets: Sequence[Facet], limit: int, *, filled: bool
    ) -> list[Seen]:
        facet_of, topic = {facet.row["memory_id"]: facet for facet in facets}, self._topic(about)
        return in_order(seen, lambda one: has_word(topic, facet_of[one.row["memory_id"]]), limit, filled=filled)

    def _alike(self, question: str) -> Alike | None:
        """Return the vectors of the memories with that of a question by the same model, None if there is none."""
        found = memory_vectors(self.space, self.catalog)
        vectors = ((found[model], self.embed(question, model)) for model in sorted(found))
        return next((Alike(own, vector) for own, vector in vectors if vector is not None), None)

    def _judged(
        self,
        facets: Sequence[Facet],
        about: str | None,
        at: datetime | None,
        *,
        is_question: bool = True,
        meaning: Mapping[str, float] | None = None,
    ) -> Iterator[Seen]:
        topic, names = (None, ()) if about is None else (self._topic(about), self.names(about))
        at, known_at = self._time(at), self.known_at
        return judged(facets, topic, at=at, known_at=known_at, names=names, is_question=is_question, meaning=meaning)

    def _facets(self, about: str | None, at: datetime | None) -> list[Facet]:
        index, counted = self._memories()
        if about is not None:
            return facets_about(index, self._topic(about), at=self._time(at), visible=counted)
        return [Facet(row) for row in (index.rows if counted is None else index.rows.filter(counted)).to_dicts()]

    def _topic(self, about: str) -> str:
        return " ".join(dict.fromkeys((about, *self.names(about), *self.asked_of(about))))

    def _memories(self) -> tuple[MemoryIndex, np.ndarray | None]:
        """Return the index of all memories, and for each whether it counts; None: all do."""
        index = self.index
        return index, visible(index, until=self.known_at, echoes=self.echoes())

    def _time(self, at: datetime | None) -> datetime:
        return at or self.known_at or datetime.now(UTC)

    def _strength(self, row: Row) -> float:
        named = [entity["name"] for entity in row["entities"] or ()]
        return max((self.salience(name) for name in named), default=0.0)

    @staticmethod
    def _cards(seen: Iterable[Seen], facets: Sequence[Facet]) -> list[MemoryCard]:
        support = support_counts(facets)
        begun = {facet.row["memory_id"]: facet.row["effective_from"] for facet in facets}
        return [card_of(one, support=support[one.row["memory_id"]], begun=begun) for one in seen]


def _numbers(index: MemoryIndex, rows: Iterable[Row]) -> np.ndarray:
    wanted = {row["memory_id"] for row in rows}
    return np.flatnonzero(index.rows["memory_id"].is_in(list(wanted)).to_numpy())
