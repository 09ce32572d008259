"""Whether a later memory answers a question instead of an earlier one: "rent is 840" and "from July we pay 890".

The rules of `supersession.py` need a cue of change, or a value or attribute that both state for sure. What two
memories say in answer to one question is compared here by a logistic regression on the pair and the question. It is
unsure, so the earlier one is shown as perhaps outdated. The weights are data, `answers.toml`;
`benchmarks/timeline_answers.py` fits them to timelines and measures them on sets of timelines left out.
"""

import math
import tomllib
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from brain_retrieval.knowledge.memories.asked.answer import (
    STATED,
    Answer,
    Match,
    of_one_slot,
    of_other_subject,
    replies,
)
from brain_retrieval.knowledge.memories.asked.apart import Apart
from brain_retrieval.knowledge.memories.asked.differences import days_between, only_happened, values_differ
from brain_retrieval.knowledge.memories.asked.overlaps import kinds_of
from brain_retrieval.knowledge.memories.asked.related import is_name
from brain_retrieval.knowledge.memories.compared.entries import of_other_matters
from brain_retrieval.knowledge.memories.compared.in_time import has_passed
from brain_retrieval.knowledge.memories.compared.numbered import numbers_asked
from brain_retrieval.knowledge.memories.concept_groups import GONE, VAGUE
from brain_retrieval.knowledge.memories.evident import drops_plan
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.matching import topic_words
from brain_retrieval.knowledge.memories.supersession import may_replace
from brain_retrieval.knowledge.memories.whose import owners_asked
from brain_retrieval.language.light_words import light_words

WEIGHTS = Path(__file__).with_name("answers.toml")
CONSTANT = "constant"
LEAST = 0.2  # probability from which the earlier memory is shown as perhaps outdated
LEAST_OF_FEWER = 0.3  # the same where it has less of the question: "the pier is open again, it came to 3,870"
# The same where it has less than this share of what the earlier one has of the question and tells no change, or only
# words that fit any question: of many lines of a chat some later one has the "day" of "sport day".
LEAST_OF_LITTLE, LITTLE = 0.6, 0.4
LEAST_BESIDE = 0.5  # the same where the later one has no word of the question: "Mrs Ott has retired"
LEAST_RELATED = 0.07  # the same of one without a word of the question, which is rarely what is asked for
MOST_COMPARED = 40  # later memories, those that match the question best
MOST_BESIDE, MOST_OF_A_WORD = 40, 20  # of those that only share words with the earlier one: in all, and of one word
LEAST_NEAR = 0.3  # how near what is only related is to answer instead of what it shares no word with
FEW = 3  # answers, of which the newest mostly holds
AS_GOOD = 0.8  # of the best match: what also answers the question


class Answers:
    """The memories that match a question, compared with each other, and with what shares words with them."""

    def __init__(
        self,
        about: str,
        found: Sequence[tuple[Facet, Match]],
        facets: Sequence[Facet],
        at: datetime,
        related: Sequence[tuple[Facet, float]] = (),
    ) -> None:
        """Take the memories that match, with their matches, all memories, and those that are only related."""
        topic = frozenset(topic_words(about))
        self._at, self._topic = at, topic
        self._is_name = is_name(about, facets)
        self._by_id = {facet.row["memory_id"]: facet for facet in facets}
        answers = [Answer(facet, match, topic) for facet, match in found]
        self._asked = kinds_of(about, answers)
        named = topic & frozenset[str]().union(*(facet.names for facet in facets))
        self._apart = Apart(topic, owners_asked(about), named, self._asked, numbers_asked(about))
        self._of = {id(answer.facet): answer for answer in answers}
        asserted = sorted((one for one in answers if one.facet.asserted), key=lambda one: one.facet.order, reverse=True)
        self.best = max((one.score for one in asserted), default=0.0)
        good = [one for one in asserted if one.score >= AS_GOOD * self.best and one.facet.starts <= at]
        self._good, self._newest = len(good), next(iter(good), None)
        self._last = next(iter(asserted), None)
        self._likely = sorted(asserted, key=lambda one: -one.score)[:MOST_COMPARED]  # newest first of equal ones
        self._beside: dict[str, list[Answer]] = {}  # the other memories by their words, oldest first
        others = [facet for facet in facets if facet.asserted and id(facet) not in self._of]
        nearby = [Answer(facet, {}, topic) for facet, _ in related]
        self._of |= {id(one.facet): one for one in nearby}
        near = zip(nearby, related, strict=True)
        self._nearest = [one for one, (facet, share) in near if share >= LEAST_NEAR and facet.asserted]
        for other in sorted(others, key=lambda facet: facet.order):
            answer = self._of.get(id(other)) or Answer(other, {}, topic)
            for word in answer.own:
                self._beside.setdefault(word, []).append(answer)

    def successor(self, facet: Facet) -> Facet | None:
        """Return the later memory that most likely answers the question instead of one, None if none is likely to."""
        earlier = self._of.get(id(facet))
        if earlier is None:
            return None
        chances = ((one, probability(features)) for one, features in self.pairs(facet))
        likely = ((chance, one.facet.order, one.facet) for one, chance in chances if chance >= _least(earlier, one))
        found = max(likely, key=lambda one: one[:2], default=None)
        return found[2] if found else None

    def leaves(self, facet: Facet, other: str) -> bool:
        """Return whether a later memory, by its id, changes something else of what one states than is asked for.

        "English is on Tuesdays now" leaves the price of the lessons as it is, and "it is 60 a month now" their days.
        """
        earlier, changed = self._of.get(id(facet)), self._by_id.get(other)
        if earlier is None or changed is None or changed.cue == "strong" or GONE in changed.concepts:
            return False
        later = self._of.get(id(changed)) or Answer(changed, {}, self._topic)
        states = later.fillers.keys() & STATED
        return bool(states) and self._loses_answer(earlier, later)

    def pairs(self, facet: Facet) -> list[tuple[Answer, dict[str, float]]]:
        """Return the later memories that may answer the question instead of one, each with the features of the pair."""
        earlier = self._of.get(id(facet))
        if earlier is None:
            return []
        order, said = facet.order, facet.row["said_at"]
        others = (one for one in (*self._likely, *self._others(earlier)) if _may_follow(order, said, one.facet))
        found = ((one, self._features(earlier, one)) for one in others)
        return [(one, features) for one, features in found if features is not None]

    def _sharing(self, a: Answer) -> list[Answer]:
        """Return the later memories without a word of the question that share another one with `a`."""
        found: dict[int, Answer] = {}
        for word in sorted(a.own, key=lambda word: (len(self._beside.get(word, ())), word)):
            for one in self._beside.get(word, ())[-MOST_OF_A_WORD:]:
                if len(found) < MOST_BESIDE and one.facet.order > a.facet.order:
                    found[id(one)] = one
        return list(found.values())

    def _others(self, a: Answer) -> list[Answer]:
        """Return the later memories without a word of the question that share one with `a`, and the most related."""
        shared = self._sharing(a)
        known = {id(one.facet) for one in shared}
        return [*shared, *(one for one in self._nearest if id(one.facet) not in known)]

    def _features(self, a: Answer, b: Answer) -> dict[str, float] | None:
        """Return the features of an earlier and a later memory, each about 0 to 3; None if `b` cannot answer instead.

        Both match one of the words of the question, besides names, or state other values, the same attribute or another
        answer of the kind asked for, unless the later one tells a change, or one of both does not match at all. One
        that matches less, has no word of the question and nothing else in common is about something else, and one that
        matches less and tells nothing else replaces nothing. A plain negation ends only what it denies.
        """
        old, new = a.facet, b.facet
        strong, beside = new.cue == "strong", not b.match
        if a.facet is b.facet or (not strong and b.is_denial) or not may_replace(old, new, self._at, asked=not beside):
            return None
        if of_other_matters(old, new) or has_passed(new, self._at) or drops_plan(old, new):
            return None
        other_values = values_differ(a, b)
        both_answer = self._answer_otherwise(a, b)
        tells_event = only_happened(old, new) and not both_answer and not new.holds_since
        if tells_event or (b.is_steady and not other_values) or (new.cue == "none" and _has_light_ones(a, b)):
            return None
        otherwise = other_values or both_answer or of_one_slot(old, new) or replies(a, b)
        if not otherwise and (_keeps(old, new) or (b.match and b.score < a.score and _tells_nothing_else(a, b))):
            return None
        related = otherwise or replies(b, a) or self._of_one_attribute(a, b)
        loose = not (related or beside or not a.match or self._tells_change(a, b))
        if loose or self._apart.holds(a, b) or (not strong and self._loses_answer(a, b)):
            return None
        named = not (a.own & b.own).isdisjoint(a.named)
        few = b is self._newest and self._good <= FEW
        return {
            "unrelated": not related,
            "unrelated_weak": not related and new.cue == "weak",
            "unrelated_begins": not related and new.cue == "none",
            "match": a.score,
            "matches_less": max(0.0, a.score - b.score),
            "matches_more": max(0.0, b.score - a.score),
            "newest_of_few": few,
            "last": b is self._last,
            "many_answers": math.log2(max(1, self._good)) / 2,
            "both_answer": both_answer,
            "has_answer": not self._asked.isdisjoint(b.fillers),
            "asks_a_kind": bool(self._asked),
            "values_differ": other_values,
            "loses_number": bool(a.numbers) and not b.numbers,
            "other_subject": of_other_subject(old, new),
            "name_in_common": named,
            "wording_in_common": len(a.wording & b.wording) / max(1, min(len(a.wording), len(b.wording))),
            "concept_in_common": bool((old.concepts & new.concepts) - VAGUE),
            "strong_cue": strong,
            "weak_cue": new.cue == "weak",
            "strong_of_subject": strong and not old.telling_heads.isdisjoint(new.telling_heads),
            "earlier_weak": old.cue == "weak",
            "earlier_strong": old.cue == "strong",
            "gone": GONE in new.concepts,
            "begins": bool(new.row["from_stated"]) and new.starts > old.row["said_at"],
            "earlier_event": old.row["kind"] == "event",
            "later_event": new.row["kind"] == "event",
            "later_plan": new.row["kind"] == "plan",
            "time_between": math.log1p(days_between(old, new)) / 5,
        }

    def _tells_change(self, a: Answer, b: Answer) -> bool:
        """Return whether `b` has a cue of change, or a day since which it holds, and the words of the question of `a`.

        With a weak cue it may have other ones: "she has room 14", "she's in 22 now". Where only the name of one thing
        is asked for, much may hold of it at once.
        """
        of_person = any(self._topic <= person for person in a.facet.people)
        if self._is_name and (of_person or b.facet.cue == "none" or len(a.match) < 2):
            return False
        begins = b.facet.row["from_stated"] and b.facet.starts > a.facet.row["said_at"]
        return b.facet.cue == "weak" or ((b.facet.cue == "strong" or begins) and a.match.keys() <= b.match.keys())

    def _of_one_attribute(self, a: Answer, b: Answer) -> bool:
        """Return whether both match a word of the question besides names, and not only what they are about.

        Where the thing itself is asked for, much may hold of it at once.
        """
        old, new = a.facet, b.facet
        attributes = (a.match.keys() & b.match.keys()) - old.names - new.names
        return len(self._topic) > 1 and not attributes <= old.heads & new.heads

    def _answer_otherwise(self, a: Answer, b: Answer) -> bool:
        """Return whether both have something of a kind that is asked for, and nothing of it in common."""
        kinds = (kind for kind in self._asked if kind in a.fillers and kind in b.fillers)
        return any(a.fillers[kind].isdisjoint(b.fillers[kind]) for kind in kinds)

    def _loses_answer(self, a: Answer, b: Answer) -> bool:
        """Return whether only the earlier one has a day or amount, if one is asked for."""
        return any(kind in a.fillers and kind not in b.fillers for kind in self._asked & STATED)


def _may_follow(order: tuple[Any, ...], said: datetime, later: Facet) -> bool:
    """Return whether `later` may replace one with this order that was said then: a cheap condition of `may_replace`."""
    return later.order > order or later.row["said_at"] > said


def _tells_nothing_else(a: Answer, b: Answer) -> bool:
    """Return whether `b` tells no change, no beginning, and no other amount or moment than `a`.

    "The youth orchestra played carols" does not say who conducts it in the place of one that does.
    """
    if b.facet.cue != "none" or b.facet.row["from_stated"]:
        return False
    return all(not a.stated[kind].isdisjoint(b.stated[kind]) for kind in a.stated.keys() & b.stated.keys())


def _keeps(old: Facet, new: Facet) -> bool:
    """Return whether the earlier one stays beside a later one that states no other value.

    It does if it alone tells for sure what has changed, with its value ("we now fly on 19 June"), and if it says what
    one likes, unless the later one tells that it has changed: of what one likes there is much.
    """
    if old.row["kind"] == "preference" and new.cue != "strong":
        return new.cue == "none" or new.row["kind"] != "preference"
    return old.cue == "strong" and new.cue != "strong" and bool(old.comparable) and not new.comparable


def _has_light_ones(a: Answer, b: Answer) -> bool:
    """Return whether `b` only has words of the question that fit any question, and `a` has others, too."""
    return bool(b.match) and b.match.keys() <= light_words() and not a.match.keys() <= light_words()


def _least(earlier: Answer, later: Answer) -> float:
    if not earlier.match:
        return LEAST_RELATED
    if not later.match:
        return LEAST_BESIDE
    if _has_light_ones(earlier, later):
        return LEAST_OF_LITTLE
    if later.score < LITTLE * earlier.score:
        return LEAST_OF_LITTLE if later.facet.cue == "none" else LEAST_BESIDE
    return LEAST if later.score >= earlier.score else LEAST_OF_FEWER


def probability(features: Mapping[str, float]) -> float:
    """Return the probability, 0 to 1, that the later memory of a pair answers instead of the earlier one."""
    weights = fitted_weights()
    score = weights[CONSTANT] + sum(weights.get(name, 0.0) * value for name, value in features.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))


@cache
def fitted_weights() -> Mapping[str, float]:
    """Return the weights by feature."""
    return tomllib.loads(WEIGHTS.read_text("utf-8"))
