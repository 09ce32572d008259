"""The words of a text that its keywords and tags are made of: those of its prose, without addresses and labels."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from brain_pipelines.stages.enrichment.words import Word, words_of
from brain_pipelines.stages.prose.kinds import TOPICAL, WITHOUT_PROSE, Part
from brain_pipelines.stages.prose.parts import spans_of

FEWEST_WORDS = 8  # different words of the prose from which on it alone gives the terms
HEAD_CHARS, TAIL_CHARS = 40_000, 10_000  # of a longer text that are looked at
LEAST_TURNS = 3  # lines that begin with the same label, from which on it is that of a speaker
# Addresses, markup, code in the text, identifiers, and remarks in a transcript: "{laughter}".
_NO_WORDS = re.compile(
    r"(?:https?://|www\.)\S{1,2000}|\S{1,64}@\S{1,200}|</?\w[^<>\n]{0,200}>|\{\w{1,30}\}|`[^`\n]{1,200}`"
    r"|(?<![^\W_])[^\W_]{1,60}(?:_[^\W_]{1,60}){1,10}|\]\([^)\s]{1,500}\)"
)
_LINE_LABEL = re.compile(r"^(?P<label>[^\W\d_][\w.'’-]{0,40}(?: [\w.'’-]{1,40}){0,3}):[ \t]", re.M)


def words_that_count(text: str, parts: Sequence[Part]) -> list[Word]:
    """Return the words of a text's prose and headings, of a long one those of its head and its tail.

    Where there is no prose, cells, values and a description by a model count too.
    """
    words = _words_within(text, spans_of(parts, len(text), TOPICAL))
    if len({word.key for word in words}) >= FEWEST_WORDS:
        return words
    return _words_within(text, spans_of(parts, len(text), TOPICAL | WITHOUT_PROSE))


def turn_labels(text: str) -> set[str]:
    """Return the labels that lines of a text begin with again and again: those of its speakers."""
    said = Counter(match["label"] for match in _LINE_LABEL.finditer(text))
    return {label for label, count in said.items() if count >= LEAST_TURNS}


def _words_within(text: str, spans: Iterable[tuple[int, int]]) -> list[Word]:
    head, tail = HEAD_CHARS, max(HEAD_CHARS, len(text) - TAIL_CHARS)
    windows = [piece for start, end in spans for piece in ((start, min(end, head)), (max(start, tail), end))]
    repeated = turn_labels(text)
    pieces = [piece for start, end in windows for piece in _readable(text, start, end, repeated)]
    return [word for start, end in pieces for word in words_of(text, start, end)]


def _readable(text: str, start: int, end: int, labels: Collection[str]) -> Iterator[tuple[int, int]]:
    """Yield what of a span is words: no addresses and markup, and no labels of speakers at the begin of lines."""
    skipped = [match.span() for match in _NO_WORDS.finditer(text, start, max(start, end))]
    if labels:
        found = _LINE_LABEL.finditer(text, start, max(start, end))
        skipped += [match.span("label") for match in found if match["label"] in labels]
    for first, last in sorted(skipped):
        if first > start:
            yield start, first
        start = max(start, last)
    if start < end:
        yield start, end
