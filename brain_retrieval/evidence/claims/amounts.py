"""Whether the amounts that a statement states agree with those of a claim."""

import math
from collections.abc import Sequence

from brain_retrieval.evidence.claims.claim import OPEN, Agreement, Quantity
from brain_retrieval.evidence.kinds_of_words import has_narrower


def agreement(claimed: Sequence[Quantity], stated: Sequence[Quantity]) -> Agreement:
    """Return whether stated amounts agree with all that are claimed, or conflict with one of the same dimension."""
    found = {_one(quantity, stated) for quantity in claimed}
    if not found or found == {"none"}:
        return "none"
    return "conflict" if "conflict" in found else "agree" if found == {"agree"} else "none"


def _one(claimed: Quantity, stated: Sequence[Quantity]) -> Agreement:
    alike = [other for other in stated if _alike(claimed.dimension, other.dimension)]
    alike = alike or [other for other in stated if _counts_same(claimed, other)]
    if not alike:
        # 300 employees are 300 people; that there are 5 children says nothing of 300 people
        narrower = [other for other in stated if has_narrower(claimed.dimension, (other.dimension,))]
        return "agree" if any(_meet(claimed, other) for other in narrower) else "none"
    met = [other for other in alike if _meet(claimed, other)]
    if any(not _falls_short(claimed, other) and not _is_bound(claimed, other) for other in met):
        return "agree"
    # of "more than 61 %" 61 % is another amount; 2 million may be rounded
    return "none" if any(not _is_bound(claimed, other) or other.rounded for other in met) else "conflict"


def _is_bound(claimed: Quantity, stated: Quantity) -> bool:
    """Return whether a stated number is the one that the claim says is exceeded, or is not reached."""
    if not claimed.strict or OPEN in (stated.high, -stated.low):
        return False
    bound = claimed.low if claimed.high == OPEN else claimed.high
    return math.isclose((stated.low + stated.high) / 2, bound)


def _counts_same(claimed: Quantity, stated: Quantity) -> bool:
    """Return whether two numbers count the same, of which one is named by more words: deaths, COVID-19 deaths.

    What the statement counts has no word that the claim has not: of cases, new cases are a part.
    """
    heads = (claimed.counted[-1:], stated.counted[-1:])
    if (claimed.dimension,) != heads[1] and (stated.dimension,) != heads[0]:
        return False
    return set(stated.counted) <= set(claimed.counted)


def _falls_short(claimed: Quantity, stated: Quantity) -> bool:
    """Return whether a stated bound leaves the claimed one open: "over 2.3 million" is not "over 3 million"."""
    upward = claimed.high == OPEN and stated.high == OPEN and stated.low < claimed.low
    downward = claimed.low == -OPEN and stated.low == -OPEN and stated.high > claimed.high
    return upward or downward


def _alike(one: str, other: str) -> bool:
    """Return whether two dimensions are the same; "EUR/month" is also "EUR" where the other names no rate."""
    (unit, _, rate), (other_unit, _, other_rate) = one.partition("/"), other.partition("/")
    return unit == other_unit and (rate == other_rate or not rate or not other_rate)


def _meet(one: Quantity, other: Quantity) -> bool:
    slack = 1e-9 * max(1.0, *(abs(x) for x in (one.low, one.high, other.low, other.high) if abs(x) != OPEN))
    if OPEN in (one.high, other.high) and -OPEN in (one.low, other.low):
        slack = -slack  # "more than half" and "less than half" share the bound alone
    if all(-OPEN < each.low < each.high < OPEN for each in (one, other)):
        slack = -slack  # as 48 and 49 do, which are 47.5–48.5 and 48.5–49.5
    return one.low <= other.high + slack and other.low <= one.high + slack
