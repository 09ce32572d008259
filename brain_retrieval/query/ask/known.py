"""What is known about words or a name: for a question its answers first, then what else matches its words."""

from collections.abc import Iterable, Sequence

from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.memories.reader import MemoryReader
from brain_retrieval.query.analysis import Question
from brain_retrieval.query.ask.coverage import Wanted

LEAST_WORDS = 2  # content words of a question; one word alone is a topic, of which all is known


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
