"""Cutting a passage to the sentences that answer best, by the words of the question. Pure functions."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from brain_retrieval.language.content_words import content_words
from brain_retrieval.language.sentences import sentences

MORE = "…"
_LEAST_WORDS = 4  # of a sentence that is cut inside
_GOOD_ENOUGH = 0.6  # of the best sentence's weight; below it the best one, too long, is rather cut inside
_LABEL = re.compile(r"\s*(?:#{1,6}\s|[Tt]ags:)")  # a line that is no sentence answers nothing

Count = Callable[[str], int]


@dataclass(frozen=True)
class Excerpt:
    """Lines of a passage of which some text was left out; `kept` of `total` sentences."""

    lines: tuple[str, ...]
    kept: int
    total: int

    @property
    def reason(self) -> str:
        return f"cut to {self.kept} of {self.total} sentences"


@dataclass(frozen=True)
class _Unit:
    """A sentence of a line, with its tokens and the words of the question in it."""

    line: int
    text: str
    tokens: int
    words: frozenset[str]


def word_weights(question: str, passages: Iterable[str], language: str | None = None) -> dict[str, float]:
    """Return the content words of a question in its language; those that few of the candidates contain weigh more."""
    wanted = content_words(question, language)
    found = [set(content_words(text)) for text in passages]
    counts = {word: sum(word in words for words in found) for word in wanted}
    return {word: math.log(1 + (len(found) + 1) / (1 + count)) for word, count in counts.items()}


def excerpt(
    lines: Sequence[str], weights: Mapping[str, float], room: int, count: Count, *, required: bool = True
) -> Excerpt | None:
    """Return the best sentences of a passage that fit into `room` tokens in their order; None if none is worth it.

    With `required`, only a sentence with a word of the question is worth it; without, the first one may be.

    The first sentence chosen covers the question's words best; then come those that cover further words, then those
    beside what was chosen.
    """
    units = _units(lines, weights, count)
    best = max(units, key=lambda unit: _weight(unit.words, weights), default=None)
    if best is None or (required and not best.words):
        return None
    chosen = _choose(units, weights, room, required=bool(best.words))
    if chosen and _most(units, chosen, weights) >= _GOOD_ENOUGH * _weight(best.words, weights):
        return Excerpt(_rendered(units, chosen), len(chosen), len(units))
    inside = _inside(best.text, weights, room - 3, count)
    return Excerpt((inside,), 1, len(units)) if inside else None


def _units(lines: Sequence[str], weights: Mapping[str, float], count: Count) -> list[_Unit]:
    found = []
    for number, line in enumerate(lines):
        wanted = frozenset() if _LABEL.match(line) else weights.keys()
        for start, end in sentences(line):
            text = line[start:end]
            found.append(_Unit(number, text, count(text) + 1, frozenset(content_words(text)) & wanted))
    return found


def _choose(units: Sequence[_Unit], weights: Mapping[str, float], room: int, *, required: bool) -> list[int]:
    """Return the positions of the sentences to show."""
    chosen: list[int] = []
    covered: set[str] = set()
    left = room - 2  # for the marks of what is left out
    while True:
        free = [n for n, unit in enumerate(units) if n not in chosen and unit.tokens <= left]
        gains = {n: _weight(units[n].words - covered, weights) for n in free}
        best = max(
            free, key=lambda n: (gains[n], _weight(units[n].words, weights), -_distance(n, chosen), -n), default=None
        )
        if best is None or (required and not chosen and not gains[best]):
            return sorted(chosen)
        chosen.append(best)
        covered |= units[best].words
        left -= units[best].tokens + (1 if _distance(best, chosen[:-1]) > 1 else 0)


def _most(units: Sequence[_Unit], chosen: Sequence[int], weights: Mapping[str, float]) -> float:
    return max(_weight(units[n].words, weights) for n in chosen)


def _distance(place: int, chosen: Sequence[int]) -> int:
    return min((abs(place - other) for other in chosen), default=0)


def _weight(words: Iterable[str], weights: Mapping[str, float]) -> float:
    return math.fsum(weights[word] for word in words)


def _rendered(units: Sequence[_Unit], chosen: Sequence[int]) -> tuple[str, ...]:
    """Return the chosen sentences by line, with a mark where something between or beside them is left out."""
    lines: dict[int, str] = {}
    last = -1
    for n in chosen:
        unit = units[n]
        gap = f"{MORE} " if n != last + 1 else ""
        before = lines.get(unit.line)
        lines[unit.line] = f"{before} {gap}{unit.text}" if before else gap + unit.text
        last = n
    if last != len(units) - 1:
        lines[units[last].line] += f" {MORE}"
    return tuple(lines.values())


def _inside(sentence: str, weights: Mapping[str, float], room: int, count: Count) -> str:
    """Return the words around the first word of the question that fit into `room`, "" if those are too few."""
    words = sentence.split()
    first = next((n for n, word in enumerate(words) if weights.keys() & set(content_words(word))), 0)
    start = end = 0 if first < _LEAST_WORDS else first
    while end < len(words) or start > 0:
        wider = (start, end + 1) if end < len(words) else (start - 1, end)
        if count(" ".join(words[wider[0] : wider[1]])) > room:
            break
        start, end = wider
    if end - start < min(_LEAST_WORDS, len(words)):
        return ""
    text = " ".join(words[start:end])
    return f"{MORE if start else ''}{text}{MORE if end < len(words) else ''}"
