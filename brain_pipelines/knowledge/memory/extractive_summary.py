"""Extractive summaries: the most informative sentences of many sources in chronological order, each with its span."""

import math
from collections import Counter
from collections.abc import Sequence

from brain_pipelines.knowledge.memory.passages import Passage
from brain_pipelines.stages.enrichment.summary import standing
from brain_pipelines.stages.enrichment.words import empty_words, words_of

FIRST = 5  # sources at most in the first part of a storyline
SENTENCES = 3  # one each for the beginning, the middle and the current state
MACRO_SENTENCES = 4
TOO_ALIKE = 0.8  # word overlap (of the smaller sentence) from which on two sentences are redundant
NAMES_ANCHOR = 1.5  # factor for sentences about the anchor


def summarise_storyline(passages: Sequence[Passage]) -> list[Passage]:
    """Return up to SENTENCES passages, chronological: the best of the first, the middle and the last sources.

    A passage scores high if its words occur in many passages, if it is about the anchor, and if it can be understood
    without context; similarity to passages already chosen lowers its score.
    """
    ordered = sorted(passages, key=_time)
    part_of = _parts(list(dict.fromkeys(p.source.source_id for p in ordered)))
    bags = [content_words(p.text) for p in ordered]
    counts = Counter(word for bag in bags for word in bag)
    chosen: list[int] = []
    for part in range(SENTENCES):
        found = {
            n: max((likeness(bags[n], bags[m]) for m in chosen), default=0.0)
            for n, p in enumerate(ordered)
            if part_of[p.source.source_id] == part
        }
        apart = [n for n, alike in found.items() if alike < TOO_ALIKE]
        if apart:
            chosen.append(max(apart, key=lambda n: (_score(ordered[n], bags[n], counts) * (1 - found[n]), -n)))
    return [ordered[n] for n in chosen]


def _parts(ids: Sequence[str]) -> dict[str, int]:
    """Return the part (0, 1 or 2) of each source: the first third, at most FIRST; then the halves of the rest."""
    begin = min(FIRST, -(-len(ids) // SENTENCES))
    middle = begin + (len(ids) - begin) // 2
    return {source_id: (n >= begin) + (n >= middle) for n, source_id in enumerate(ids)}


def summarise_macro(digests: Sequence[Sequence[Passage]], weights: Sequence[float]) -> list[Passage]:
    """Return two to MACRO_SENTENCES passages from the digests of chronologically ordered storylines.

    Up to two storylines give their first and last sentence each; three or four give one each; of more, the first, the
    last and those with the highest weights between give one each.
    """
    digested = [(list(passages), weight) for passages, weight in zip(digests, weights, strict=True) if passages]
    if len(digested) <= 2:
        return [p for passages, _ in digested for p in dict.fromkeys((passages[0], passages[-1]))]
    # The first and last storyline are always kept; the others compete by weight.
    inner = sorted(range(1, len(digested) - 1), key=lambda n: (-digested[n][1], n))[: MACRO_SENTENCES - 2]
    kept = [0, *sorted(inner), len(digested) - 1]
    return [digested[n][0][-1 if n == kept[-1] else 0] for n in kept]


def content_words(text: str) -> frozenset[str]:
    """Return the content words of a text in lower case, without stop words."""
    return frozenset(word.key for word in words_of(text)) - empty_words("en")


def _time(passage: Passage) -> tuple[object, str, int]:
    return passage.source.at, passage.source.source_id, passage.start


def _score(passage: Passage, words: frozenset[str], counts: Counter[str]) -> float:
    score = math.fsum(math.log2(1 + counts[word]) for word in words) / (len(words) + 3)
    return round(score * standing(passage.text) * (NAMES_ANCHOR if passage.about else 1.0), 9)


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of the words of the smaller set that are in both."""
    return len(one & other) / max(1, min(len(one), len(other)))
