"""Memories that may answer a question without a word of it: beside one that has some, about the same, or alike.

"Who takes Oskar then?" "Ms Baptiste." has the words of the question in one sentence and the answer in the next one.
"Owen bought the Skoda" matches "Owen's car", and "A guy took the Skoda for 1,100" shares a rare word with it. What
"Registered with Dr. Almeida, she takes new patients" has in common with "our physician" is what both mean, which their
vectors tell.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from itertools import groupby

from brain_retrieval.knowledge.memories.compared.in_time import occasion
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.matching import topic_words

BEFORE, AFTER = (0.6, 0.4), (0.5,)  # share of the match of the sentences before, the nearest first, and after
OF_MEANING = 0.5  # share of the cosine of two vectors
LEAST_ALIKE = 0.4  # cosine from which a memory is related to the question by its meaning alone
MOST_OF_A_WORD = 20  # memories that have one word of a memory that matches, the newest
MOST = 20  # memories in all

Match = Mapping[str, float]


def related(
    facets: Sequence[Facet], matches: Sequence[Match], topic: Collection[str], meaning: Mapping[str, float]
) -> list[tuple[Facet, float]]:
    """Return the memories without a word of a question that are most related to it, with how much, from 0 to 1.

    Args:
        facets: memories, the oldest first.
        matches: of each of them, as `match_all` returns them.
        topic: words of the question.
        meaning: cosine of the vector of a memory with that of the question, by memory id.
    """
    scores = [sum(match.values()) for match in matches]
    near = _in_context(facets, scores)
    for place, score in _sharing(facets, scores, frozenset(topic)).items():
        near[place] = near.get(place, 0.0) + score
    for place, facet in enumerate(facets):
        cosine = meaning.get(facet.row["memory_id"], 0.0)
        if not scores[place] and (place in near or cosine >= LEAST_ALIKE):
            near[place] = near.get(place, 0.0) + OF_MEANING * max(cosine, 0.0)
    order = sorted(near, key=lambda place: (-near[place], -place))[:MOST]
    return [(facets[place], min(near[place], 1.0)) for place in order]


def is_name(topic: str, facets: Sequence[Facet]) -> bool:
    """Return whether the words of a question are only names of people and things: all that is known has them."""
    names = frozenset[str]().union(*(facet.names | facet.voice for facet in facets))
    return names.issuperset(topic_words(topic))


def _in_context(facets: Sequence[Facet], scores: Sequence[float]) -> dict[int, float]:
    """Return by place how well the sentences beside a memory match, for those that do not match themselves."""
    found: dict[int, float] = {}
    shares = [(-step, share) for step, share in enumerate(BEFORE, 1)]
    shares += [(step, share) for step, share in enumerate(AFTER, 1)]
    order = sorted(range(len(facets)), key=lambda place: _in_source(facets[place]))
    for _, places in groupby(order, key=lambda place: occasion(facets[place])):
        own = list(places)
        for number, place in enumerate(own):
            beside = (share * scores[own[number + step]] for step, share in shares if 0 <= number + step < len(own))
            if not scores[place] and (best := max(beside, default=0.0)):
                found[place] = best
    return found


def _sharing(facets: Sequence[Facet], scores: Sequence[float], topic: frozenset[str]) -> dict[int, float]:
    """Return by place how much memories that do not match share with one that does, rare words before frequent ones."""
    own = [facet.telling - topic - facet.voice for facet in facets]
    having: dict[str, list[int]] = {}
    for place, words in enumerate(own):
        for word in words:
            having.setdefault(word, []).append(place)
    best: dict[int, float] = {}
    for words, score in zip(own, scores, strict=True):
        if not score:
            continue
        shared = defaultdict[int, float](float)
        for word in sorted(words):
            for other in having[word][-MOST_OF_A_WORD:]:
                shared[other] += 1 / len(having[word])
        for other, weight in shared.items():
            if not scores[other]:
                best[other] = max(best.get(other, 0.0), score * weight)
    return best


def _in_source(facet: Facet) -> tuple[tuple[str, date], int, int]:
    return occasion(facet), facet.row["start"], facet.row["clause"]
