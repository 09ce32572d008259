"""Which pairs of many memories can be an ending at all: conditions that `ending` requires, for all pairs at once.

Comparing two memories by the rules of `supersession.py` takes some 10 µs, and of all pairs that share a word few are an
ending. The conditions here are weaker than the rules, so a pair that is left out is surely none. A set of words is
compared as bits of its words; two words may have the same bit, which keeps a pair too many and never loses one.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any
from zlib import crc32

import numpy as np

from brain_retrieval.knowledge.memories.compared.claims import LEAST, is_rule
from brain_retrieval.knowledge.memories.compared.weekdays import weekdays_of
from brain_retrieval.knowledge.memories.compared.world_pages import is_of_page
from brain_retrieval.knowledge.memories.concept_groups import GONE, SCHEDULE, SINGLE, VAGUE
from brain_retrieval.knowledge.memories.facets import ATTITUDE, Facet
from brain_retrieval.knowledge.memories.postings import Rows
from brain_retrieval.knowledge.memories.supersession import (
    BEST,
    GUIDANCE,
    PAPERS,
    UNANSWERED,
)
from brain_retrieval.knowledge.memories.value_changes import DATED, NUMBER
from brain_retrieval.language.values import VERSION

BITS = 512  # of a set of words; a memory has about ten words
_MOST_AT_ONCE = 20_000  # pairs; about 0.4 KB each
_EPOCH, _MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
_TIMES = ("said", "starts", "known_from")
_CODES = ("source", "speaker", "slot", "claim")
_KINDS = ("web", "paper", "guidance", "instruction")
_IS = ("asserted", "negated", "cued", "strong", "asked", "rule", *_KINDS, "since", "denied", "topical")
_HAS = ("attitude", "best", "gone", "schedule", "matter", "new", "ends", "version", "number", "date", "amount")
_SETS = ("dimensions", "concepts", "telling_concepts", "single")  # with one bit of 64 for each member
_WORDS = ("heads", "shared", "beside", "words", "unnamed", "slot_subject")
_FEATURES = np.dtype(
    [(name, np.int64) for name in (*_TIMES, *_CODES)]
    + [(name, np.bool_) for name in (*_IS, *_HAS)]
    + [(name, np.uint64) for name in _SETS]
    + [(name, np.uint64, (BITS // 64,)) for name in _WORDS]
)


class Screen:
    """The features of memories that the conditions compare, one record for each, read when it is first compared."""

    def __init__(
        self,
        count: int,
        facets_at: Callable[[Sequence[int]], Sequence[Facet]],
        frequent: frozenset[str],
        topic: frozenset[str] = frozenset(),
    ) -> None:
        """Take memories by their places.

        Args:
            count: how many there are.
            facets_at: returns the memories at some places, which count from 0 on.
            frequent: words that say nothing about a common subject.
            topic: words that are asked for, two of which make a common subject.
        """
        self._codes: dict[Any, int] = {}
        self._facets_at, self._frequent, self._topic = facets_at, frequent, topic
        self._features = np.zeros(count, _FEATURES)
        self._are_read = np.zeros(count, bool)

    def may_end(self, earlier: Rows, later: Rows, at: datetime) -> np.ndarray:
        """Return for each pair whether `ending` may return a rule for it by a moment.

        Args:
            earlier: the places of the memories that may have ended.
            later: the place of the memory that may have ended each of them.
            at: the moment.
        """
        self._read(earlier, later)
        found = np.zeros(len(earlier), bool)
        for start in range(0, len(earlier), _MOST_AT_ONCE):
            part = slice(start, start + _MOST_AT_ONCE)
            found[part] = self._may_end(earlier[part], later[part], _microseconds(at))
        return found

    def _may_end(self, earlier: Rows, later: Rows, at: int) -> np.ndarray:
        a, b = self._features[earlier], self._features[later]
        stated = b["ends"]
        kept = np.flatnonzero(stated | (_fits(a, b) & _is_later(a, b, at)))
        found = stated.copy()
        found[kept] |= _by_rule(a[kept], b[kept], asked=bool(self._topic))
        return found

    def _read(self, *places: Rows) -> None:
        missing = np.unique(np.concatenate([some[~self._are_read[some]] for some in places])).tolist()
        for place, facet in zip(missing, self._facets_at(missing), strict=True):
            self._features[place] = self._of(facet)
        self._are_read[missing] = True

    def _of(self, facet: Facet) -> tuple[Any, ...]:
        if (own := facet.kept.get("features")) is None:
            own = facet.kept["features"] = _own_features(facet)
        times, codes, kinds, others, heads, words = own
        shared = facet.telling - self._frequent
        return (
            *times,
            *(-1 if code is None else self._codes.setdefault(code, len(self._codes)) for code in codes),
            *kinds,
            len(facet.words & self._topic) > 1,
            *others,
            heads,
            *map(_of_words, (shared, shared - facet.heads)),
            *words,
        )


def _own_features(facet: Facet) -> tuple[Any, ...]:
    """Return what is compared of a memory, in parts between which stands what depends on the question and its home."""
    row, concepts, dimensions = facet.row, facet.concepts, facet.comparable.keys()
    claimed = facet.claim.words if len(facet.claim.words) >= LEAST else None
    times = tuple(map(_microseconds, (row["said_at"], facet.starts, facet.known_from)))
    codes = (row["source_id"], row["speaker"], None if facet.slot is None else facet.slot[0], claimed)
    kinds = (
        facet.asserted,
        facet.negated,
        facet.cue != "none",
        facet.cue == "strong",
        row["modality"] in UNANSWERED,
        is_rule(row),
        is_of_page(row),
        row["source"] in PAPERS,
        row["kind"] in GUIDANCE,
        row["kind"] == "instruction",
        facet.holds_since,
        facet.claim.denied,
    )
    others = (
        ATTITUDE in concepts,
        BEST in concepts,
        GONE in concepts,
        SCHEDULE in concepts,
        bool(concepts - VAGUE - {SCHEDULE}),
        bool(facet.new),
        bool(facet.ends),
        VERSION in dimensions,
        NUMBER in dimensions,
        not DATED.isdisjoint(dimensions),
        bool(dimensions) or bool(weekdays_of(row["text"])),
        _bits(dimensions - DATED - {VERSION, NUMBER}, 64),
        _bits(concepts, 64),
        _bits(concepts - VAGUE, 64),
        _bits(concepts & SINGLE, 64),
    )
    subject = () if facet.slot is None else facet.slot[1]
    words = tuple(map(_of_words, (facet.words, facet.words - facet.names, subject)))
    return times, codes, kinds, others, _of_words(facet.heads), words


def _fits(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return whether both were not said together, and `b` is of a kind that may end `a`."""
    together = (a["source"] == b["source"]) & (a["said"] == b["said"])
    corrects = b["strong"] & (a["speaker"] != b["speaker"])
    certain = ~b["asked"] & (b["asserted"] | ~a["asserted"])
    of_one_kind = (a["web"] == b["web"]) & (a["guidance"] | ~b["instruction"]) & (~a["best"] | b["best"])
    return (~together | corrects) & certain & of_one_kind


def _is_later(a: np.ndarray, b: np.ndarray, at: int) -> np.ndarray:
    """Return whether `b` has begun and comes after `a`, of an announcement whether it was said after it.

    Of two that were said at the same time and hold from then on, each may be the later one by its place in its source.
    """
    after = b["known_from"] > a["known_from"]
    after |= (b["known_from"] == a["known_from"]) & (b["said"] >= a["said"])
    settles = (a["starts"] > b["said"]) & (a["said"] < b["said"])
    announced = (b["starts"] > a["said"]) & (b["said"] < a["said"])
    corrects = b["since"] & (b["starts"] <= a["said"]) & (a["said"] < b["said"])
    puts_off = (b["starts"] > b["said"]) & (a["said"] < b["said"])  # what else that needs, the rules see
    settled = settles | puts_off
    return np.where(settled, b["said"] <= at, (after | corrects) & (b["known_from"] <= at) & ~announced)


def _by_rule(a: np.ndarray, b: np.ndarray, *, asked: bool) -> np.ndarray:
    """Return whether two memories have what one of the rules requires; if `asked`, two names may be of one thing."""
    shared = _meet(a["beside"], b["shared"]) | _meet(a["shared"], b["beside"])  # besides a common subject
    same, concepts = _meet(a["heads"], b["heads"]), (a["concepts"] & b["concepts"]) != 0
    related = same | ~a["paper"] | ~b["paper"] | (a["source"] == b["source"])
    slot = (a["slot"] >= 0) & (a["slot"] == b["slot"]) & (asked | _has_other(a["slot_subject"], b["slot_subject"]))
    value = _by_value(a, b, shared, same)
    attitude = same & shared & a["attitude"] & b["attitude"] & a["asserted"] & (a["slot"] < 0)
    settled = ~a["asserted"] & ((shared & (same | b["cued"])) | (concepts & (shared | same | b["cued"])))
    change = a["asserted"] & _by_change(a, b, shared, same)
    counted = shared | same | a["number"] | b["number"]  # "80 guests", and "the guest list is at 71"
    otherwise = a["asserted"] & b["cued"] & counted & a["amount"] & b["amount"]
    opposite = (a["claim"] >= 0) & (a["claim"] == b["claim"]) & (a["denied"] != b["denied"])
    exchanged = a["rule"] & b["rule"]
    return related & (exchanged | slot | opposite | value | attitude | settled | change | otherwise)


def _by_value(a: np.ndarray, b: np.ndarray, shared: np.ndarray, same: np.ndarray) -> np.ndarray:
    """Return whether both state values of a dimension, and what makes them values of one thing."""
    number = a["number"] & b["number"] & (same | shared)
    scheduled = a["schedule"] & b["schedule"]  # then frequent words count, too
    date = (a["date"] & b["date"]) & (scheduled | (b["strong"] & (shared | same)))
    other = (((a["dimensions"] & b["dimensions"]) != 0) | b["strong"]) & (shared | same)  # it may name a former amount
    return (~b["negated"] | b["strong"]) & (number | date | other | (a["version"] & b["version"]))


def _by_change(a: np.ndarray, b: np.ndarray, shared: np.ndarray, same: np.ndarray) -> np.ndarray:
    """Return whether `b` has a cue, or `a` is negated, and both have a matter in common."""
    concepts = (a["telling_concepts"] & b["telling_concepts"]) != 0
    apart = ~concepts & a["matter"] & b["matter"]
    cued = b["cued"] & (~b["negated"] | b["strong"])
    single = same & ((a["single"] & b["single"]) != 0)
    again = same & ~b["new"] & ~apart & _meet(a["unnamed"], b["words"])
    changes = shared | single | again | (b["strong"] & b["gone"])
    changes |= (b["new"] | (a["topical"] & b["topical"])) & (same | concepts)
    evident = same | concepts | b["gone"] | shared
    return evident & ((a["negated"] & ~b["negated"] & shared) | (cued & changes))


def _meet(some: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return whether two sets of words may have one in common."""
    return np.bitwise_or.reduce(some & others, axis=1) != 0


def _has_other(some: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return whether one of two sets of words may have all of the other."""
    common = some & others
    return (common == some).all(axis=1) | (common == others).all(axis=1)


def _of_words(words: Iterable[str]) -> np.ndarray:
    return np.frombuffer(_bits(words, BITS).to_bytes(BITS // 8, "little"), np.uint64)


def _bits(words: Iterable[str], count: int) -> int:
    found = 0
    for word in words:
        found |= _bit(word, count)
    return found


@lru_cache(maxsize=1 << 16)
def _bit(word: str, count: int) -> int:
    return 1 << crc32(word.encode()) % count


def _microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND
