"""Whether a source writes the day or the month first in "10/04/2024": by its other dates, its language, or its zone."""

import re
from collections.abc import Iterable
from datetime import tzinfo

from brain_retrieval.language.lexicon import ENGLISH, code_of

_SLASHED = re.compile(r"(?<![\d/.])(\d{1,2})/(\d{1,2})/((?:19|20|21)\d\d)(?![\d/])")
_MONTHS = 12
_MONTH_FIRST = frozenset({"us", "ph"})  # regions; everywhere else with English the day comes first
# Zones of the IANA database. In English of Canada and of zones that are no place, both orders are usual.
_ZONES_DAY_FIRST = ("Africa/", "Asia/", "Atlantic/", "Australia/", "Europe/", "Indian/", "Pacific/Auckland")
_ZONES_MONTH_FIRST = (
    *(
        "America/" + city
        for city in ("New_York", "Chicago", "Denver", "Los_Angeles", "Phoenix", "Detroit", "Anchorage")
    ),
    *("America/Boise", "America/Indiana/", "America/Kentucky/", "Pacific/Honolulu", "US/", "Asia/Manila"),
)


def day_first(text: str, language: str | None, zone: tzinfo | None = None) -> bool | None:
    """Return True for the day, False for the month, None if neither the text, its language nor the zone says it.

    Args:
        text: of the whole source; a date with a number above 12 tells the order of all of them.
        language: as declared, with its region if it has one ("en-GB"); English alone says nothing.
        zone: of the user, with a name of the IANA database.
    """
    order = written_day_first(_numbers(text), language)
    name = str(zone or "")
    if order is not None or not name.startswith((*_ZONES_DAY_FIRST, *_ZONES_MONTH_FIRST)):
        return order
    return not name.startswith(_ZONES_MONTH_FIRST)


def written_day_first(numbers: Iterable[tuple[int, int]], language: str | None) -> bool | None:
    """Return what `day_first` does, from the two numbers of each date of a text."""
    days = {first > second for first, second in numbers if max(first, second) > _MONTHS >= min(first, second)}
    if len(days) == 1:
        return days.pop()
    if code_of(language) != ENGLISH:
        return True
    region = re.split(r"[-_]", (language or "").lower())[1:]
    return region[-1] not in _MONTH_FIRST if region else None


def ordered(text: str, first: bool | None) -> str | None:
    """Return a date in figures as ISO 8601, None if its order is not known; any other text as it is."""
    match = _SLASHED.fullmatch(text)
    if match is None:
        return text
    one, two, year = (int(group) for group in match.groups())
    if one == two or max(one, two) > _MONTHS:
        return text  # only one reading
    if first is None:
        return None
    day, month = (one, two) if first else (two, one)
    return f"{year:04}-{month:02}-{day:02}"


def slashed_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of dates in figures, of which no number is a value of its own."""
    return [match.span() for match in _SLASHED.finditer(text)]


def _numbers(text: str) -> list[tuple[int, int]]:
    return [(int(match[1]), int(match[2])) for match in _SLASHED.finditer(text)]
