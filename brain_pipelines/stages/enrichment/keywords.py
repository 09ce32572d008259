"""Keyword extraction: candidate terms of content words, scored by C-value and weighted by name, title and position.

C-value (Frantzi, Ananiadou and Mima, 2000): log2(words + 1) · (frequency − mean frequency of the longer terms that
contain it), so that "component library" outranks "component" unless the latter also occurs alone.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from brain_pipelines.stages.enrichment.words import Word, empty_words, words_of
from brain_pipelines.stages.prose.kinds import TOPICAL, WITHOUT_PROSE, Part
from brain_pipelines.stages.prose.parts import spans_of

MOST = 10
FEWEST_WORDS = 8  # different words of the prose from which on it alone gives the terms
MAX_WORDS = 3
HEAD_CHARS, TAIL_CHARS = 40_000, 10_000  # of a longer text that are looked at
_JOINS = frozenset({" ", "\n", "-", "/", ""})


def keywords_of(text: str, words: Sequence[Word], *, title: str = "", language: str | None = None) -> list[str]:
    """Return up to MOST terms, best first; none where no term is likely to be right.

    Args:
        text: the text that the offsets of `words` count in.
        words: its words, or those of a part of it.
        title: terms in it count for more.
        language: ISO 639-1, chooses the stop words.
    """
    empty = empty_words(language)
    counts: Counter[tuple[str, ...]] = Counter()
    first: dict[tuple[str, ...], int] = {}
    shown: dict[str, Counter[str]] = defaultdict(Counter)
    runs = list(_runs(text, words, empty))
    for word in (word for run in runs for word in run):
        shown[_base(word)][word.surface] += 1
    named = {key for key, forms in shown.items() if _is_name(forms)}
    for run in runs:
        for term in _terms(text, run, named):
            counts[term] += 1
            first.setdefault(term, run[0].start)
    in_title = {word.key for word in words_of(title)}
    scores = _scores(counts)
    length = max(1, len(text))
    for term in scores:
        scores[term] *= 1 + 0.5 * (set(term) <= in_title) + 0.5 * (set(term) <= named)
        scores[term] *= 1 + 0.3 * (1 - first[term] / length)
    ranked = sorted(scores, key=lambda t: (-scores[t], first[t], t))
    return [" ".join(_surface(key, shown[key]) for key in term) for term in _apart(ranked)]


def _runs(text: str, words: Iterable[Word], empty: frozenset[str]) -> Iterator[list[Word]]:
    """Yield maximal runs of adjacent content words."""
    run: list[Word] = []
    for word in words:
        near = bool(run) and text[run[-1].end : word.start] in _JOINS
        if run and not near:
            yield run
            run = []
        if _carries(word, empty):
            run.append(word)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _carries(word: Word, empty: frozenset[str]) -> bool:
    if word.key in empty or word.key.removesuffix("'s") in empty or not any(c.isalpha() for c in word.key):
        return False
    if word.key.isascii() and word.key.endswith("ly"):
        return False
    return len(word.key) > 2 or not word.key.isascii() or (word.surface.isupper() and len(word.key) == 2)


def _terms(text: str, run: Sequence[Word], named: set[str]) -> Iterator[tuple[str, ...]]:
    """Yield the n-grams of one to MAX_WORDS words, without those that join a name and a following common word."""
    keys = [_base(word) for word in run]
    broken = [
        a in named and b not in named and not word.surface.isupper() and not _begins_sentence(text, word)
        for word, (a, b) in zip(run, pairwise(keys), strict=False)
    ]
    for size in range(1, min(MAX_WORDS, len(keys)) + 1):
        for at in range(len(keys) - size + 1):
            if not any(broken[at : at + size - 1]):
                yield tuple(keys[at : at + size])


def _begins_sentence(text: str, word: Word) -> bool:
    """Return whether a word begins a sentence, so that a capital is not evidence for a name."""
    before = text[max(0, word.start - 4) : word.start].rstrip(" #*>-\"'“‘(")
    return not before or before[-1] in ".!?\n:"


def _base(word: Word) -> str:
    return word.key.removesuffix("'s")


def _scores(counts: Counter[tuple[str, ...]]) -> dict[tuple[str, ...], float]:
    inside: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for term, count in counts.items():
        for size in range(1, len(term)):
            for at in range(len(term) - size + 1):
                inside[term[at : at + size]].append(count)
    scores = {}
    for term, count in counts.items():
        longer = inside.get(term)
        alone = count - (sum(longer) / len(longer) if longer else 0.0)
        scores[term] = math.log2(len(term) + 1) * alone + 0.1 * math.log2(1 + count)
    return scores


def _is_name(forms: Counter[str]) -> bool:
    """Tell whether a word is mostly written with a capital, as names are (and German nouns, which do no harm)."""
    capital = sum(count for form, count in forms.items() if form[0].isupper())
    return capital * 2 > sum(forms.values())


def _surface(key: str, forms: Counter[str]) -> str:
    if not forms:
        return key
    return max(forms, key=lambda f: (forms[f], f)).removesuffix("'s").removesuffix("’s")


def _apart(ranked: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the best terms of which none holds another, nor differs from it by a plural alone."""
    chosen: list[tuple[str, ...]] = []
    taken: set[str] = set()
    for term in ranked:
        stems = {key.removesuffix("s") for key in term}
        pairs = {f"{a} {b}" for a, b in pairwise(key.removesuffix("s") for key in term)}
        if stems & taken and (len(term) == 1 or stems <= taken or pairs & taken):
            continue
        chosen.append(term)
        taken |= stems | pairs
        if len(chosen) == MOST:
            break
    return chosen


def words_that_count(text: str, parts: Sequence[Part]) -> list[Word]:
    """Return the words of a text's prose and headings, of a long one those of its head and its tail.

    Where there is no prose, cells, values and a description by a model count too.
    """
    words = _words_within(text, spans_of(parts, len(text), TOPICAL))
    if len({word.key for word in words}) >= FEWEST_WORDS:
        return words
    return _words_within(text, spans_of(parts, len(text), TOPICAL | WITHOUT_PROSE))


def _words_within(text: str, spans: Iterable[tuple[int, int]]) -> list[Word]:
    head, tail = HEAD_CHARS, max(HEAD_CHARS, len(text) - TAIL_CHARS)
    windows = [piece for start, end in spans for piece in ((start, min(end, head)), (max(start, tail), end))]
    return [word for start, end in windows if start < end for word in words_of(text, start, end)]
