"""Parts of a question that are worth a search of their own: clauses, and the two sides of a comparison."""

import re
from collections.abc import Sequence

from brain_retrieval.query.analysis.grammar import pattern
from brain_retrieval.query.analysis.question import Intent, Name
from brain_retrieval.query.analysis.words import content_words

MOST_CLAUSES = 4
LEAST_WORDS = 2  # content words of a clause
_MARKS = re.compile(r"[,;:?!]\s|\s[–—-]\s")


def clauses_of(text: str, low: str, language: str, names: Sequence[Name], intent: Intent) -> tuple[str, ...]:
    """Return the content words of each part of a question; () if it is one part. `low` is the text in plain form."""
    sides = _sides(text, language, names) if intent in ("comparison", "relational") else ()
    parts = sides or _split(text, low, language, names)
    distinct = tuple(dict.fromkeys(parts))[:MOST_CLAUSES]
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


def _split(text: str, low: str, language: str, names: Sequence[Name]) -> tuple[str, ...]:
    breaks = [match.span() for match in pattern("clause_breaks", language).finditer(low) if match.start()]
    breaks += [match.span() for match in _MARKS.finditer(low)]
    inside = [(start, end) for start, end in sorted(breaks) if not any(n.start <= start < n.end for n in names)]
    parts: list[str] = []
    begin = 0
    for start, end in [*inside, (len(text), len(text))]:
        words = content_words(text[begin:start], language) if start > begin else ""
        if len(words.split()) >= LEAST_WORDS:
            parts.append(words)
            begin = end  # less cannot stand alone: it stays with what follows
    return tuple(parts)
