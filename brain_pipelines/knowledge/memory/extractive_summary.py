"""An extractive summary: the sentences of many sources that say most, in the order of events, each with its place."""

import math
from collections import Counter
from collections.abc import Sequence

from brain_pipelines.knowledge.memory.passages import Passage
from brain_pipelines.stages.enrichment.summary import standing
from brain_pipelines.stages.enrichment.words import empty_words, words_of

FIRST = 5  # sources of a storyline that tell how it began
SENTENCES = 3  # how it began, what came between, how it stands
MACRO_SENTENCES = 4
TOO_ALIKE = 0.8  # share of the smaller sentence's words that another has too
NAMES_ANCHOR = 1.5


def digest(passages: Sequence[Passage]) -> list[Passage]:
    """Return up to SENTENCES passages, chronological: the best of the first, the middle and the last sources.

    The best is central (its words are in many passages), is about the anchor, stands by itself, and says something
    not yet said.
    """
    ordered = sorted(passages, key=_time)
    part_of = _parts(list(dict.fromkeys(p.source.source_id for p in ordered)))
    bags = [content_words(p.text) for p in ordered]
    counts = Counter(word for bag in bags for word in bag)
    chosen: list[int] = []
    for part in range(SENTENCES):
        found = {
            n: max((_likeness(bags[n], bags[m]) for m in chosen), default=0.0)
            for n, p in enumerate(ordered)
            if part_of[p.source.source_id] == part
        }
        apart = [n for n, alike in found.items() if alike < TOO_ALIKE]
        if apart:
            chosen.append(max(apart, key=lambda n: (_score(ordered[n], bags[n], counts) * (1 - found[n]), -n)))
    return [ordered[n] for n in chosen]


def _parts(ids: Sequence[str]) -> dict[str, int]:
    """Return the part of each source: the third with which it began, but of many no more than FIRST; and two halves."""
    begin = min(FIRST, -(-len(ids) // SENTENCES))
    middle = begin + (len(ids) - begin) // 2
    return {source_id: (n >= begin) + (n >= middle) for n, source_id in enumerate(ids)}


def overview(digests: Sequence[Sequence[Passage]], weights: Sequence[float]) -> list[Passage]:
    """Return two to MACRO_SENTENCES passages of the digests of storylines, which come in chronological order.

    Of two storylines the first and last sentence each; of three or four one each; of more those of the first, the
    last and the weightiest between.
    """
    told = [(list(passages), weight) for passages, weight in zip(digests, weights, strict=True) if passages]
    if len(told) <= 2:
        return [p for passages, _ in told for p in dict.fromkeys((passages[0], passages[-1]))]
    inner = sorted(range(1, len(told) - 1), key=lambda n: (-told[n][1], n))[: MACRO_SENTENCES - 2]
    kept = [0, *sorted(inner), len(told) - 1]
    return [told[n][0][-1 if n == kept[-1] else 0] for n in kept]


def content_words(text: str) -> frozenset[str]:
    """Return the words of a text that carry meaning, in lower case."""
    return frozenset(word.key for word in words_of(text)) - empty_words("en")


def _time(passage: Passage) -> tuple[object, str, int]:
    return passage.source.at, passage.source.source_id, passage.start


def _score(passage: Passage, words: frozenset[str], counts: Counter[str]) -> float:
    score = math.fsum(math.log2(1 + counts[word]) for word in words) / (len(words) + 3)
    return round(score * standing(passage.text) * (NAMES_ANCHOR if passage.about else 1.0), 9)


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, min(len(one), len(other)))
