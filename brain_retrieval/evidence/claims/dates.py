"""Days, months and years that a text states, and whether two of them agree."""

import re
from collections.abc import Sequence

from brain_retrieval.evidence.claims.claim import Agreement, When
from brain_retrieval.evidence.lexicons import known, listed
from brain_retrieval.query.analysis.dates import located_dates

_YEAR = re.compile(r"(?<![\w.,:/-])(?:1[5-9]|20)\d\d(?![\w%:/-]|[.,]\d)")


def located_whens(text: str, language: str | None = None) -> list[tuple[int, int, When]]:
    """Return the days, months and years of a text with their first character and the one after their last."""
    found = [(start, end, When(day.year, day.month, day.day)) for start, end, day in located_dates(text, language)]
    for match in _YEAR.finditer(text):
        if not any(match.start() < end and start < match.end() for start, end, _ in found):
            found.append((*match.span(), When(int(match.group()))))
    return [(a, b, _bounded(when, text[:a], known(language))) for a, b, when in sorted(found, key=lambda one: one[:2])]


def _bounded(when: When, before: str, language: str) -> When:
    """Return a date with the bound that the word before it makes of it: "before 1967"."""
    last = before.lower().split()[-1:]
    if not last or when.year is None:
        return when
    keys = {"before_date": "before", "after_date": "after"}
    bound = next((bound for key, bound in keys.items() if last[0] in listed(key, language)), "")
    return when._replace(bound=bound)


def date_agreement(claimed: Sequence[When], stated: Sequence[When]) -> Agreement:
    """Return whether what is stated has each date that is claimed, or another one of the same kind in its place."""
    found = {_one(when, stated) for when in claimed}
    if not found or found == {"none"}:
        return "none"
    return "conflict" if "conflict" in found else "agree" if found == {"agree"} else "none"


def _one(claimed: When, stated: Sequence[When]) -> Agreement:
    if claimed.bound:
        return _within(claimed, stated)
    comparable = [other for other in stated if _shared(claimed, other)]
    if not comparable:
        return "none"
    agreed = [other for other in comparable if all(one == another for one, another in _shared(claimed, other))]
    if not agreed:
        return "conflict"
    # "in April" does not state the day that is claimed.
    finest = max(sum(part is not None for part in other) for other in agreed)
    return "agree" if finest >= sum(part is not None for part in claimed) - (claimed.year is not None) else "none"


def _within(claimed: When, stated: Sequence[When]) -> Agreement:
    """Return whether a stated date is on the claimed side of a bound; other bounds than the same one say nothing."""
    if any(other == claimed for other in stated):
        return "agree"
    whole = [other for other in stated if not other.bound and other.year is not None]
    sides = {_order(other, claimed) for other in whole} - {0}
    if not sides:  # 14 May 1998 is not before 1998
        inside = any(len(_shared(claimed, other)) == sum(part is not None for part in claimed[:3]) for other in whole)
        return "conflict" if inside else "none"
    return "agree" if (-1 if claimed.bound == "before" else 1) in sides else "conflict"


def _order(one: When, other: When) -> int:
    """Return -1, 0 or 1 as one date is before, possibly the same as, or after another; years are known."""
    pairs = _shared(one, other)
    first = next((pair for pair in pairs if pair[0] != pair[1]), (0, 0))
    return (first[0] > first[1]) - (first[0] < first[1])


def _shared(one: When, other: When) -> list[tuple[int, int]]:
    return [(a, b) for a, b in zip(one[:3], other[:3], strict=True) if a is not None and b is not None]
