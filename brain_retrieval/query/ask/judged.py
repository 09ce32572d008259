"""Whether memories answer a question, and how well: its words, its names, what it asks for, the passages found."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from brain_retrieval.knowledge.memories.asked.answer import AMOUNT, PERSON, STATED
from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.memories.concept_groups import OF_LIFE
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.relation import says_who
from brain_retrieval.language.concepts import TITLED
from brain_retrieval.language.content_words import WORD, content_words, word_form
from brain_retrieval.language.plain import plain
from brain_retrieval.query.ask.changes import may_be_change
from brain_retrieval.query.ask.coverage import LONG_TITLE, MEANT, TITLE, Coverage, Wanted
from brain_retrieval.query.ask.filling import Filling
from brain_retrieval.query.ask.possessed import only_of_relatives
from brain_retrieval.query.ask.rating import Rating, own_first, with_changes
from brain_retrieval.query.hits import Hit

PREFERENCE, RELATIONSHIP = "preference", "relationship"
LEAD = ":lead"  # concept of offices: chair, treasurer
PRICE = ":price"  # and of what is paid
_ONE_VOICE = frozenset({"email"})  # each by one person, so that what is named in one sentence is meant by the next
FEW_LINES = 5  # of a source, each of which is about its title
# A memory is shown if the share of the question's words in it, and the score of the best passage that states it, sum up
# to this. So one word in two is enough where the search finds the passage, and all words where it does not.
RELEVANT = 0.9
LEAST_PART = 0.3  # least share of the question's words where a likely passage has the others
LEAST_WORDS, MOST_WORDS = 0.5, 0.75  # least share of the question's words; the latter if a memory has all of them
ALL_WORDS = 0.95  # share from which a memory counts as having all words
LIKELY = 0.5  # score of a passage that more likely than not is an answer
# Weights: of the probability that a memory is worth keeping, of the day or amount that is asked for, of what may be the
# person or place, and of the cosine of the memory with the question.
KEEP, FILLED, MAYBE_FILLED, NEAR = 0.3, 0.3, 0.15, 0.5


@dataclass(frozen=True)
class Judge:
    """Whether memories answer a question, and how well.

    Attributes:
        wanted: the words of the question.
        likes: those that say whether a person likes something: they are found where that is said.
        kind: of what is asked for, one of those of `Answer.fillers`; None for anything.
        hits: passages of the search.
        near: cosines of memories with the question, by id.
        of_oneself: whether the owner is asked for.
        days: the first and last one of the time that the question names.
        asks_who: whether nothing is asked but who a person is.
        formed: ids of memories with what is asked for in a form that nothing else has: a telephone number.
    """

    wanted: Wanted
    likes: Set[str]
    kind: str | None
    hits: Sequence[Hit]
    near: Mapping[str, float]
    of_oneself: bool = False
    days: tuple[date, date] | None = None
    asks_who: bool = False
    formed: Set[str] = frozenset()

    def rated(self, known: Mapping[str, MemoryCard], facets: Mapping[str, Facet]) -> dict[str, Rating]:
        """Return the memories that answer the question, each with how well it does."""
        lines = Counter(card.source_id for card in known.values())
        found = {key: self._coverage(card, facets[key], lines[card.source_id]) for key, card in known.items()}
        least = least_share(one.share for one in found.values())
        scores = {key: best_score(card, self.hits) for key, card in known.items()}
        answers = [
            key
            for key, one in found.items()
            if (one.share >= least and self._is_answer(known[key], facets[key], one, scores[key]))
            or (key in self.formed and (one.names or 1.0) >= TITLE)
            or self._is_part(one, scores[key], facets[key])
            or self._is_of_life(one, known[key], facets[key])
            or self._is_change(one, known[key], facets[key])
        ]
        if self.wanted.naming or self.kind in STATED:
            stated = [key for key in answers if self.fills(facets[key])]
            answers = stated if self.wanted.naming else stated or self._without_value(answers, known)
        rated = {key: self._rating(known[key], facets[key], found[key].share, scores[key]) for key in answers}
        changes = {key for key in rated if self._is_change(found[key], known[key], facets[key])}
        others = {key for key in rated if self.of_oneself and self._is_of_another(facets[key])}
        return own_first(with_changes(rated, known, changes), facets, others)

    def _is_of_another(self, facet: Facet) -> bool:
        """Return whether a memory begins with a person besides who speaks, and the question names no one.

        "Ann heats with wood" is no answer to how we heat where that is said as well.
        """
        if self.kind == PERSON or self.wanted.names:
            return False
        return any(name and name <= facet.heads and not name & facet.voice for name in facet.people)

    def _is_change(self, found: Coverage, card: MemoryCard, facet: Facet) -> bool:
        return may_be_change(found, facet, card, self.wanted, self.kind) and self.fills(facet)

    def _without_value(self, answers: list[str], known: Mapping[str, MemoryCard]) -> list[str]:
        """Return the answers that state none of the amounts or moments asked for, without those that cannot be one.

        That is one whose passage has figures. Of a moment, what was only possible or asked for says nothing.

        The passage of "New boiler it is then" says in its next sentence what it costs. What has no figures states
        a price in words at most.
        """
        if self.kind != AMOUNT:
            return [key for key in answers if asserted(known[key])]
        if self.wanted.prices:
            return [key for key in answers if self._filling.has_amount_words(known[key].text)]
        hits = {key: [hit for hit in self.hits if _states(hit, known[key])] for key in answers}
        return [key for key in answers if not any(self._filling.has_figures(hit.text) for hit in hits[key])]

    def _rating(self, card: MemoryCard, facet: Facet, share: float, score: float) -> Rating:
        filled = (self.fills(facet) and not self.asks_who) + (self.days is not None and has_day(card, *self.days))
        sure = self.kind in STATED or self.days is not None or self._filling.is_placed(facet)
        if self.kind == AMOUNT and self._asks_price and not self._filling.states_money(facet):
            sure = False  # "Flat 14, from 1 October" has a number, and beside "860 euros" it is no rent
        covered = share + (FILLED if sure else MAYBE_FILLED) * filled
        covered += FILLED * (self._filling.counts(facet) + (bool(self.wanted.naming) and self._says_name(facet)))
        covered += FILLED * (self._says_who(facet) if self.asks_who else self.wanted.is_attribute(facet))
        near = max(0.0, self.near.get(card.memory_id, 0.0))
        whole = covered + score + KEEP * card.keep + NEAR * near
        return Rating(covered, whole, self._filling.is_full(facet))

    def _is_answer(self, card: MemoryCard, facet: Facet, found: Coverage, score: float) -> bool:
        """Return whether a memory with so much of the question, in a passage of that score, answers it.

        One that has nothing of what is asked of the people and things that are named is none, and one that has none of
        these must stand in a passage that has one, and that more likely than not is an answer. If it has all of the
        matter, no passage is needed.
        """
        if found.topic is not None and found.topic < LEAST_WORDS * MEANT:
            return False
        if found.names == 0.0 and (score < LIKELY or not self._named_beside(card)):
            return False
        return self._has_all(found, facet) or found.share + score >= RELEVANT

    def _has_all(self, found: Coverage, facet: Facet) -> bool:
        """Return whether a memory has all that a question tells of its matter, and the amount, day, person or place.

        Words that fit any question ("take place", a month) do not count then, whether it has them or not.
        """
        sure = self.kind in STATED or self.kind == PERSON or self._filling.is_placed(facet)
        return sure and self.wanted.tells_topic and found.least >= TITLE and self.fills(facet)

    def _is_part(self, found: Coverage, score: float, facet: Facet) -> bool:
        """Return whether a line of a likely passage has what is asked for, and a word of the question.

        The other words may stand in the lines around it: "Treasurer = Ann", below "Notes on the boat club".
        """
        of_it = found.names is None or found.names >= TITLE
        of_topic = bool(found.topic) or not self.wanted.tells_topic
        return score >= LIKELY and found.share >= LEAST_PART and of_topic and of_it and self.fills(facet)

    def _is_of_life(self, found: Coverage, card: MemoryCard, facet: Facet) -> bool:
        """Return whether a memory has what is asked for of the person who is asked for, in whatever words.

        "We got the flat in Sea Road" has a home and a name, and answers where its speaker lives without a passage that
        the search would find.
        """
        if not asserted(card) or card.polarity != "affirmed" or not (self.kind is None or self.fills(facet)):
            return False
        if found.topic is None and found.names is None:  # "what is my name"
            return self.of_oneself and self._says_name(facet)
        if found.topic is None or found.topic < MEANT:
            return False
        of_life = any(not OF_LIFE.isdisjoint(one & facet.concepts) for one in self.wanted.concepts.values())
        return found.names == 1.0 if found.names is not None else self.of_oneself and of_life

    def _says_who(self, facet: Facet) -> bool:
        """Return whether a memory says who a person is, and does not only quote a word of that person."""
        row, words = facet.row, WORD.findall(self.wanted.text)
        names = [word for word in words if word_form(plain(word.casefold())) in self.wanted.names]
        said = row["text"].removeprefix(f"{row['speaker']}: ")
        if not any(name.casefold() in said.casefold() for name in names):
            return False
        return row["kind"] == RELATIONSHIP or LEAD in facet.concepts or says_who(said, names)

    def _says_name(self, facet: Facet) -> bool:
        """Return whether a memory says how something is called, if that is asked for."""
        asked = self.wanted.naming
        return any(one in facet.written or not self.wanted.concepts[one].isdisjoint(facet.concepts) for one in asked)

    def fills(self, facet: Facet) -> bool:
        """Return whether a memory has something of the kind that is asked for."""
        return bool(self._filling.of(facet))

    @cached_property
    def _asks_price(self) -> bool:
        """Whether an amount of money is asked for, by a word of paying or for what is paid: "rent"."""
        return bool(self.wanted.prices) or any(PRICE in one for one in self.wanted.concepts.values())

    @cached_property
    def _filling(self) -> Filling:
        return Filling(self.wanted, self.kind)

    def _is_titled(self, facet: Facet) -> bool:
        """Return whether the title of a memory's source has only words of a question, which asks something of it.

        Each line of the note "Ben" is about him, unlike those of "Ben's jobs".
        """
        titles = {word.removeprefix(TITLED) for word in facet.row["anchors"] if word.startswith(TITLED)}
        return bool(titles) and titles < self.wanted.weights.keys()

    def _named_beside(self, card: MemoryCard) -> frozenset[str]:
        """Return the names of the question that a memory's passage has: the lines of a lease are of its address."""
        return frozenset().union(*(names for hit, names in self._naming if _states(hit, card)))

    def _words_beside(self, card: MemoryCard, facet: Facet) -> frozenset[str]:
        """Return the words of the question in a likely passage, for a memory that has one and what is asked for.

        "We offer you »The Lighthouse«. The fee is 900 euros": the fee is that of the book.
        """
        if self.kind not in STATED or self.wanted.telling.isdisjoint(facet.written) or not self.fills(facet):
            return frozenset()
        texts = (hit.text for hit in self.hits if hit.score >= LIKELY and _states(hit, card))
        return self.wanted.telling.intersection(content_words(next(texts, "")))

    @cached_property
    def _naming(self) -> tuple[tuple[Hit, frozenset[str]], ...]:
        """The passages that have names of the question, with these."""
        if not self.wanted.names:
            return ()
        texts = ((hit, content_words(f"{hit.source_ref.title or ''}\n{hit.text}")) for hit in self.hits)
        return tuple((hit, names) for hit, words in texts if (names := self.wanted.names.intersection(words)))

    def _coverage(self, card: MemoryCard, facet: Facet, lines: int = 1) -> Coverage:
        known = dict.fromkeys(self.likes, float(card.kind == PREFERENCE))
        if self.fills(facet):  # a name is what "called" asks for
            known |= dict.fromkeys(self.wanted.naming, 1.0)
        if self.kind == AMOUNT:
            known |= dict.fromkeys(self.wanted.opposed(facet.row["text"]), 0.0)
        meant = self.wanted.prices if self.kind == AMOUNT and self._filling.has_price(facet) else frozenset[str]()
        if not card.speaker or facet.row["source"] in _ONE_VOICE:
            meant |= self._named_beside(card) | self._words_beside(card, facet)
        names = only_of_relatives(facet.row["text"], self.wanted.names, self.wanted.text)
        known |= dict.fromkeys(names, MEANT)
        title = TITLE if lines <= FEW_LINES or self._is_titled(facet) else LONG_TITLE
        return self.wanted.in_memory(facet, known, title, meant=meant)


def least_share(shares: Iterable[float]) -> float:
    """Return the least share of a question's words that an answer has, by the shares of all that may be one."""
    return MOST_WORDS if max(shares, default=0.0) >= ALL_WORDS else LEAST_WORDS


def has_day(card: MemoryCard, first: date, last: date) -> bool:
    """Return whether a memory states a day, or a month, within some days."""
    stated = (value[:10] for dimension, value in card.values if dimension in ("date", "month"))
    days = (value if len(value) > len("2026-06") else f"{value}-01" for value in stated)
    return any(first.isoformat() <= day <= last.isoformat() for day in days)


def asserted(card: MemoryCard) -> bool:
    return card.modality == "asserted"


def best_score(card: MemoryCard, hits: Sequence[Hit]) -> float:
    """Return the score of the best passage that states a memory, 0 if none of them does."""
    return max((hit.score for hit in hits if _states(hit, card)), default=0.0)


def _states(hit: Hit, card: MemoryCard) -> bool:
    start, end = hit.source_ref.span
    return hit.source_ref.source_id == card.source_id and start < card.span[1] and card.span[0] < end
