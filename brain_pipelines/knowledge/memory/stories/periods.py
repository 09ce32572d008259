"""The time of a storyline as a person writes it: "May 2024", "March – July 2024", "2023 – 2025", in six languages."""

from collections.abc import Iterable
from datetime import datetime
from functools import cache

from brain_retrieval.language.lexicon import ENGLISH, SHARED, code_of

SUBJECT = "dates"
LONG_MONTHS = 18  # from which on the years say enough
WHOLE_YEAR = 10  # months of one year that are called by the year alone
_CAPITAL = frozenset({ENGLISH, "de"})  # where months are written with a capital


def period(began: datetime, ended: datetime, language: str | None) -> str:
    """Return the months or years from `began` to `ended` in a language, in figures where its months are not known.

    >>> from datetime import datetime
    >>> period(datetime(2024, 3, 2), datetime(2024, 7, 1), "en")
    'March – July 2024'
    """
    months = (ended.year - began.year) * 12 + ended.month - began.month
    if began.year == ended.year and months >= WHOLE_YEAR:
        return str(began.year)
    if months >= LONG_MONTHS:
        return f"{began.year} – {ended.year}"
    names = _months(code_of(language))
    if not names:
        return f"{began:%Y-%m}" if not months else f"{began:%Y-%m} – {ended:%Y-%m}"
    first, last = names[began.month - 1], names[ended.month - 1]
    if not months:
        return f"{first} {began.year}"
    return (
        f"{first} – {last} {ended.year}" if began.year == ended.year else f"{first} {began.year} – {last} {ended.year}"
    )


def main_language(languages: Iterable[str | None]) -> str:
    """Return the commonest language, the first in the alphabet of several; English if none is known."""
    listed = sorted(code_of(one) for one in languages)
    return max(sorted(set(listed)), key=listed.count, default=ENGLISH)


@cache
def _months(code: str) -> tuple[str, ...]:
    if not SHARED.has(SUBJECT, code):
        return ()
    names = SHARED.read(SUBJECT, code).listed("months")
    return tuple(name.capitalize() for name in names) if code in _CAPITAL else names
