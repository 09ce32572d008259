"""What is said instead of the best answer of a question, where that has ended or perhaps has."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from brain_retrieval.knowledge.memories.asked.answer import STATED
from brain_retrieval.knowledge.memories.asked.lines import GONE
from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.reader import MemoryReader
from brain_retrieval.knowledge.memories.seen import ENDED
from brain_retrieval.query.ask.coverage import BEFORE, MEANT
from brain_retrieval.query.ask.judged import FILLED, LEAST_WORDS, Judge, least_share
from brain_retrieval.query.ask.rating import Rating

OF_OWN = 0.01  # share of how well each answers by itself, by which those that have ended the best answer are ordered


def heirs_of(
    best: MemoryCard,
    reader: MemoryReader,
    at: datetime | None,
    judge: Judge,
    rated: Mapping[str, Rating],
    rating: Rating,
) -> Iterator[tuple[MemoryCard, Rating]]:
    """Yield what is said instead of the best answer, if that has ended, each as good an answer as that one.

    It is what holds for sure, in whatever words. What is only perhaps said instead, or has ended itself, has a word of
    the question and half of it; as much as any answer beside the best one needs, if it does not surely speak of a
    change. Where a day or amount is asked for, one that states it for the same name is enough, and one without it is
    less of an answer: "The dentist has retired" ends the appointment, and "14 October" is the next one.

    Args:
        best: the best answer.
        reader: of the memories.
        at: the time asked about.
        judge: of the question.
        rated: the answers that were found.
        rating: of the best one.
    """
    if best.status not in GONE or not best.ended_by:
        return
    facets = {key: Facet(row) for key, row in reader.rows_by_id(best.ended_by).items()}
    for card in reader.cards_of(best.ended_by, at=at):
        facet = facets[card.memory_id]
        states = judge.kind not in STATED or judge.fills(facet)
        sure = best.status == ENDED and card.status not in GONE
        if sure or _is_likely(best, facet, reader, judge):
            own = rated.get(card.memory_id)
            less = 0.0 if states else FILLED
            whole = rating.whole - less + (OF_OWN * own.whole if own else 0.0)
            heir = rating._replace(covered=rating.covered - less, whole=whole)
            yield card, own if own is not None and own.whole > heir.whole else heir


def _is_likely(best: MemoryCard, facet: Facet, reader: MemoryReader, judge: Judge) -> bool:
    """Return whether a memory is likely said instead of the best answer, by the words of the question that it has."""
    wanted = judge.wanted
    found = wanted.in_memory(facet, {})
    if judge.kind in STATED and judge.fills(facet) and (found.names or 0.0) >= BEFORE:
        return True
    if found.names == 0.0:  # of something else that is done as well
        return False
    least = least_share(wanted.in_memory(Facet(row), {}).share for row in reader.rows_by_id([best.memory_id]).values())
    changed = facet.cue == "strong" or not facet.new.isdisjoint(wanted.weights)
    # Not only of the same person.
    return found.topic != 0.0 and found.share >= (LEAST_WORDS if changed else least) and found.most > MEANT
