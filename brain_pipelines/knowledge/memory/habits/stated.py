"""Habits that someone states: "Swimming is on Wednesdays at 4", "every other Friday"."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import polars as pl

from brain_pipelines.knowledge.lexicons import LEXICONS
from brain_pipelines.knowledge.memory.habits.said import forms_of, occurrence
from brain_pipelines.knowledge.memory.habits.written import SUBJECT
from brain_pipelines.knowledge.memory.machine_turns import is_machine
from brain_pipelines.knowledge.memory.stories.phrases import without_context
from brain_retrieval.ids import content_id
from brain_retrieval.language.lexicon import ENGLISH, SHARED, alternatives, code_of

STATED = "stated"
LEAST_KEEP = 0.4
ALIKE = 0.7  # of the words of the shorter statement
MEMORY_COLUMNS = [
    "memory_id",
    "source_id",
    "start",
    "end",
    "said_at",
    "text",
    "keep",
    "kind",
    "modality",
    "polarity",
    "speaker",
]


def stated_habits(memories: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield rows of HABITS.

    Args:
        memories: MEMORY_COLUMNS of MEMORIES, and language.
    """
    held = (pl.col("modality") == "asserted") & (pl.col("polarity") != "negated") & (pl.col("keep") >= LEAST_KEEP)
    likely = memories.filter(held).sort("said_at", "source_id", "start", "memory_id", descending=True)
    groups: list[tuple[frozenset[str], list[dict[str, Any]]]] = []
    for row in likely.iter_rows(named=True):
        text = without_context(row["text"])
        if (row["speaker"] and is_machine(row["speaker"])) or not _recurring(row["language"]).search(text):
            continue
        words = forms_of(text, row["language"])
        group = next((rows for known, rows in groups if _same(words, known)), None)
        if group is None:
            groups.append((words, [row]))
        else:
            group.append(row)
    for _, rows in groups:
        yield _row(rows)


def _same(words: frozenset[str], other: frozenset[str]) -> bool:
    fewer = min(len(words), len(other))
    return fewer > 0 and len(words & other) >= ALIKE * fewer


def _row(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
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
        "open": True,
        "occurrences": occurrences,
    }


@cache
def _recurring(language: str | None) -> re.Pattern[str]:
    code = code_of(language)
    code = code if LEXICONS.has(SUBJECT, code) else ENGLISH
    weekday = f"(?:{alternatives(SHARED.read('dates', code).listed('weekdays'))})"
    entries = (one.replace("{}", weekday) for one in LEXICONS.read(SUBJECT, code).listed("recurring"))
    return re.compile(rf"\b(?:{'|'.join(entries)})\b", re.IGNORECASE)
