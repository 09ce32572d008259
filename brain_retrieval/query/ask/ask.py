"""`ask`: one search, the memories about the question, a storyline, and an answer if a chat model is configured."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.reader import Knowledge
from brain_retrieval.knowledge.stories.closed import closed_sources
from brain_retrieval.query.analysis import Question
from brain_retrieval.query.ask import SHOWN
from brain_retrieval.query.ask.asked import Asked
from brain_retrieval.query.ask.broad.answer import broad_answer
from brain_retrieval.query.ask.broad.forms import broad_of
from brain_retrieval.query.ask.choose import (
    about_what_is_asked,
    excerpts_of,
    storyline_of,
    worth_reading,
)
from brain_retrieval.query.ask.counted import counted_list
from brain_retrieval.query.ask.fitting import in_order_of_fit, with_all_words, with_price
from brain_retrieval.query.ask.particulars import particular_asked
from brain_retrieval.query.ask.then import answers_and_day
from brain_retrieval.query.hits import Hit, SearchResult

CONSIDERED = 20  # passages by which memories and storylines are judged


def ask(
    question: Question,
    knowledge: Knowledge,
    search: Callable[[int], SearchResult],
    others: Callable[[], Iterable[Question]] = tuple,
    *,
    as_of: datetime | None,
    known_at: datetime | None,
    k: int = SHOWN,
) -> Asked:
    """Return what is found for a question, without an answer in sentences.

    A storyline is of the newest snapshot, so that there is none if the question is limited to an earlier time.

    Args:
        question: read by the searcher.
        knowledge: with the limit `known_at`.
        search: returns that many passages.
        others: returns the question in other words, for one that no memory answers in those of the search.
        as_of: the time asked about.
        known_at: only what had been received by then counts.
        k: most passages shown.

    Raises:
        InvalidQueryError: for a `k` below 1, and as `search`.
    """
    if k < 1:
        raise InvalidQueryError(f"k is a whole number from 1, not {k}")
    found = search(max(k, CONSIDERED))
    asked_as = in_answered_words(question, found)
    answer, passages, form, held_on = _answers(
        question, asked_as, knowledge, found, others, as_of=as_of, known_at=known_at
    )
    hits = _shown(asked_as, passages, k, alone=not answer)
    counted = counted_list(asked_as, hits, passages, answer)
    if counted is not None:  # one of its entries is no answer
        answer = tuple(card for card in answer if not counted.has(card))
    asked = Asked(
        question.text,
        as_of,
        known_at,
        memories=answer,
        hits=hits,
        excerpts=excerpts_of(asked_as.text, hits, asked_as.language),
        nearest=found.nearest or (None if hits else next(iter(found), None)),
        warnings=tuple(found.warnings),
        failure=found.failure,
        timings=found.timings.to_json(),
        dated=question.wants == "time",
        counted=counted,
        form=form,
        held_on=held_on,
    )
    if not asked.found or as_of is not None or known_at is not None:
        return asked
    return replace(asked, storyline=storyline_of(knowledge, asked_as.text, passages))


def _answers(
    question: Question,
    asked_as: Question,
    knowledge: Knowledge,
    found: SearchResult,
    others: Callable[[], Iterable[Question]],
    *,
    as_of: datetime | None,
    known_at: datetime | None,
) -> tuple[tuple[MemoryCard, ...], Sequence[Hit], str, date | None]:
    """Return the memories that answer, the passages of which some may be shown, and the form of a broad question.

    Last comes the day on which the memories held, if the question names a time that has passed.
    """
    broad = broad_of(question, knowledge.memory_reader.owner_words(question.text))
    answer: tuple[MemoryCard, ...] = ()
    passages: Sequence[Hit] = found
    if broad is not None:
        at, timeless = as_of or known_at or datetime.now(UTC), as_of is None and known_at is None
        answer = broad_answer(knowledge, broad, question.time, at=at, timeless=timeless)
        if not broad.topic:  # what is of high sensitivity waits for its name
            closed = closed_sources(knowledge.table("known_sources")) if knowledge.day else frozenset()
            passages = [hit for hit in found if hit.source_ref.source_id not in closed]
    if broad is not None and answer:
        return answer, passages, broad.form, None
    answer, held_on = answers_and_day(knowledge.memory_reader, asked_as, passages, at=as_of)
    if not answer:
        answer, held_on = _in_other_words(question, asked_as, knowledge, passages, others, at=as_of)
    return answer, passages, "", held_on


def _in_other_words(
    question: Question,
    asked_as: Question,
    knowledge: Knowledge,
    passages: Sequence[Hit],
    others: Callable[[], Iterable[Question]],
    *,
    at: datetime | None,
) -> tuple[tuple[MemoryCard, ...], date | None]:
    """Return what answers a question in words that the search has not answered it in, and the day on which it held.

    The best passage may be in one language of a user and the memory that answers in another.
    """
    for other in (question, *others()):
        if other.text != asked_as.text:
            answer, held_on = answers_and_day(knowledge.memory_reader, other, passages, at=at)
            if answer:
                return answer, held_on
    return (), None


def _shown(question: Question, passages: Sequence[Hit], k: int, *, alone: bool) -> tuple[Hit, ...]:
    """Return the passages to show, at most `k`; an unlikely one only if it is `alone`, without a memory."""
    particular = particular_asked(question)
    if particular is not None:  # a passage that cannot be the answer, however near, keeps none from being shown
        passages = [hit for hit in passages if particular.may_be_in(f"{hit.source_ref.title or ''}\n{hit.text}")]
    hits = worth_reading(passages, len(passages))
    hits = in_order_of_fit(question, with_price(question, about_what_is_asked(question, hits)))[:k]
    if alone and not hits and particular is None:
        return with_all_words(question, with_price(question, passages))
    return hits


def in_answered_words(question: Question, found: SearchResult) -> Question:
    """Return the question in the words in which the search has answered it: its own, or those of another language."""
    answered = found.question
    return question if answered is None or answered.text == question.text else answered
