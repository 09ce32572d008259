"""The day that a note states above its text: "**Fecha:** Domingo 11/02/2024", "Datum: 10. April 2026"."""

import re
from datetime import datetime, tzinfo
from functools import cache

from brain_pipelines.readers.lexicons import LEXICONS
from brain_retrieval.language.lexicon import SHARED, number_of
from brain_retrieval.language.plain import plain, word_expression

HEAD_CHARS, HEAD_LINES = 2_000, 25
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_ISO = re.compile(rf"(?<!\d){_YEAR}-(?P<month>\d\d)-(?P<day>\d\d)(?!\d)")
_FIGURES = re.compile(rf"(?<!\d)(?P<day>\d{{1,2}})(?P<mark>[./-])(?P<month>\d{{1,2}})(?P=mark){_YEAR}(?!\d)")
_LAST_MONTH = 12


def labelled_date(text: str, zone: tzinfo) -> datetime | None:
    """Return the midnight of the first day that stands behind a label for a date, None if there is none.

    A day in figures is day, month, year; with slashes behind the English word it may be either, and counts only where
    one of both is above twelve.
    """
    for line in text[:HEAD_CHARS].splitlines()[:HEAD_LINES]:
        labelled = _label().match(plain(line))
        if labelled and (day := _day_of(plain(line)[labelled.end() :], zone, english=labelled["word"] in _english())):
            return day
    return None


def _day_of(text: str, zone: tzinfo, *, english: bool) -> datetime | None:
    for pattern in (_ISO, _FIGURES, _named()):
        if found := pattern.search(text):
            part = found.groupdict()
            name = part.get("name") or part.get("name2")
            month = _months()[name] if name else int(part["month"])
            day = int(part.get("day") or part["day2"])
            if english and part.get("mark") == "/":
                if day <= _LAST_MONTH and month <= _LAST_MONTH and day != month:
                    return None
                day, month = (day, month) if month <= _LAST_MONTH else (month, day)
            try:
                return datetime(int(part.get("year") or part["year2"]), month, day, tzinfo=zone)
            except ValueError:
                return None
    return None


@cache
def _label() -> re.Pattern[str]:
    words = word_expression(LEXICONS.every_language("date_labels").listed("labels"))
    return re.compile(rf"[\s>*_#|-]{{0,8}}(?P<word>{words})[*_\s]{{0,6}}[:|][*_\s]{{0,6}}")


@cache
def _english() -> frozenset[str]:
    return LEXICONS.read("date_labels").words("labels")


@cache
def _months() -> dict[str, int]:
    found: dict[str, int] = {}
    for code in SHARED.languages("dates"):
        dates = SHARED.read("dates", code)
        found |= {plain(name): number for name, number in number_of(dates.listed("months")).items()}
        found |= {plain(name): number for name, number in dates.table("short_months").items()}
    return found


@cache
def _named() -> re.Pattern[str]:
    month = word_expression(_months())
    day = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|\.)?\s(?:de\s|d')?"
    other = rf"(?P<name2>{month})\.?\s(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?,?\s(?P<year2>(?:19|20)\d\d)"
    return re.compile(rf"(?<!\d){day}(?P<name>{month})\.?,?\s(?:de\s|del\s)?{_YEAR}(?!\d)|(?<!\w){other}(?!\d)")
