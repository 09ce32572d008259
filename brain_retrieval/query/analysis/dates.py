"""Dates and months that a question mentions."""

import re
from dataclasses import dataclass
from datetime import date
from functools import cache

from brain_retrieval.language.lexicon import ENGLISH, SHARED, code_of, number_of


@dataclass(frozen=True)
class DateMention:
    """A date, month or day mentioned in a question; parts that are not mentioned are None."""

    year: int | None
    month: int
    day: int | None

    def matches(self, when: date) -> bool:
        """Return whether `when` lies on the date or in the month named."""
        return self.year in (None, when.year) and self.month == when.month and self.day in (None, when.day)


def find_dates(text: str, language: str | None = None) -> tuple[DateMention, ...]:
    """Return the distinct dates and months in `text`, longest match first, in `language` or English.

    >>> find_dates("What happened on 7 May 2023 or in June?")
    (DateMention(year=2023, month=5, day=7), DateMention(year=None, month=6, day=None))
    """
    return tuple(dict.fromkeys(mention for _, _, mention in located_dates(text, language)))


def located_dates(text: str, language: str | None = None) -> list[tuple[int, int, DateMention]]:
    """Return the dates in `text` with their first and last character, in the order of `find_dates`."""
    found: list[tuple[int, int, DateMention]] = []
    for code in dict.fromkeys((code_of(language), ENGLISH)):
        for form in _date_forms(code) if SHARED.has("dates", code) else ():
            matches = list(form.finditer(text))
            for match in matches:
                if mention := _mention(match.groupdict(), code):
                    found.append((*match.span(), mention))
            for match in matches:
                text = text[: match.start()] + " " * len(match.group()) + text[match.end() :]
    return found


@cache
def _date_forms(language: str) -> tuple[re.Pattern[str], ...]:
    dates = SHARED.read("dates", language)
    month = rf"(?P<m>{dates.pattern('months', 'short_months')})\.?"
    day = rf"(?P<d>\d{{1,2}})(?:{dates.pattern('ordinals')})?"
    of, before = dates.pattern("of"), dates.pattern("before_a_month")
    forms = (
        r"\b(?P<y>\d{4})-(?P<n>\d{2})-(?P<d>\d{2})\b",
        rf"\b{day}\s+(?:(?:{of})\s+)?{month}(?:,?\s+(?:(?:{of})\s+)?(?P<y>\d{{4}}))?\b",
        rf"\b{month}\s+{day}(?:,?\s+(?P<y>\d{{4}}))?\b",
        rf"\b{month},?\s+(?:(?:{of})\s+)?(?P<y>\d{{4}})\b",
        # a bare month needs a word before it: "may" and "march" are verbs as well
        rf"\b(?:{before})[\s-]+{month}(?!\w)",
    )
    return tuple(re.compile(form, re.IGNORECASE) for form in forms)


def _mention(parts: dict[str, str | None], language: str) -> DateMention | None:
    name = parts.get("m")
    dates = SHARED.read("dates", language)
    months = {**number_of(dates.listed("months")), **dates.table("short_months")}
    month = int(months[name.lower()] if name else parts.get("n") or 0)
    year, day = (int(value) if (value := parts.get(key)) else None for key in ("y", "d"))
    try:
        # 2000 is a leap year: 29 February without a year is a date. A year or day of 0 is none.
        date(2000 if year is None else year, month, 1 if day is None else day)
    except ValueError:
        return None
    return DateMention(year, month, day)
