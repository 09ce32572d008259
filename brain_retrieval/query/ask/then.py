"""What held at a time that has passed, where a question names it: "how much was the rent in March 2024".

Such a question asks for what held then, which may have ended since. What was said later of that time, with a day within
it, answers it as well.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time

from brain_retrieval.knowledge.memories.cards import MemoryCard
from brain_retrieval.knowledge.memories.reader import MemoryReader
from brain_retrieval.query.analysis import Question
from brain_retrieval.query.ask.choose import memories_about
from brain_retrieval.query.ask.judged import has_day
from brain_retrieval.query.hits import Hit

_TIME = "time"


def answers_of_time(
    reader: MemoryReader, question: Question, hits: Sequence[Hit], *, at: datetime | None
) -> tuple[MemoryCard, ...]:
    """Return the memories that answer a question, judged as of the time that it names, if that has passed.

    Args:
        reader: of the memories.
        question: as it was read.
        hits: passages of the search.
        at: the time asked about, if one was given: then that holds, whatever the question names.
    """
    return answers_and_day(reader, question, hits, at=at)[0]


def answers_and_day(
    reader: MemoryReader, question: Question, hits: Sequence[Hit], *, at: datetime | None
) -> tuple[tuple[MemoryCard, ...], date | None]:
    """Return what `answers_of_time` does, and the day on which it held; None for `at`, now if that is not given."""
    answers = memories_about(reader, question, hits, at=at)
    then = time_asked(question, reader.known_at or datetime.now(UTC)) if at is None else None
    if then is None:
        return answers, None
    first, last = then
    if answers and has_day(answers[0], first or last, last):
        return answers, None
    held = memories_about(reader, question, hits, at=datetime.combine(last, time.max, UTC))
    return (held, last) if held else (answers, None)


def time_asked(question: Question, now: datetime) -> tuple[date | None, date] | None:
    """Return the first and last day of the time in a question, if it has passed and a state of then is asked for.

    None where a day itself is asked for: "when did we meet in 2024" may be answered by what was said later.
    """
    asked = question.time
    if asked is None or not asked.restricts or asked.end is None or question.wants == _TIME:
        return None
    return (asked.start, asked.end) if asked.end < now.date() else None
