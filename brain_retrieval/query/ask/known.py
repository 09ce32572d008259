"""What is known about words or a name: for a question its answers first, then what else matches its words."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.memories.reader import MemoryReader
from brain_retrieval.query.analysis import Question
from brain_retrieval.query.ask.ask import CONSIDERED, in_answered_words
from brain_retrieval.query.ask.coverage import Wanted
from brain_retrieval.query.ask.then import answers_of_time
from brain_retrieval.query.hits import SearchResult

LEAST_WORDS = 2  # content words of a question; one word alone is a topic, of which all is known


def with_answers(
    reader: MemoryReader,
    question: Question,
    known: list[MemoryCard],
    search: Callable[[int], SearchResult],
    *,
    at: datetime | None,
    limit: int,
) -> list[MemoryCard]:
    """Return the answers of a question before what else is known; of words that ask nothing, what is known.

    Args:
        reader: of the memories.
        question: asked.
        known: see `answers_first`.
        search: returns so many passages about the question.
        at: the time asked about.
        limit: of cards.
    """
    if not is_asked(reader, question):
        return known
    found = search(CONSIDERED)
    answers = answers_of_time(reader, in_answered_words(question, found), found, at=at)
    return answers_first(answers, known, limit)


def is_asked(reader: MemoryReader, question: Question) -> bool:
    """Return whether words ask something, and are not only a topic or a name under which memories are kept."""
    wanted = Wanted(question.text, question.language, reader.owner_words(question.text))
    is_enough = len(wanted.weights) >= LEAST_WORDS or (wanted.weights and question.wants == "person")
    return bool(is_enough) and not reader.names(question.text)


def answers_first(answers: Iterable[MemoryCard], known: Sequence[MemoryCard], limit: int) -> list[MemoryCard]:
    """Return the answers of a question before what else is known, each memory once, at most `limit`.

    Args:
        answers: best first.
        known: as `MemoryReader.answers` returns them: compared with each other, they tell better what has ended.
        limit: of cards.
    """
    judged = {card.memory_id: card for card in known}
    ordered = {card.memory_id: judged.get(card.memory_id, card) for card in answers} | judged
    return list(ordered.values())[:limit]
