"""Parts of a question: clauses, the two sides of a comparison, and statements that have evidence of their own."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from brain_retrieval.query.analysis.grammar import pattern
from brain_retrieval.query.analysis.question import Intent, Name
from brain_retrieval.query.analysis.words import content_words

MOST_CLAUSES = 4
LEAST_WORDS = 2  # content words of a clause
MOST_STATEMENTS = 6
LEAST_STATED = 5  # content words of a statement: fewer are a name or a circumstance
_MARKS = re.compile(r"[,;:?!]\s|\s[–—-]\s")
_STATEMENT_MARKS = re.compile(r",\s(?!\d)|[;:?!]\s|\s[–—-]\s")  # a comma before a number is part of a date


class Breaks(NamedTuple):
    """Where a question is split: at words of a list and at marks, into parts of so many content words."""

    words: str
    marks: re.Pattern[str]
    least: int


def clauses_of(text: str, low: str, language: str, names: Sequence[Name], intent: Intent) -> tuple[str, ...]:
    """Return the content words of each part of a question; () if it is one part. `low` is the text in plain form."""
    sides = _sides(text, language, names) if intent in ("comparison", "relational") else ()
    parts = sides or _split(text, low, language, names, Breaks("clause_breaks", _MARKS, LEAST_WORDS))[0]
    distinct = tuple(dict.fromkeys(parts))[:MOST_CLAUSES]
    return distinct if len(distinct) > 1 else ()


def statements_of(text: str, low: str, language: str, names: Sequence[Name]) -> tuple[str, ...]:
    """Return the content words of each statement of a question that makes several; () if it makes one.

    "Which company was fined in Spain for its adverts, and sponsors the marathon that Ann ran in May?" has evidence in
    two places. What is too short for a statement goes with the next one, at the end with the last.
    """
    breaks = Breaks("statement_breaks", _STATEMENT_MARKS, LEAST_STATED)
    parts, rest = _split(text, low, language, names, breaks)
    if parts and rest:
        parts = (*parts[:-1], f"{parts[-1]} {rest}")
    distinct = tuple(dict.fromkeys(parts))[:MOST_STATEMENTS]
    return distinct if len(distinct) > 1 else ()


def _sides(text: str, language: str, names: Sequence[Name]) -> tuple[str, ...]:
    """Return one question for each of several names: what all have in common, and that name."""
    distinct = tuple(dict.fromkeys(name.text for name in names if name.kind != "code"))
    if len(distinct) < 2:
        return ()
    common = text
    for name in sorted(names, key=lambda name: -name.start):
        common = common[: name.start] + " " + common[name.end :]
    shared = content_words(re.sub(r"\s['’]s\b", " ", common), language)
    return tuple(f"{name} {shared}".strip() for name in distinct)


def _split(text: str, low: str, language: str, names: Sequence[Name], at: Breaks) -> tuple[tuple[str, ...], str]:
    """Return the content words of each part that has enough of them, and those of what is left at the end."""
    breaks = [match.span() for match in pattern(at.words, language).finditer(low) if match.start()]
    breaks += [match.span() for match in at.marks.finditer(low)]
    inside = [(start, end) for start, end in sorted(breaks) if not any(n.start <= start < n.end for n in names)]
    parts: list[str] = []
    begin, words = 0, ""
    for start, end in [*inside, (len(text), len(text))]:
        words = content_words(text[begin:start], language) if start > begin else ""
        if len(words.split()) >= at.least:
            parts.append(words)
            begin, words = end, ""  # less cannot stand alone: it stays with what follows
    return tuple(parts), words
