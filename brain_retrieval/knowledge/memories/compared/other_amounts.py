"""Whether two memories give amounts of one thing in other words or units: "75 µg" and "88 now"."""

from brain_retrieval.knowledge.memories.amounts import labels, near, rates, shortly_before
from brain_retrieval.knowledge.memories.facets import Facet
from brain_retrieval.knowledge.memories.value_changes import DATED, NUMBER, RANK
from brain_retrieval.language.values import LIMIT, VERSION

_NO_AMOUNTS = DATED | {VERSION, RANK, "duration"}  # dimensions of values that count or measure nothing


def counts_again(a: Facet, b: Facet) -> bool:
    """Return whether one counts what the other one gives a number of: "80 guests", and "the guest list is at 71"."""
    if b.negated or not _amounts(a) or not _amounts(b):
        return False
    return any(
        near(old, new) and old != new
        for kind, values in _amounts(a).items()
        for other, others in _amounts(b).items()
        if (other == NUMBER and kind in shortly_before(b.row["text"]))
        or (kind == NUMBER and other in shortly_before(a.row["text"]))
        for old in values
        for new in others
    )


def says_other_amount(a: Facet, b: Facet, shared: frozenset[str], *, same: bool) -> bool:
    """Return whether `b` states with a cue an amount like one of `a` in other units: "75 µg", and "88 now".

    Notes leave units away: what a thing costs or weighs is then compared with a number near it. `shared` are words that
    both have besides their subject, `same` is whether both are about the same subject, and not only who speaks.
    """
    if b.cue == "none" or b.negated:
        return False
    topical = shared - a.names - b.names - a.measured - b.measured
    if not (topical or (same and _counted_alike(a, b))):
        return False
    return any(
        near(old, new)
        for kind, values in _amounts(a).items()
        for other, others in _amounts(b).items()
        if kind != other and _of_one_unit(kind, other)
        for old in values
        for new in others
    )


def _counted_alike(a: Facet, b: Facet) -> bool:
    """Return whether amounts of both stand behind the same word, or are for the same: "an hour"."""
    texts = a.row["text"], b.row["text"]
    return any(not reading(texts[0]).isdisjoint(reading(texts[1])) for reading in (labels, rates))


def _amounts(facet: Facet) -> dict[str, frozenset[str]]:
    if (found := facet.kept.get("amounts")) is None:
        items = facet.comparable.items()
        found = {kind: values for kind, values in items if kind not in _NO_AMOUNTS and LIMIT not in kind}
        facet.kept["amounts"] = found
    return found


def _of_one_unit(kind: str, other: str) -> bool:
    units = {kind.split("/")[0], other.split("/")[0]}
    return NUMBER in units or len(units) == 1
