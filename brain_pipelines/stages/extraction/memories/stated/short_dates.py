"""Shortened dates: "Thu 3pm", "Tue 14th", "bis Fr", "le ven. 16h", "tmrw", "03/2029", and an arrow before a new day.

Few letters are other words, too ("sat", "mar"), so a short weekday is read behind a word that leads to a day or before
a time of day. Those of `doubtful_weekdays` need a time, or in English a capital letter and no name behind it.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.memories.persons import writes_nouns_large
from brain_pipelines.stages.extraction.memories.stated.date_words import Phrase
from brain_pipelines.stages.extraction.memories.stated.days_in_figures import FIGURES, lead_markers, marker_of
from brain_retrieval.language.lexicon import ENGLISH, SHARED
from brain_retrieval.language.plain import plain, word_expression

_MONTHS = SHARED.read("dates").listed("months")
_ARROW = re.compile(r"(?:[-=]>|→|➜|➔|⇒)\s?$")
_TIME = r"(?=\.?,?\s(?:\d{1,2}[:.h]\d\d(?!\d)|\d{1,2}\s?(?:h|uhr|[ap]\.?m)(?!\w)))"
_ORDINALS = {"en": "st|nd|rd|th", "de": r"\.(?!\d)"}  # "Tue 14th", "Di 14."
_PLAIN = r"(?![.:/,]?\d|\s?(?:h|uhr|€|%|°)|\s?[$£])"  # "du mar 14 au jeu 16", behind a word that leads to a day
_MONTH_OF_YEAR = r"(?P<date>(?P<month>0?[1-9]|1[0-2])/(?P<year>(?:19|20)\d\d))(?![\w/])"
_TITLE = re.compile(r"\.\s?[^\W\d_a-z]")  # "Fr. Meier"
_APART = 3  # characters: "ven. 15/5"
_NAME = re.compile(r"\s[^\W\d_a-z]")  # "by Sun Li"


class _Grammar(NamedTuple):
    weekday: re.Pattern[str]
    weekdays: dict[str, str]
    doubtful: frozenset[str]
    day: re.Pattern[str]
    days: dict[str, str]
    month: re.Pattern[str]
    markers: dict[str, str]
    steps: dict[str, str]


def with_short_dates(found: Sequence[Phrase], text: str, language: str) -> list[Phrase]:
    """Return the date expressions of a sentence with its shortened ones, in English.

    A short weekday before another date only names it. The year of "03/2029" is no date of its own.
    """
    if not (LEXICONS.has("stated_dates", language) and SHARED.has("dates", language)):
        return list(found)
    words, low = _grammar(language), plain(text)
    months = list(_months_of_years(low, words))
    others = [one for one in found if not any(_beside(one, month, 0) for month in months)]
    short = [*_weekdays(text, low, words, language), *_days(low, words)]
    return [*others, *months, *(one for one in short if not any(_beside(one, other, _APART) for other in others))]


def _beside(one: Phrase, other: Phrase, apart: int) -> bool:
    """Return whether two expressions overlap or are less than so many characters apart."""
    return max(one.start, other.start) - min(one.end, other.end) < apart


def with_arrows(phrases: Sequence[Phrase], text: str) -> list[Phrase]:
    """Return date expressions of which those behind an arrow are what something is moved to: "moved → Thursday"."""
    return [
        phrase._replace(marker="to") if not phrase.marker and _ARROW.search(text[: phrase.start]) else phrase
        for phrase in phrases
    ]


def _weekdays(text: str, low: str, words: _Grammar, language: str) -> Iterator[Phrase]:
    large = writes_nouns_large(language)
    for match in words.weekday.finditer(low):
        start, end = match.start("step" if match["step"] else "date"), match.end("date")
        is_large, timed = text[match.start("date")].isupper(), match["time"] is not None
        by_case = language == ENGLISH and is_large and not _NAME.match(text, end)
        is_sure = match["date"] not in words.doubtful or by_case
        led = bool(match["lead"] or match["step"]) and is_sure
        number = f" {int(match['number'])}" if match["number"] else ""
        if (
            not (timed or led or (number and language in _ORDINALS))
            or (large and not is_large)
            or _TITLE.match(text, end)
        ):
            continue
        step = f"{words.steps[match['step']]} " if match["step"] else ""
        marker = marker_of(match["lead"], words.markers) if match["lead"] else FIGURES
        marker = "" if marker == FIGURES and not timed else marker
        yield Phrase(
            start, match.end("ordinal") if number else end, marker, step + words.weekdays[match["date"]] + number
        )


def _days(low: str, words: _Grammar) -> Iterator[Phrase]:
    for match in words.day.finditer(low):
        yield Phrase(*match.span(), "", words.days[match.group()])


def _months_of_years(low: str, words: _Grammar) -> Iterator[Phrase]:
    for match in words.month.finditer(low):
        marker = marker_of(match["lead"], words.markers) if match["lead"] else ""
        named = f"{_MONTHS[int(match['month']) - 1]} {match['year']}"
        yield Phrase(*match.span("date"), "" if marker == FIGURES else marker, named)


@cache
def _grammar(language: str) -> _Grammar:
    own = LEXICONS.read("stated_dates", language)
    markers = lead_markers(language)
    steps = {plain(word): step for word, step in own.table("steps").items()}
    weekdays = {plain(short): day for short, day in own.table("short_weekdays").items()}
    days = {plain(short): day for short, day in own.table("short_days").items()}
    lead = rf"(?:(?P<lead>{word_expression(markers)})\s)?"
    step = rf"(?:(?P<step>{word_expression(steps)})\s)?"
    day = rf"(?P<date>{word_expression(weekdays)})(?!\w)"
    ordinal = rf"(?P<ordinal>(?P<number>\d{{1,2}})(?:{_ORDINALS.get(language, _PLAIN)}))(?!\w)"
    behind = rf"(?:\.?,?\s(?:the\s)?{ordinal}|(?P<time>{_TIME}))?"
    return _Grammar(
        re.compile(rf"(?<![\w.'’-]){lead}{step}{day}{behind}"),
        weekdays,
        frozenset(plain(word) for word in own.listed("doubtful_weekdays")),
        re.compile(rf"(?<![\w.'’-])(?:{word_expression(days)})(?!\w)"),
        days,
        re.compile(rf"(?<![\w./])(?:(?P<lead>{word_expression(markers)})\s)?{_MONTH_OF_YEAR}"),
        markers,
        steps,
    )
