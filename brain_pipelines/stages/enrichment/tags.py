"""Tags and bucket of a text by the lexicon `lexicons/en/tags.txt`, which documents itself."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.enrichment.lexicons import LEXICONS
from brain_pipelines.stages.enrichment.words import Word
from brain_retrieval.language.lexicon import ENGLISH

MOST, FEWEST = 5, 1
BUCKETS: tuple[str, ...] = ("PERSONAL_LIFE", "CREATOR", "PROJECTS")
UNSORTED = "UNSORTED"
MAX_TOPICS = 3
REFERENCES = frozenset(one.name for one in SOURCES_BY_NAME.values() if one.context_type in ("document", "web"))
CORRESPONDENCE = frozenset(one.name for one in SOURCES_BY_NAME.values() if one.context_type == "correspondence")
MIN_EVIDENCE, MIN_CONFIDENCE = 0.8, 0.4
# The score that a tag needs: two words of its line, and more of a longer text, which has some of every line.
LEAST_SCORE, SCORE_BY_LENGTH = 2.0, 0.3  # the second times the root of the number of words
FAR_BEHIND = 0.7  # share of the best tag's score
_SHORTEST_PREFIX = 3


@dataclass(frozen=True)
class Topic:
    """One line of the lexicon."""

    tag: str
    group: str
    bucket: str


@dataclass(frozen=True)
class Sorted:
    """Tags, best first and the source type last, alone if there is little evidence; the bucket and its confidence."""

    tags: list[str]
    bucket: str
    confidence: float


@cache
def _lexicon() -> tuple[dict[str, list[Topic]], dict[str, list[Topic]]]:
    """Return topics by whole word (or pair) and by beginning of a word."""
    whole: dict[str, list[Topic]] = {}
    prefixes: dict[str, list[Topic]] = {}
    for line in (LEXICONS.folder / ENGLISH / "tags.txt").read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        tag, group, bucket, words = (part.strip() for part in line.split("|"))
        for word in words.split():
            target, key = (prefixes, word[:-1]) if word.endswith("*") and "_" not in word else (whole, word)
            target.setdefault(key.replace("_", " ").rstrip("*"), []).append(Topic(tag, group, bucket))
    return whole, prefixes


def sort_words(words: Sequence[Word], *, source: str, questions: int = 0) -> Sorted:
    """Return tags and bucket of a text by its words.

    Args:
        words: of the text.
        source: the source type, always the last tag.
        questions: how many of its sentences ask; they count as words of the tag "question".
    """
    scores = _topic_scores(words)
    if questions:
        asking = Topic("question", "act", "")
        scores[asking] = scores.get(asking, 0.0) + _damped(questions)
    bucket, confidence = _bucket(scores)
    least = max(LEAST_SCORE, SCORE_BY_LENGTH * math.sqrt(len(words)))
    tags: list[str] = []
    if source not in REFERENCES:  # of what others wrote for the public one tag in four was right
        tags = _best(scores, ("domain", "act"), MAX_TOPICS, least)
        tags += _best(scores, ("context",), 1, least)
        tags += _best(scores, ("tone",), 1, least)
    return Sorted(list(dict.fromkeys([*tags[: MOST - 1], source])), bucket, confidence)


def _topic_scores(words: Sequence[Word]) -> dict[Topic, float]:
    counts = Counter(word.key for word in words)
    counts.update(f"{a.key} {b.key}" for a, b in pairwise(words))
    whole, prefixes = _lexicon()
    scores: dict[Topic, float] = {}
    for word, count in counts.items():
        topics = list(whole.get(word, ()))
        if " " not in word:
            topics += [t for size in range(_SHORTEST_PREFIX, len(word) + 1) for t in prefixes.get(word[:size], ())]
        for topic in dict.fromkeys(topics):
            scores[topic] = scores.get(topic, 0.0) + _damped(count)
    return scores


def _damped(count: int) -> float:
    """Return what a word seen `count` times says: the second time half of the first, so that variety counts."""
    return math.log2(1 + count)


def _best(scores: dict[Topic, float], groups: tuple[str, ...], most: int, least: float) -> list[str]:
    """Return the tags of the groups with the highest scores; one below `least` or far behind the best is not given."""
    found = sorted((t for t in scores if t.group in groups), key=lambda t: (-scores[t], t.tag))
    return [topic.tag for topic in found[:most] if scores[topic] >= max(least, FAR_BEHIND * scores[found[0]])]


def _bucket(scores: dict[Topic, float]) -> tuple[str, float]:
    """Return the bucket whose topics were found most, and its share of all, lessened where there is little."""
    sums = dict.fromkeys(BUCKETS, 0.0)
    for topic, score in scores.items():
        if topic.bucket:
            sums[topic.bucket] += score
    total = sum(sums.values())
    if total < MIN_EVIDENCE:
        return UNSORTED, 0.0
    best = max(BUCKETS, key=lambda name: sums[name])
    confidence = round(sums[best] / total * (1 - math.exp(-sums[best])), 3)
    return (best, confidence) if confidence >= MIN_CONFIDENCE else (UNSORTED, confidence)
