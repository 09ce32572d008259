"""Habits that someone states: "Swimming is on Wednesdays at 4", "every other Friday"."""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache
from typing import Any, NamedTuple

import polars as pl

from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_pipelines.knowledge.memory.habits.said import forms_of, occurrence
from brain_pipelines.knowledge.memory.habits.written import SUBJECT
from brain_pipelines.knowledge.memory.machine_turns import is_machine
from brain_pipelines.knowledge.memory.stories.phrases import without_context
from brain_retrieval.ids import content_id
from brain_retrieval.language.lexicon import ENGLISH, SHARED, alternatives, code_of

STATED = "stated"
OPEN_DAYS = 365  # since it was said last
_CLOCK = re.compile(
    r"\b(?:[01]?\d|2[0-3])(?:[:.h]\d\d\b|\s?(?:am|pm|uhr|h|horas|heures)\b)|\b(?:at|um|às|a las|alle|à)\s\d{1,2}\b",
    re.IGNORECASE,
)
LEAST_KEEP = 0.4
ALIKE = 0.7  # of the words of the shorter statement
MEMORY_COLUMNS = [
    "memory_id",
    "source_id",
    "start",
    "end",
    "said_at",
    "text",
    "evidence",
    "keep",
    "kind",
    "modality",
    "polarity",
    "speaker",
]


def stated_habits(memories: pl.DataFrame, today: date) -> Iterator[dict[str, Any]]:
    """Yield rows of HABITS.

    Args:
        memories: MEMORY_COLUMNS of MEMORIES, and language.
        today: the last day of the snapshot.
    """
    held = (pl.col("modality") == "asserted") & (pl.col("polarity") != "negated") & (pl.col("keep") >= LEAST_KEEP)
    likely = memories.filter(held).sort("said_at", "source_id", "start", "memory_id", descending=True)
    groups: list[tuple[frozenset[str], list[dict[str, Any]]]] = []
    for row in likely.iter_rows(named=True):
        text = without_context(row["text"])
        if (row["speaker"] and is_machine(row["speaker"])) or not _is_own(row, text):
            continue
        words = forms_of(text, row["language"])
        group = next((rows for known, rows in groups if _same(words, known)), None)
        if group is None:
            groups.append((words, [row]))
        else:
            group.append(row)
    for _, rows in groups:
        yield _row(rows, today)


def _is_own(row: dict[str, Any], text: str) -> bool:
    """Return whether a statement tells of a habit of those who write.

    A day of the week with a time of day is one; without, someone must speak of themselves.
    """
    patterns = _patterns(row["language"])
    own = bool(patterns.own.search(without_context(row["evidence"])))
    if patterns.weekday.search(text):
        return own or bool(_CLOCK.search(text))
    return own and bool(patterns.time.search(text))


def _same(words: frozenset[str], other: frozenset[str]) -> bool:
    fewer = min(len(words), len(other))
    return fewer > 0 and len(words & other) >= ALIKE * fewer


def _row(rows: Sequence[dict[str, Any]], today: date) -> dict[str, Any]:
    """Return the habit of statements, the newest first, which is what it is called."""
    newest, oldest = rows[0], rows[-1]
    occurrences = [
        occurrence(row["source_id"], row["start"], row["end"], row["said_at"], row["text"], row["memory_id"])
        for row in reversed(rows)
    ]
    return {
        "habit_id": content_id("habit", STATED, newest["memory_id"]),
        "kind": STATED,
        "name": " ".join(without_context(newest["text"]).split()),
        "steps": [],
        "times": len({row["said_at"].date() for row in rows}),
        "started_at": oldest["said_at"],
        "last_at": newest["said_at"],
        "open": (today - newest["said_at"].date()).days <= OPEN_DAYS,
        "occurrences": occurrences,
    }


class _Patterns(NamedTuple):
    weekday: re.Pattern[str]  # that comes back
    time: re.Pattern[str]  # that comes back: "every month"
    own: re.Pattern[str]  # words by which one speaks of oneself


@cache
def _patterns(language: str | None) -> _Patterns:
    code = code_of(language)
    code = code if LEXICONS.has(SUBJECT, code) else ENGLISH
    lexicon = LEXICONS.read(SUBJECT, code)
    weekday = f"(?:{alternatives(SHARED.read('dates', code).listed('weekdays'))})"
    entries = [one.replace("{}", weekday) for one in lexicon.listed("weekdays_again")]
    own = LEXICONS.read("headlines", code).listed("first_person")
    listed = ("|".join(entries), lexicon.expression("times_again"), alternatives(own))
    return _Patterns(*(re.compile(rf"\b(?:{one})\b", re.IGNORECASE) for one in listed))
