"""The memories among which a broad question finds its answer, with the storylines that their sources belong to."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from functools import cached_property

import polars as pl

from brain_retrieval.knowledge.cards import StorylineCard
from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.memories.facets import Facet, Row
from brain_retrieval.knowledge.memories.matching import similarity
from brain_retrieval.knowledge.memories.shown.fitness import PROGRAMS
from brain_retrieval.knowledge.memory_states import HIGH, NORMAL
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.knowledge.stories.closed import without_closed
from brain_retrieval.language.concepts import TITLED
from brain_retrieval.language.content_words import content_words
from brain_retrieval.language.topics import topics_in
from brain_retrieval.query.ask.broad.forms import Broad
from brain_retrieval.query.ask.broad.selected import Selected, lines_of, where
from brain_retrieval.query.ask.coverage import Coverage, Wanted, known_code
from brain_retrieval.query.ask.word_forms import has_form
from brain_retrieval.teams import SEPARATOR

LEAST_KEEP, LEAST_SHORT = 0.3, 0.1  # of a memory; of one of a short note, which was written for its few lines
SHORT = 6  # memories of a short note
LEAST_PART = 0.5  # of the names of a topic, or of its words where it has no names
FEW_SOURCES = 3  # with words of a topic, below which all of its storyline is read
LEAST_SHARED = 2  # sources of a topic that are of one storyline, for that to be about it
MOST_ABOUT = 200
TALKS = ("conversation", "slack-thread", "message", "meeting")
PERSON = "Person"
AGENT, TOOL = "agent-output", "tool"  # a source; who says what a program has printed


@dataclass(frozen=True)
class Statement:
    """A memory that may be part of an answer, with its row and its source.

    Attributes:
        card: without what has ended the memory while it is among those `unjudged`.
        row: of MEMORIES.
        share: of the topic's words that it has itself.
        unjudged: the memories with which it is to be judged; None if it has been.
    """

    card: MemoryCard
    row: Row
    share: float = 0.0
    unjudged: Selected | None = None

    @property
    def about(self) -> bool:
        return self.share > 0.0

    @property
    def source(self) -> str:
        return str(self.row["source"]).rpartition(SEPARATOR)[2]


@dataclass(frozen=True)
class Reading:
    """Reads what a broad question needs, as of a moment.

    Attributes:
        knowledge: of the user; without a snapshot there are no storylines.
        broad: the question.
        at: the moment asked about, aware.
    """

    knowledge: Knowledge
    broad: Broad
    at: datetime
    timeless: bool = True  # whether storylines, which know what came later, may be used

    @cached_property
    def storylines(self) -> list[StorylineCard]:
        """The storylines, without those of high sensitivity that the question does not name."""
        if not self.timeless or self.knowledge.day is None:
            return []
        cards = without_closed(self.knowledge, self.knowledge.storylines(), self.broad.about)
        return [card for card in cards if card.level == "storyline"]

    @cached_property
    def about(self) -> list[StorylineCard]:
        """The storylines of what the topic names."""
        return [card for card in self.storylines if self._has_topic(content_words(card.anchor))]

    @cached_property
    def titled(self) -> list[StorylineCard]:
        """The storylines of the topic whose title has all of it: "Moving to Lisbon", to "the move to Lisbon"."""
        return [card for card in self.about if self._is_title(card.name)]

    def of_topic(self) -> list[Statement]:
        """Return the statements about the topic: what has its words, and all of short notes with it as their title.

        Of its storyline come the sessions of programs, and the notes too if little has the words: what a note of
        several things says beside them need not be about it.
        """
        found = self.knowledge.memory_reader.about(self.broad.about, at=self.at, limit=MOST_ABOUT, is_question=False)
        rows = self.knowledge.memory_reader.rows_by_id([card.memory_id for card in found])
        wanted = Wanted(self.broad.about, self.broad.language, names=self.broad.names)
        covered = {card.memory_id: wanted.in_memory(Facet(rows[card.memory_id]), {}) for card in found}
        own = self._of_whole_name([card for card in found if _is_about(covered[card.memory_id])], covered, rows)
        few = len({card.source_id for card in own}) < FEW_SOURCES
        members = (one for card in self.about for one in card.sources)
        sources = {one.source_id for one in members if few or one.source_type.endswith(AGENT)}
        sources |= self._titled()
        own = [Statement(card, rows[card.memory_id], covered[card.memory_id].share) for card in own]
        return self._worth_telling(own) + self._statements(self._of_notes(sources), but=own)

    def of_whole(self) -> list[Statement]:
        """Return the statements about the topic, and all of the storyline that most of it belongs to."""
        statements = self.of_topic()
        own = {one.card.source_id for one in statements if one.about}
        shares = [(len(own & _sources(card)), -card.source_count, card) for card in self.storylines]
        most, _, whole = max(shares, key=lambda one: one[:2], default=(0, 0, None))
        if whole is None or most < max(LEAST_SHARED, LEAST_PART * len(own)):
            return statements
        rest = where(self.knowledge.memory_reader, pl.col("source_id").is_in(sorted(_sources(whole))), at=self.at)
        return statements + self._statements(rest, but=statements)

    def said_between(self, first: date | None, last: date | None) -> list[Statement]:
        """Return what was said from one day to another (both included), without what is of high sensitivity."""
        zone = self.knowledge.settings.zone
        said = pl.col("said_at")
        wanted = pl.col("sensitivity").fill_null(NORMAL) != HIGH
        if first is not None:
            wanted &= said >= datetime.combine(first, time(), zone)
        if last is not None:
            wanted &= said < datetime.combine(last + timedelta(days=1), time(), zone)
        return self._statements(where(self.knowledge.memory_reader, wanted & (said <= self.at), at=self.at))

    def _of_whole_name(
        self, cards: Sequence[MemoryCard], covered: Mapping[str, Coverage], rows: Mapping[str, Row]
    ) -> list[MemoryCard]:
        """Return the memories that have all of a thing's name, if several sources do, else all of them.

        Half of "UI redesign" may be another design; half of a person's name is the person.
        """
        whole = [card for card in cards if covered[card.memory_id].names == 1.0]
        people = (
            content_words(entity["name"], self.broad.language)
            for card in whole
            for entity in rows[card.memory_id]["entities"] or ()
            if entity["type"] == PERSON
        )
        several = len({card.source_id for card in whole}) >= FEW_SOURCES
        return list(cards) if not several or any(self.broad.names <= set(words) for words in people) else whole

    def _of_notes(self, sources: Collection[str]) -> Selected:
        """Return the memories of the notes of a few lines among some sources: all of a note is about one thing."""
        talks = pl.col("source").str.split(SEPARATOR).list.last().is_in(TALKS)
        short = pl.len().over("source_id") <= SHORT
        return where(
            self.knowledge.memory_reader, pl.col("source_id").is_in(sorted(sources)) & short & ~talks, at=self.at
        )

    def _titled(self) -> set[str]:
        """Return the ids of the sources with the topic in their title."""
        asked = self.broad.names or self.broad.topic
        found = pl.sum_horizontal(pl.col("anchors").list.contains(TITLED + word) for word in sorted(asked))
        titled = where(self.knowledge.memory_reader, found >= LEAST_PART * len(asked), at=self.at)
        return {card.source_id for card in titled.cards}

    def _has_topic(self, words: Collection[str]) -> bool:
        asked = self.broad.names or self.broad.topic
        found = sum(any(similarity(one, word) for word in words) for one in asked)
        return bool(asked) and found >= LEAST_PART * len(asked)

    def _is_title(self, title: str) -> bool:
        """Return whether a title has each word of the topic, in some form or by what the word stands for."""
        language = known_code(self.broad.language)
        own, meant = content_words(title), {key for *_, keys in topics_in(title, language) for key in keys}
        stands = {
            word: {key for *_, keys in topics_in(word, language) for key in keys} for word in self.broad.about.split()
        }
        return bool(stands) and all(
            meant & keys or any(has_form(each, own) for each in content_words(word)) for word, keys in stands.items()
        )

    def _statements(self, selected: Selected, but: Iterable[Statement] = ()) -> list[Statement]:
        """Return the memories selected that are worth telling, besides some that are known."""
        known, rows = {one.card.memory_id for one in but}, selected.rows
        cards = (card for card in selected.cards if card.memory_id not in known)
        return self._worth_telling([Statement(card, rows[card.memory_id], unjudged=selected) for card in cards])

    def _worth_telling(self, statements: Sequence[Statement]) -> list[Statement]:
        lines = lines_of(self.knowledge.memory_reader, {one.card.source_id for one in statements})
        return [one for one in statements if self._is_worth_telling(one, lines[one.card.source_id])]

    def _is_worth_telling(self, one: Statement, lines: int) -> bool:
        """Return whether a memory is no question, nothing that a program said in a chat, and worth keeping."""
        card = one.card
        if card.modality == "question" or card.said_at > self.at:
            return False
        speaker = (card.speaker or "").casefold()
        if speaker.partition(" ")[0] == TOOL or (speaker in PROGRAMS and one.source != AGENT):
            return False
        short = lines <= SHORT and one.source not in TALKS
        return card.keep >= (LEAST_SHORT if short else LEAST_KEEP)


def judged(statements: Sequence[Statement]) -> list[Statement]:
    """Return statements with what has ended each of them, in their order."""
    waiting = [(one, one.unjudged) for one in statements if one.unjudged is not None]
    groups = {id(group): group for _, group in waiting}
    cards = {
        card.memory_id: card
        for key, group in groups.items()
        for card in group.judged(one.card.memory_id for one, own in waiting if id(own) == key)
    }
    return [replace(one, card=cards.get(one.card.memory_id, one.card), unjudged=None) for one in statements]


def _is_about(found: Coverage) -> bool:
    return (found.share if found.names is None else found.names) >= LEAST_PART


def _sources(card: StorylineCard) -> set[str]:
    return {one.source_id for one in card.sources}
