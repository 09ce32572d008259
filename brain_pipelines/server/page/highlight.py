"""Texts in pieces, of which some are marked: the words of a question, or the passage that was found.

A template writes each piece escaped, with or without a mark around it. Nothing here makes markup.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from brain_retrieval.language.content_words import WORD, content_words, word_form
from brain_retrieval.language.plain import lowered, plain

Piece = tuple[str, bool]
Span = tuple[int, int]
# Scripts that do not separate words: pairs of characters stand for words there.
_DENSE = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]{1,40}")


def spans_of(text: str, question: str) -> list[Span]:
    """Return where words of a question stand in a text, in whichever inflected form.

    >>> spans_of("The cities of Portugal", "which city?")
    [(4, 10)]
    """
    wanted = set(content_words(question))
    low = lowered(text)
    found = [m.span() for m in WORD.finditer(low) if word_form(plain(m.group())) in wanted]
    pairs = {run[i : i + 2] for run in _DENSE.findall(question) for i in range(max(1, len(run) - 1))}
    for run in _DENSE.finditer(text):
        found += [
            (run.start() + i, run.start() + i + 2)
            for i in range(len(run.group()) - 1)
            if run.group()[i : i + 2] in pairs
        ]
    whole = joined(found)
    between = [(end, start) for (_, end), (start, _) in pairwise(whole) if text[end:start] == " "]
    return joined([*whole, *between])


def joined(spans: Iterable[Span]) -> list[Span]:
    """Return spans in order, those that overlap or touch as one."""
    out: list[Span] = []
    for start, end in sorted(spans):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        elif end > start:
            out.append((start, end))
    return out


def pieces(text: str, spans: Sequence[Span], offset: int = 0) -> list[Piece]:
    """Return a text cut at the borders of spans, which count from `offset` before its first character."""
    out: list[Piece] = []
    at = 0
    for start, end in joined(spans):
        low, high = max(at, start - offset), min(len(text), end - offset)
        if high <= low:
            continue
        out += [(text[at:low], False)] if low > at else []
        out.append((text[low:high], True))
        at = high
    return [*out, (text[at:], False)] if at < len(text) or not out else out


def marked(text: str, question: str) -> list[Piece]:
    """Return a text with the words of a question marked."""
    return pieces(text, spans_of(text, question))


def excerpt(text: str, question: str, most: int = 700) -> list[Piece]:
    """Return the part of a passage that says most about a question, without blank lines, its words marked."""
    shown = "\n".join(_line(line) for line in text.splitlines() if line.strip())
    spans = spans_of(shown, question)
    if len(shown) <= most:
        return pieces(shown, spans)
    best = max([0, *(start for start, _ in spans)], key=lambda at: (_within(spans, at, most), -at))
    start = 0 if best < most // 2 else max(0, best - most // 8)
    start = 0 if not start else shown.find(" ", start, start + 40) + 1 or start
    cut = shown[start : start + most]
    end = start + most < len(shown)
    if end and (space := cut.rfind(" ")) > most - 40:
        cut = cut[:space]
    return [*([("… ", False)] if start else []), *pieces(cut, spans, start), *([(" …", False)] if end else [])]


def _line(line: str) -> str:
    bare = line.lstrip("#")
    return bare.strip() if bare != line and bare.startswith(" ") else line  # "## Dates", not "#channel"


def _within(spans: Sequence[Span], at: int, most: int) -> int:
    return sum(at <= start < at + most for start, _ in spans)
