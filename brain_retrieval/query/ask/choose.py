"""Choosing what answers a question: the memories about it, the passages worth reading, the storyline it is part of."""

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import datetime

from brain_retrieval.errors import BrainError
from brain_retrieval.knowledge.memories.asked.lines import GONE
from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.memories.reader import MemoryReader
from brain_retrieval.knowledge.memories.seen import ENDED, OUTDATED
from brain_retrieval.knowledge.memories.shown.fitness import PROGRAMS, is_of_another
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.language.content_words import content_words
from brain_retrieval.language.self_description import asks_of_oneself, describes_speaker, words_of_liking
from brain_retrieval.query.analysis import Question
from brain_retrieval.query.hits import Hit
from brain_retrieval.query.overview import Theme, overview
from brain_retrieval.query.packs.excerpts import excerpt, word_weights

PREFERENCE = "preference"
MOST_NAMED = 3  # names of the question by which memories are read
MOST_READ = 50  # memories for each of them
MOST_MEMORIES = 6
# A memory is shown if the share of the question's words in it, and the score of the best passage that states it, sum up
# to this. So one word in two is enough where the search finds the passage, and all words where it does not.
RELEVANT = 0.9
LEAST_WORDS, MOST_WORDS = 0.5, 0.75  # least share of the question's words; the latter if a memory has all of them
KEEP = 0.3  # weight of the probability that a memory is worth keeping
LEAST_SCORE, LEAST_SHARE = 0.05, 0.25  # of a passage: its probability, and its share of the best one's
LEAST_STORY = 0.5  # score of a storyline
EXCERPT_WORDS = 45
_LABEL = re.compile(r"\s{0,8}(?:#{1,6}\s|[Tt]ags:)")  # lines that say nothing beside a title


def memories_about(
    reader: MemoryReader, question: Question, hits: Sequence[Hit], *, at: datetime | None
) -> tuple[MemoryCard, ...]:
    """Return the memories that answer a question: what holds first, newest first, then what has ended."""
    wanted = set(content_words(question.text))
    if not wanted:
        return ()
    likes = wanted & set(content_words(" ".join(words_of_liking(question.language))))
    names = (question.text, *(name.canonical for name in question.entities[:MOST_NAMED]))
    if likes == wanted:  # "what do I like": whatever the word is
        names += words_of_liking(question.language)
    cards = [card for name in dict.fromkeys(names) for card in reader.about(name, at=at, limit=MOST_READ)]
    known: dict[str, MemoryCard] = {}
    for card in cards:  # the words of the question come first: they show best what has ended
        if card.modality != "question" and not _LABEL.match(card.text):
            known.setdefault(card.memory_id, card)
    if asks_of_oneself(question.text, question.language):
        known = _without_others(known, reader)
        if likes == wanted:
            known = {key: card for key, card in known.items() if describes_speaker(_said(card))}
    shares = {key: _share(card, wanted, likes) for key, card in known.items()}
    least = MOST_WORDS if 1.0 in shares.values() else LEAST_WORDS
    rated = {key: shares[key] + _best_score(card, hits) for key, card in known.items() if shares[key] >= least}
    relevant = [key for key, value in rated.items() if value >= RELEVANT]
    if all(known[key].status in GONE for key in relevant):
        heirs = _heirs([known[key] for key in relevant], reader, at, wanted)
        known |= heirs
        relevant += heirs
    worth = {key: rated.get(key, RELEVANT) + KEEP * known[key].keep for key in relevant}
    best = sorted(relevant, key=lambda key: (known[key].status in GONE, not _asserted(known[key]), -worth[key], key))
    return in_order(_without_repeats(known[key] for key in best)[:MOST_MEMORIES])


def _without_others(known: Mapping[str, MemoryCard], reader: MemoryReader) -> dict[str, MemoryCard]:
    """Return the memories without what programs say, and without what is an attribute of another person."""
    rows = reader.rows_by_id(known)
    return {
        key: card
        for key, card in known.items()
        if (card.speaker or "").casefold() not in PROGRAMS and not is_of_another(rows[key])
    }


def _heirs(
    relevant: Sequence[MemoryCard], reader: MemoryReader, at: datetime | None, wanted: Set[str]
) -> dict[str, MemoryCard]:
    """Return what holds instead of what has surely ended, in whatever words it is said.

    What may hold instead of what is perhaps outdated has a word of the question.
    """
    sure = {key for card in relevant if card.status == ENDED for key in card.ended_by}
    by = sure.union(*(card.ended_by for card in relevant))
    cards = [card for card in (reader.cards_of(by, at=at) if by else []) if card.status not in GONE]
    return {
        card.memory_id: card
        for card in cards
        if card.memory_id in sure or not wanted.isdisjoint(content_words(card.text))
    }


def _said(card: MemoryCard) -> str:
    return card.text.removeprefix(f"{card.speaker}: ").strip()


def _share(card: MemoryCard, wanted: Set[str], likes: Set[str]) -> float:
    """Return the share of the question's words that a memory has; "like" counts where it tells what someone likes."""
    found = wanted & set(content_words(card.text))
    if likes:
        found = found | likes if card.kind == PREFERENCE else found - likes
    return len(found) / len(wanted)


def in_order(cards: Iterable[MemoryCard]) -> tuple[MemoryCard, ...]:
    """Return memories that hold, then those that have ended; of both what is asserted first, then the newest.

    What is only possible or asked for says less than what was asserted and has perhaps ended: the newest of these comes
    first if nothing that holds is asserted.
    """
    newest = sorted(cards, key=lambda card: (card.effective_from, card.said_at, card.memory_id), reverse=True)
    ordered = sorted(newest, key=lambda card: (card.status in GONE, not _asserted(card)))
    if ordered and (ordered[0].status in GONE or not _asserted(ordered[0])):
        perhaps = next((card for card in ordered if card.status == OUTDATED and _asserted(card)), None)
        ordered.sort(key=lambda card: card is not perhaps)
    return tuple(ordered)


def _asserted(card: MemoryCard) -> bool:
    return card.modality == "asserted"


def _best_score(card: MemoryCard, hits: Sequence[Hit]) -> float:
    """Return the score of the best passage that states a memory, 0 if none of them does."""
    return max((hit.score for hit in hits if _states(hit, card)), default=0.0)


def _states(hit: Hit, card: MemoryCard) -> bool:
    start, end = hit.source_ref.span
    return hit.source_ref.source_id == card.source_id and start < card.span[1] and card.span[0] < end


def _without_repeats(cards: Iterable[MemoryCard]) -> list[MemoryCard]:
    """Return the first of the memories that say the same in the same words."""
    first: dict[object, MemoryCard] = {}
    for card in cards:
        first.setdefault((frozenset(content_words(card.text)), card.values), card)
    return list(first.values())


def worth_reading(hits: Sequence[Hit], most: int) -> tuple[Hit, ...]:
    """Return the passages that are worth reading, at most `most`; none if even the best one is probably no answer."""
    best = max((hit.score for hit in hits), default=0.0)
    floor = max(LEAST_SCORE, LEAST_SHARE * best)
    return tuple(hit for hit in hits if hit.score >= floor)[:most]


def excerpts_of(question: str, hits: Sequence[Hit]) -> tuple[str, ...]:
    """Return the sentences of each passage that are about the question, a short passage as a whole."""
    weights = word_weights(question, (hit.text for hit in hits))
    return tuple(_excerpt(hit.text, weights) for hit in hits)


def _excerpt(text: str, weights: dict[str, float]) -> str:
    every = [line.rstrip() for line in text.splitlines() if line.strip()]
    lines = [line for line in every if not _LABEL.match(line)] or every
    if sum(len(line.split()) for line in lines) <= EXCERPT_WORDS:
        return "\n".join(lines)
    cut = excerpt(lines, weights, EXCERPT_WORDS, lambda part: len(part.split()), required=False)
    return "\n".join(cut.lines) if cut is not None else " ".join(text.split()[:EXCERPT_WORDS]) + " …"


def storyline_of(knowledge: Knowledge, question: str, hits: Sequence[Hit]) -> Theme | None:
    """Return the storyline that a question is most about; None if there is none, or no snapshot that could be read."""
    if knowledge.day is None:
        return None
    try:
        found = overview(knowledge, question, ((hit.source_ref.source_id, hit.score) for hit in hits), limit=1)
    except BrainError:
        return None
    return next((theme for theme in found.themes if theme.score >= LEAST_STORY), None)
