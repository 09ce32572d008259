"""What was read in a question, for people: `brain search --explain` and its JSON."""

from collections.abc import Iterator
from dataclasses import asdict, fields
from typing import Any

from brain_retrieval.knowledge.json_values import plain
from brain_retrieval.query.analysis.question import Question, QuestionTime, Resolved

_NOT_SHOWN = ("dates", "warnings")  # among the times, and beside the hits


def as_json(question: Question) -> dict[str, Any]:
    """Return the analysis of a question as plain JSON values; days are ISO 8601."""
    shown = {one.name: getattr(question, one.name) for one in fields(question) if one.name not in _NOT_SHOWN}
    time = None if question.time is None else _time(question.time)
    names = [name.text for name in question.names]
    return plain(shown | {"time": time, "names": names, "entities": [asdict(one) for one in question.entities]})


def read_as(question: Question) -> list[str]:
    """Return the analysis of a question in words, what was not found left out.

    `temporal question in en for a thing`, `time 2026-11-16 to 2026-11-22 (relative)`, `“Leonor” is Leonor Tavares …`.
    """
    return list(_parts(question))


def _parts(question: Question) -> Iterator[str]:
    kinds = [word for word, holds in (("a list", question.lists), ("yes or no", question.yes_no)) if holds]
    wanted = ", ".join(kinds or [question.wants])
    yield f"{question.intent} question in {question.language or 'a language without rules'}, asks for {wanted}"
    if question.asks_then:
        yield "asks about a past state"
    if question.time is not None:
        yield _time_in_words(question.time)
    known = {one.name for one in question.entities}
    for name in dict.fromkeys(one.name for one in question.entities):
        meant = " or ".join(_meaning(one) for one in question.entities if one.name == name)
        yield f"“{name}” is {meant}"
    if unknown := [name.text for name in question.names if name.text not in known]:
        yield f"not known by name: {', '.join(unknown)}"
    if question.sources:
        yield f"sources {', '.join(question.sources)}"
    if question.buckets:
        yield f"buckets {', '.join(question.buckets)}"
    if question.expansion:
        yield f"also {', '.join(question.expansion)}"


def _meaning(one: Resolved) -> str:
    kind = f"{one.kind.lower()}, " if one.kind else ""
    return f"{one.canonical} ({kind}{one.how} {one.confidence:.2f})"


def _time(time: QuestionTime) -> dict[str, Any]:
    start, end = (None if day is None else day.isoformat() for day in (time.start, time.end))
    return {"start": start, "end": end, "kind": time.kind, "event": time.event or time.around}


def _time_in_words(time: QuestionTime) -> str:
    event = time.event or time.around
    of = f"{time.kind} “{event}”" if event else time.kind
    if time.start is None and time.end is None:
        return f"time {of}, not known"
    days = list(dict.fromkeys(day.isoformat() for day in (time.start, time.end) if day is not None))
    if time.start is None:
        return f"time until {days[0]} ({of})"
    if time.end is None:
        return f"time from {days[0]} ({of})"
    return f"time {' to '.join(days)} ({of})"
