"""The day of an event that a question refers to: "before the launch", "since she moved".

It is looked up among the memories that hold at the clocks of the query, then among the passages: the best match that
has all of its words. The day is the one that a memory states, else from when it holds, or that of the passage. Which
event and day were assumed is said in a warning. Passages of these days come first and the others stay: that something
happened after an event is often said on its day, and the event found may be another one.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, tzinfo
from typing import Any
from urllib.parse import unquote

from brain_retrieval.knowledge.memories.candidates import facets_about
from brain_retrieval.knowledge.memories.endings import Endings, Moment, inside
from brain_retrieval.knowledge.memories.facets import Facet, Row
from brain_retrieval.knowledge.memories.view import ENDED, OUTDATED, Seen, judged
from brain_retrieval.language.content_words import content_words
from brain_retrieval.query.analysis import Question, QuestionTime
from brain_retrieval.query.analysis.calendar_days import beside

PASSAGES = 5  # best passages that are looked at
MOST_SHOWN = 80  # characters of a passage
COLUMNS = ("id", "source_id", "uri", "title", "text", "start", "end", "day", "received_at", "ttl_policy")


@dataclass(frozen=True)
class Event:
    """The days of an event, and the statement that they were taken from."""

    first: date
    last: date
    text: str
    uri: str


def find_event(called: str, endings: Endings, moment: Moment, zone: tzinfo) -> Event | None:
    """Return the event that is called so, as it is known at a moment; None if no memory that holds names all of it.

    A memory that is about the event comes before one that only mentions it, then one that states a day.
    """
    words = set(content_words(called))
    if not words:
        return None
    facets = facets_about(endings.index, called, at=moment.at, visible=moment.visible)
    seen = judged(
        facets,
        called,
        at=moment.at,
        wanted=lambda facet: words <= facet.written,
        key=lambda one: (_is_about(one, words), _days_stated(one.row) is not None, one.score),
        is_question=False,
    )
    best = next((one for one in seen if one.status not in (ENDED, OUTDATED)), None)
    return None if best is None else _event(best.row, zone)


def find_in_passages(called: str, passages: Sequence[Mapping[str, Any]], endings: Endings | None) -> Event | None:
    """Return the event of the first passage that has all words of it: on a day stated in it, else its day.

    Args:
        called: the event.
        passages: rows of the index, best first, with `text`, `title`, `uri`, `source_id`, `start`, `end` and `day`.
        endings: of the memories of the user, None without any.
    """
    words = set(content_words(called))
    for passage in passages:
        if words and words <= set(
            content_words(f"{passage['title'] or ''} {_spaced(passage['uri'])} {passage['text']}")
        ):
            held = date.fromisoformat(passage["day"])
            first, last = (_days_in(passage, words, endings) if endings else None) or (held, held)
            return Event(first, last, passage["title"] or passage["text"][:MOST_SHOWN], passage["uri"])
    return None


def dated(question: Question, event: Event) -> Question:
    """Return the question with the days that it means."""
    return question if question.time is None else replace(question, time=_around(question.time, event))


def assumed(called: str, event: Event) -> str:
    """Return which event and day were assumed, as a sentence."""
    days = event.first.isoformat() if event.first == event.last else f"{event.first} to {event.last}"
    return f"“{called}” is taken to be {days}: “{event.text}” ({event.uri})"


def _around(asked: QuestionTime, event: Event) -> QuestionTime:
    if asked.kind == "before":
        return QuestionTime(None, beside(event.first, -1), "before", around=asked.event)
    if asked.kind == "after":
        return QuestionTime(beside(event.last, 1), None, "after", around=asked.event)
    if asked.kind == "since":
        return QuestionTime(event.first, None, "since", around=asked.event)
    return QuestionTime(event.first, event.last, asked.kind, around=asked.event)


def _days_in(passage: Mapping[str, Any], words: set[str], endings: Endings) -> tuple[date, date] | None:
    """Return the days that a statement in a passage names together with a word of the event."""
    rows = inside(endings.index, passage["source_id"], passage["start"], passage["end"]).tolist()
    naming = (one for one in endings.facets(rows) if one.words & words)
    return next((days for one in naming if (days := _days_stated(one.row))), None)


def _is_about(seen: Seen, words: set[str]) -> bool:
    return bool(Facet(seen.row).heads & words)


def _spaced(uri: str) -> str:
    """Return the words of a file name: "kickoff" is in "2026-01-05-kickoff.jsonl"."""
    return re.sub(r"[\W_]+", " ", unquote(uri))


def _event(row: Row, zone: tzinfo) -> Event:
    held = row["effective_from"].astimezone(zone).date()
    first, last = _days_stated(row) or (held, held)
    return Event(first, last, row["text"], row["uri"])


def _days_stated(row: Row) -> tuple[date, date] | None:
    """Return the last day or range of days that a memory names: of a move from one day to another the new one."""
    days = [value["value"] for value in row["values"] or () if value["dimension"] == "date"]
    if not days:
        return None
    first, _, last = days[-1].partition("/")
    try:
        return date.fromisoformat(first), date.fromisoformat(last or first)
    except ValueError:
        return None
