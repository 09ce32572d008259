"""Days in figures without their year: "el 12/5", "le 12/5 à 10h", "on 22/5", "Fri 14/3".

Two numbers with a slash are a day only where a word leads to one, behind a weekday, or at the beginning; elsewhere they
are a share or a score. Days with full stops ("am 12.5.") are read with the other dates of a language.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.stated.date_words import Phrase
from brain_retrieval.language.lexicon import ENGLISH, SHARED
from brain_retrieval.language.plain import plain, word_expression

FIGURES = "figures"  # class of marker of an appointment, whatever form the verb has
_MONTHS = SHARED.read("dates").listed("months")
_SHARES = frozenset({(1, 2), (1, 3), (2, 3), (1, 4), (3, 4)})
_CLASSES = {"from": "from", "since": "since", "until": "until", "toward": "to", "appointed": "for"}
_NO_CLASS = frozenset({"on", "is", "instead"})  # classes that say nothing of from when to when


class _Grammar(NamedTuple):
    pattern: re.Pattern[str]
    markers: dict[str, str]
    of: re.Pattern[str]


def days_in_figures(text: str, language: str, taken: Sequence[Phrase], day_first: bool | None) -> Iterator[Phrase]:
    """Yield the days in figures without a year, from left to right, in English; none that overlaps `taken`.

    Args:
        text: of a sentence.
        language: its code.
        taken: date expressions that were found already.
        day_first: whether the day is the first number; None if only a number above 12 tells it in English.
    """
    if not (LEXICONS.has("stated_dates", language) and SHARED.has("dates", language)):
        return
    if day_first is None and language != ENGLISH:
        day_first = True
    words, low = _grammar(language), plain(text)
    for match in words.pattern.finditer(low):
        start, end = match.span("date")
        day = _day(int(match["first"]), int(match["second"]), day_first)
        if day is None or any(start < other.end and other.start < end for other in taken):
            continue
        first, second = int(match["first"]), int(match["second"])
        led = bool(match["lead"] or match["weekday"])
        if (first, second) in _SHARES and (words.of.match(low, end) or not led) or (not led and second - first == 1):
            continue  # "le 3/4 du prix", "2/3 veces", "5/6 Leute"
        yield Phrase(start, end, marker_of(match["lead"], words.markers), day)


def lead_markers(language: str) -> dict[str, str]:
    """Return the words that lead to a day in a language, in plain form, with their class of marker."""
    own = LEXICONS.read("stated_dates", language)
    markers = {plain(lead): marker for key, marker in _CLASSES.items() for lead in own.listed(key)}
    return markers | {plain(lead): marker for lead, marker in own.table("day_leads").items()}


def marker_of(lead: str | None, markers: dict[str, str]) -> str:
    """Return the class of a word that leads to a day, FIGURES if it says nothing of from when to when."""
    marker = markers.get(" ".join((lead or "").split()), "on")
    return FIGURES if marker in _NO_CLASS else marker


def _day(first: int, second: int, day_first: bool | None) -> str | None:
    if first != second and max(first, second) <= len(_MONTHS) and day_first is None:
        return None
    if second > len(_MONTHS) or (first <= len(_MONTHS) and day_first is False):
        first, second = second, first
    return f"{first} {_MONTHS[second - 1]}" if 0 < second <= len(_MONTHS) and 0 < first <= 31 else None


@cache
def _grammar(language: str) -> _Grammar:
    own, dates = LEXICONS.read("stated_dates", language), SHARED.read("dates", language)
    markers = lead_markers(language)
    weekdays = [plain(day) for day in dates.listed("weekdays")]
    short = {day[:letters] for day in weekdays for letters in (2, 3, 4)}
    weekday = rf"(?:(?:{word_expression([*weekdays, *short])})\.?,?\s)"
    lead = rf"(?:(?P<lead>{word_expression(markers)})\s{weekday}?|(?P<weekday>{weekday})|\A)"
    date = r"(?P<date>(?P<first>\d{1,2})/(?P<second>\d{1,2}))(?![\w/%€£$]|[.,]\d)"
    of = rf"\s(?:{word_expression([*dates.listed('of'), *own.listed('parts'), *own.listed('articles')])})(?!\w)"
    return _Grammar(re.compile(rf"(?<![\w.,/-]){lead}{date}"), markers, re.compile(of))
