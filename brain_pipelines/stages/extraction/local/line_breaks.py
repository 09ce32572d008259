"""Which line breaks of a text its writer meant, and which only wrap a line: odds from what surrounds each break."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.stop_words import function_words

_WORD = re.compile(r"[^\W\d_]+")
OPEN = re.compile(r"[,;(\[{\"“„«&/+–—-]\s*$")  # a line that goes on
_NEW_SENTENCE = re.compile(r"[.!?…]\s+([^\W\d_])")
_LONG_WORD = 30  # characters: the address of a page makes a line wider than its paragraph was wrapped
_ENOUGH = 4  # lines: of fewer the widest line says little of where they were wrapped
_NARROW, _USUAL, _WIDE = 45, 57, 130  # characters: from the second to the third people and programs wrap lines

# Log odds that a break only wraps, by what is seen there. Those of capitals follow from the text itself.
_PRIOR = -0.7
_UNLIKELY_WIDTH = -1.0
_FULL, _NEARLY, _ROOMY = 1.2, -0.7, -2.5  # whether the next word would have fitted
_FULL_FROM, _NEARLY_FROM = 0.88, 0.7  # of the width
_GRAMMATICAL, _OTHER = 2.5, -0.5  # the last word: "the", "with"
_GOES_ON, _GOES_ON_NOT = 0.7, -0.2  # the first word of the next line, in small letters: "of", "and"
_IN_BRACKETS = 2.5
_MOST_OF_OTHERS = 3.0  # how much the other breaks of a paragraph say of one
_CAPITAL_START, _CAPITAL_INSIDE = (2.0, 0.75), (15.0, 0.12)  # weight and share before anything is counted
_LEAST_INSIDE = 0.08  # of a text without names so far, too, a line may begin with one


@dataclass(frozen=True)
class _Style:
    """How a text is written: the shares of capitals at a beginning and inside a line, and its width in characters."""

    at_start: float
    inside: float
    width: int


def meant_breaks(runs: Sequence[Sequence[str]], ended: Sequence[Sequence[bool]]) -> list[frozenset[int]]:
    """Return for each run the numbers of the lines that begin a block.

    A line is wrapped where the next word no longer fits; so its last word may be an article, and the next line
    begins with a capital as rarely as any word inside a line. Lines that are ended have any width, and mostly
    begin with a capital, if the beginnings in the text have one. The breaks of a paragraph are alike: each is judged
    with what the others say.

    Args:
        runs: the runs of lines of a text without a blank line or a list marker between them.
        ended: whether each line ends with a mark; whether what follows begins a new one is then no question.
    """
    style = _style(runs, ended)
    return [_of_run(lines, marks, style) for lines, marks in zip(runs, ended, strict=True)]


def _of_run(lines: Sequence[str], ended: Sequence[bool], style: _Style) -> frozenset[int]:
    if len(lines) < 2:
        return frozenset()
    own = _width(lines) if len(lines) >= _ENOUGH else 0
    width = own or style.width
    prior = _PRIOR + _UNLIKELY_WIDTH * ((width < _NARROW) + (width < _USUAL) + (width > _WIDE))
    lengths = [_length(line, lines[number + 1], width) for number, line in enumerate(lines[:-1])]
    opened = [n for n in range(1, len(lines)) if not ended[n - 1] and not _goes_on(lines[0], lines[n - 1], lines[n])]
    odds = {n: lengths[n - 1] + _words(lines[n - 1], lines[n], style) for n in opened}
    total = sum(odds.values()) + sum(min(lengths[n - 1], 0.0) for n in range(1, len(lines)) if n not in odds)
    return frozenset(n for n in opened if odds[n] + _bounded(total - odds[n]) + prior < 0)


def _goes_on(first: str, line: str, following: str) -> bool:
    """Return whether a line is not ended for certain, or the next one hangs under the item of a list."""
    return OPEN.search(line) is not None or _indent(following) > _indent(first)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _bounded(odds: float) -> float:
    return max(-_MOST_OF_OTHERS, min(_MOST_OF_OTHERS, odds))


def _length(line: str, following: str, width: int) -> float:
    """Return what the length of a line says; the widest line of a text says nothing."""
    length = len(line.strip())
    if length >= width or has_long_word(line):
        return 0.0
    filled = (length + 1 + len(following.split(None, 1)[0])) / width
    return _FULL if filled >= _FULL_FROM else _NEARLY if filled >= _NEARLY_FROM else _ROOMY


def _words(line: str, following: str, style: _Style) -> float:
    last, first = line.split()[-1].strip("*_").casefold(), following.split(None, 1)[0].strip("*_")
    odds = _GRAMMATICAL if last in _grammatical() else _OTHER
    if line.rfind("(") > line.rfind(")") and ")" in following:
        odds += _IN_BRACKETS
    if first[:1].isupper():
        return odds + math.log(style.inside / style.at_start)
    if first[:1].islower():
        odds += math.log((1 - style.inside) / (1 - style.at_start))
        odds += _GOES_ON if first in _grammatical() else _GOES_ON_NOT
    return odds


def _style(runs: Sequence[Sequence[str]], ended: Sequence[Sequence[bool]]) -> _Style:
    starts: list[str] = []
    inside: list[str] = []
    for lines, marks in zip(runs, ended, strict=True):
        starts += [line.lstrip()[:1] for number, line in enumerate(lines) if number == 0 or marks[number - 1]]
        for line in lines:
            starts += _NEW_SENTENCE.findall(line)
            inside += [word[0] for word in _WORD.findall(_NEW_SENTENCE.sub(" ", line))[1:]]
    return _Style(
        _share(starts, *_CAPITAL_START),
        max(_LEAST_INSIDE, _share(inside, *_CAPITAL_INSIDE)),
        _width([line for lines in runs if len(lines) > 1 for line in lines]),
    )


def _share(letters: Sequence[str], weight: float, expected: float) -> float:
    cased = [letter for letter in letters if letter.isupper() or letter.islower()]
    return (sum(letter.isupper() for letter in cased) + weight * expected) / (len(cased) + weight)


def _width(lines: Sequence[str]) -> int:
    """Return the width at which lines may have been wrapped: one line may just be longer than the others."""
    widths = sorted(len(line.strip()) for line in lines if not has_long_word(line))
    return widths[-2 if len(widths) >= _ENOUGH else -1] if widths else 0


def has_long_word(line: str) -> bool:
    """Return whether a line has a word that no wrap could break, as the address of a page."""
    return any(len(word) > _LONG_WORD for word in line.split())


def goes_on_with(line: str) -> bool:
    """Return whether a line begins with a word in small letters that joins it to what stands before: "of", "he"."""
    first = line.split(None, 1)[0].strip("*_")
    return first[:1].islower() and first in _grammatical()


@cache
def _grammatical() -> frozenset[str]:
    """Return the words of all languages after which nothing ends: articles, prepositions, pronouns."""
    return frozenset[str]().union(*(function_words(code) for code in SHARED.languages("stop_words")))
