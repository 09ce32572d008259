"""What has ended a memory: a pure, pairwise function of the rows that exist, whatever their order.

Of two memories the later one (by when it holds, then by when it was said) ends the earlier one if it is asserted, has
begun, and

- `value`: states another value of the same dimension for the same thing;
- `slot`: states another value of the same attribute of the same subject, or denies it;
- `attitude`: states another attitude of the same person to the same thing;
- `change`: has a cue of change and shares more with it than its subject: unsure.

What is reported, possible, conditional or asked ends nothing that is asserted; what is asserted ends it where both
speak of the same. A plain negation ends only what it denies.
"""

from datetime import datetime
from typing import NamedTuple

from brain_retrieval.knowledge.memories.facets import Facet

VALUE, SLOT, ATTITUDE, CHANGE, SETTLED = "value", "slot", "attitude", "change", "settled"
SURE = frozenset({VALUE, SLOT, ATTITUDE, SETTLED})
# Concepts of which a subject has one at a time: a change of one is the end of what was.
_SINGLE = frozenset(
    {
        ":residence",
        ":work",
        ":study",
        ":school",
        ":team",
        ":stay",
        ":partner",
        ":debt",
        ":version",
        ":rank",
        ":diet",
        ":opening",
    }
)
# Concepts of a situation, which ends with whoever or whatever is in it; tastes and names do not.
_SITUATION = _SINGLE | {":lead", ":supply", ":schedule", ":place", ":own", ":medicine", ":price"}
_VAGUE = frozenset({":attitude", ":gone", ":not_yet", ":best"})
_ATTITUDE, _BEST, _SCHEDULE, _GONE, _NOT_YET = ":attitude", ":best", ":schedule", ":gone", ":not_yet"
_WEAK_DIMENSIONS = frozenset({"number", "year", "month", "time", "date"})


class Ending(NamedTuple):
    """What ended a memory, by which rule."""

    memory_id: str
    kind: str
    sure: bool


def ending(a: Facet, b: Facet, at: datetime, topic: frozenset[str] = frozenset()) -> str | None:
    """Return the rule by which `b` ends `a` at a moment, None if it does not.

    `topic` are the words that were asked for: all candidates share them, so they say nothing about a common subject.
    """
    if not _is_later(a, b, at) or _of_one_breath(a, b):
        return None
    if b.row["modality"] in ("question", "conditional") or (a.asserted and not b.asserted):
        return None
    if _BEST in a.concepts and _BEST not in b.concepts:
        return None
    common = a.words & b.words
    if not (common or a.concepts & b.concepts):
        return None
    return _rule(a, b, common, topic)


def _is_later(a: Facet, b: Facet, at: datetime) -> bool:
    """Return whether `b` has begun and comes after `a`; of an announcement, whatever is said before it comes true."""
    said = b.row["said_at"]
    if a.starts > said and a.row["said_at"] < said:
        return said <= at
    announced = b.starts > a.row["said_at"] and b.row["said_at"] < a.row["said_at"]
    return b.order > a.order and b.starts <= at and not announced


def _of_one_breath(a: Facet, b: Facet) -> bool:
    """Return whether both were said together: they complete each other, unless the later one corrects the earlier."""
    together = a.row["source_id"] == b.row["source_id"] and a.row["said_at"] == b.row["said_at"]
    return together and not (b.cue == "strong" and a.row["speaker"] != b.row["speaker"])


def _rule(a: Facet, b: Facet, common: frozenset[str], topic: frozenset[str]) -> str | None:
    shared = common - (a.heads & b.heads)
    same = bool(a.heads & b.heads)
    if _by_slot(a, b):
        return SLOT
    if (not b.negated or b.cue == "strong") and _by_value(a, b, shared, same=same):
        return VALUE
    if a.asserted and b.asserted and same and shared and _ATTITUDE in a.concepts & b.concepts and a.slot is None:
        return ATTITUDE
    if not a.asserted:
        return SETTLED if _settles(a, b, shared, topic) else None
    return CHANGE if _by_change(a, b, shared, topic, same=same) else None


def _settles(a: Facet, b: Facet, shared: frozenset[str], topic: frozenset[str]) -> bool:
    """Return whether `b` says how what was only reported or planned has turned out, or replaces it."""
    if not (a.words & b.words):
        return False
    more = shared - topic
    told = bool(a.heads & b.heads) or b.cue != "none"
    return bool((more and told) or (shared and b.cue == "strong") or a.concepts & b.concepts)


def _by_slot(a: Facet, b: Facet) -> bool:
    if a.slot is None or b.slot is None or a.slot[0] != b.slot[0]:
        return False
    if not (a.slot[1] <= b.slot[1] or b.slot[1] <= a.slot[1]):
        return False
    same_value = bool(a.slot[2] & b.slot[2])
    return same_value if b.negated else not same_value


def _by_value(a: Facet, b: Facet, shared: frozenset[str], *, same: bool) -> bool:
    for dimension, values in b.values.items():
        other = a.values.get(dimension)
        if other is None or not _differ(other, values, b):
            continue
        if _comparable(a, b, dimension, shared, same=same):
            return True
    return False


def _differ(old: frozenset[str], new: frozenset[str], b: Facet) -> bool:
    """Return whether values differ; a sentence of change may name the old value besides the new one."""
    return bool(new - old) if b.cue == "strong" else not old & new


def _comparable(a: Facet, b: Facet, dimension: str, shared: frozenset[str], *, same: bool) -> bool:
    """Return whether two values of a dimension are values of the same thing."""
    topical, concepts = shared - {dimension}, a.concepts & b.concepts
    if dimension == "number":
        near = any(_near(old, new) for old in a.values[dimension] for new in b.values[dimension])
        return near and bool((same and b.cue == "strong") or (topical and concepts))
    if dimension in _WEAK_DIMENSIONS:
        thing = (a.heads & b.heads) - a.names - b.names  # "the launch is on …" twice
        dated = (len(topical) + same > 1 or bool(thing)) and _SCHEDULE in concepts
        return dated or (b.cue == "strong" and bool(topical or (same and concepts)))
    return bool(topical or (same and (concepts or b.cue == "strong")))


def _near(old: str, new: str) -> bool:
    return 0.5 <= (float(new) + 1) / (float(old) + 1) <= 2


def _by_change(a: Facet, b: Facet, shared: frozenset[str], topic: frozenset[str], *, same: bool) -> bool:
    concepts, common = (a.concepts & b.concepts) - _VAGUE, a.words & b.words
    if a.negated and not b.negated and shared and (_NOT_YET in a.concepts or (same and (concepts or b.cue != "none"))):
        return True
    if b.cue == "none" or (b.negated and b.cue != "strong"):
        return False
    if same and concepts & _SINGLE or b.new & a.words - a.names - a.new:
        return True
    both = topic & a.words & b.words
    if len(both) > 1 and (concepts or not a.concepts - _VAGUE or not b.concepts - _VAGUE):
        return bool(concepts) or not b.new
    if same and len(common - a.names) > 1 and not b.new:
        return True  # the same is said again, with a cue: "The newsletter now goes out on …"
    if b.cue == "strong":
        return _ends_strongly(a, b, shared, concepts)
    return bool(shared - topic and not b.new) or (bool(shared) and bool(concepts))


def _ends_strongly(a: Facet, b: Facet, shared: frozenset[str], concepts: frozenset[str]) -> bool:
    """Return whether a strong cue concerns `a`: a common thing, not only a common person, or the end of its subject."""
    if _GONE in b.concepts and not b.told_of_self and b.heads and b.heads <= a.words:
        return bool(shared - a.heads or a.concepts & _SITUATION)
    if concepts and shared:
        return True
    apart = not concepts and a.concepts - _VAGUE and b.concepts - _VAGUE  # they speak of different matters
    return not apart and bool(shared - a.names or shared - b.heads - a.heads)
