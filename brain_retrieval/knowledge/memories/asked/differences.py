"""What two answers to a question state differently: values, times of day, and the days between them."""

from brain_retrieval.knowledge.memories.asked.answer import Answer
from brain_retrieval.knowledge.memories.compared.other_amounts import counts_again
from brain_retrieval.knowledge.memories.facets import LONG_AGO, Facet

_LONGEST_AGO = 1000  # days, for what has no beginning


def values_differ(a: Answer, b: Answer) -> bool:
    """Return whether both state values of one dimension, and other ones."""
    old, new = a.facet.comparable, b.facet.comparable
    if counts_again(a.facet, b.facet) or _at_other_time(a, b):
        return True
    return any(old[one].isdisjoint(new[one]) for one in old.keys() & new.keys())


def _at_other_time(a: Answer, b: Answer) -> bool:
    """Return whether each states a time of day, which one of both may only have as a number: "7:35", "at 7:20"."""
    surely = "time" in a.facet.values or "time" in b.facet.values
    return surely and bool(a.clock and b.clock) and a.clock.isdisjoint(b.clock)


def only_happened(a: Facet, b: Facet) -> bool:
    """Return whether only `a` states a value, and `b` an event: "Dad forgot his tablets" leaves how many he takes."""
    return b.cue == "none" and b.row["kind"] == "event" and bool(a.comparable) and not b.comparable


def days_between(a: Facet, b: Facet) -> float:
    """Return the days from when the earlier one holds to when the later one does."""
    if a.known_from == LONG_AGO:
        return _LONGEST_AGO
    return max((b.known_from - a.known_from).total_seconds() / 86400, 0.0)
