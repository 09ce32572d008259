"""An overview at a moment, in which a broad question is answered first."""

from collections.abc import Iterable
from datetime import datetime

from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.query.analysis import Question
from brain_retrieval.query.ask.broad.answer import broad_answer
from brain_retrieval.query.ask.broad.forms import broad_of
from brain_retrieval.query.overview import PASSAGES, Overview, overview

__all__ = ["PASSAGES", "overview_at"]


def overview_at(
    knowledge: Knowledge,
    question: Question | None,
    passages: Iterable[tuple[str, float]],
    *,
    at: datetime,
    limit: int,
) -> Overview:
    """Return the overview of a snapshot at a moment; arguments as of `overview`.

    Raises:
        NoSnapshotError: if there is no snapshot yet.
    """
    today = at.astimezone(knowledge.settings.zone).date()
    if question is None:
        return overview(knowledge, None, passages, today=today, limit=limit)
    answer: tuple[str, tuple[MemoryCard, ...]] = ("", ())
    broad = broad_of(question, knowledge.memory_reader.owner_words(question.text))
    if broad is not None:
        answer = broad.form, broad_answer(knowledge, broad, question.time, at=at, timeless=True)
    return overview(knowledge, question.text, passages, today=today, limit=limit, answer=answer)
