"""Which memories can have ended another one: an index by words and concepts, so that not every pair is compared."""

import math
from bisect import bisect_left
from collections.abc import Sequence
from datetime import datetime
from functools import cached_property
from itertools import chain, pairwise

import numpy as np

from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.screening import Screen
from brain_retrieval.language.content_words import content_words

MOST_COMPARED = 100  # memories compared with one: those that share its rarest words, of these the newest
MOST_OF_ALL = 40  # the same where all memories of a user are judged, as `endings.py` compares them
LABELLED = 3  # sources that begin with one label
FREQUENT, FREQUENT_SHARE = 12, 0.03  # a word of more memories than both says nothing about a common subject


class LaterOnes:
    """Memories by what `ending` requires both to share, a content word or a concept, and by the ids that they end."""

    def __init__(self, facets: Sequence[Facet], most: int = MOST_COMPARED, topic: frozenset[str] = frozenset()) -> None:
        """Index the memories, which are in order of time; `most` are compared with one, `topic` is asked for."""
        self._most, self._topic = most, topic
        self._facets = facets
        self._places = {id(facet): place for place, facet in enumerate(facets)}
        self._sharing: dict[str, list[int]] = {}
        self._changing: dict[str, list[int]] = {}  # those of them that state a change, a value or an attribute
        self._since: dict[str, list[int]] = {}  # those that say since when something holds
        self._ending: dict[str, list[int]] = {}  # by the ids of what they end
        for place, facet in enumerate(facets):
            for key in (*facet.words, *facet.concepts):
                self._sharing.setdefault(key, []).append(place)
                if facet.can_change:
                    self._changing.setdefault(key, []).append(place)
                if facet.holds_since:
                    self._since.setdefault(key, []).append(place)
            for memory_id in facet.ends:
                self._ending.setdefault(memory_id, []).append(place)

    @cached_property
    def frequent(self) -> frozenset[str]:
        """The words that many of the memories have: "launch" where a hundred sentences are about one launch."""
        most = max(FREQUENT, FREQUENT_SHARE * len(self._facets))
        often = {word for word, places in self._sharing.items() if len(places) > most}
        return frozenset(often.union(*(content_words(label) for label in self._labels)))

    def rarity(self, word: str) -> float:
        """Return how rare a word is among the memories: 0.7 if all have it, 3 if one of twenty has it."""
        return math.log(1 + len(self._facets) / max(1, len(self._sharing.get(word, ()))))

    @property
    def _labels(self) -> list[str]:
        """The labels that begin texts of several sources, as "Voice memo:" does, and so are about nothing."""
        sources: dict[str, set[str]] = {}
        for facet in self._facets:
            if facet.label:
                sources.setdefault(facet.label, set()).add(facet.row["source_id"])
        return sorted(label for label, found in sources.items() if len(found) >= LABELLED)

    def of(self, facet: Facet) -> list[Facet]:
        """Return the memories that may have ended one, in order of time.

        What is asserted and affirmed is only ended by what states a change or a denial, or a value or attribute of the
        same kind.
        """
        any_may = not facet.asserted or facet.negated or facet.claim.denied  # "banned" denies without a negation
        stated = self._ending.get(facet.row["memory_id"], [])
        others = ((place, self._facets[place]) for place in self._sharing_most(facet))
        return [
            other
            for place, other in others
            if any_may or place in stated or other.cue != "none" or other.claim.denied or other.kinds & facet.kinds
        ]

    def likely(self, facets: Sequence[Facet], at: datetime) -> list[list[Facet]]:
        """Return for each memory those of `of` for which `ending` may return a rule by a moment."""
        found = [self._sharing_most(facet) for facet in facets]
        bounds = np.cumsum([0, *map(len, found)])
        earlier = np.repeat([self._places[id(facet)] for facet in facets], np.diff(bounds))
        later = np.fromiter(chain.from_iterable(found), np.int64, len(earlier))
        may = np.flatnonzero(self._screen.may_end(earlier, later, at))
        kept = [self._facets[place] for place in later[may].tolist()]
        return [kept[start:end] for start, end in pairwise(np.searchsorted(may, bounds).tolist())]

    @cached_property
    def _screen(self) -> Screen:
        own = self._facets
        return Screen(len(own), lambda places: [own[place] for place in places], self.frequent, self._topic)

    def _sharing_most(self, facet: Facet) -> list[int]:
        """Return the places of the later memories that share the rarest words with one, and of those that end it."""
        any_may = not facet.asserted or facet.negated or facet.claim.denied  # "banned" denies without a negation
        sharing = self._sharing if any_may else self._changing
        lists = sorted((sharing.get(key, []) for key in sorted((*facet.words, *facet.concepts))), key=len)
        # What was announced for a later day may be settled by what was said before that day.
        after = 0 if facet.starts > facet.row["said_at"] else self._places[id(facet)] + 1
        found: set[int] = set()
        for places in lists:
            left = self._most - len(found)
            found.update(places[max(bisect_left(places, after), len(places) - left) :])
            if len(found) >= self._most:
                break
        if self._since and not facet.row["from_stated"]:
            keys = sorted((*facet.words, *facet.concepts))
            found.update(place for key in keys for place in self._since.get(key, ())[-self._most :])
        return sorted(found.union(self._ending.get(facet.row["memory_id"], ())))
