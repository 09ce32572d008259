"""Feasts, holidays and seasons until or since which something holds: "until Christmas", "seit Ostern", "dall'estate".

Only behind such a word: "a Christmas tree" names no day. Their days are those of the western churches; holidays begin
on about the same day, and English seasons are read by `time_expressions.py`.
"""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache

from dateutil.easter import easter

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.time.date_ranges import Period
from brain_pipelines.stages.extraction.memories.stated.date_words import Phrase
from brain_retrieval.language.lexicon import NOTHING
from brain_retrieval.language.plain import plain, word_expression


def feasts(text: str, language: str) -> Iterator[Phrase]:
    """Yield the feasts of `text` behind a word for "until" or "since"; none of a language without such words."""
    low = plain(text)
    for match in _named(language).finditer(low):
        marker = "until" if match["until"] else "since"
        yield Phrase(match.start("feast"), match.end("feast"), marker, _names(language)[match["feast"]])


def is_feast(name: str) -> bool:
    """Return whether the text of a phrase is the name of a feast."""
    return name in _fixed() or name in _movable()


def days_of_feast(name: str, said: date, direction: int) -> Period:
    """Return the day of a feast that is nearest to `said`: the last one that has begun (-1), the next one (1).

    Raises:
        ValueError: if a day lies outside the calendar.
    """
    days = sorted(_day_in(name, year) for year in range(max(said.year - 1, date.min.year), said.year + 2))
    begun, coming = ([day for day in days if day <= said], [day for day in days if day > said])
    found = begun[-1] if direction < 0 and begun else coming[0] if coming else days[-1]
    return Period(found, found + timedelta(days=1))


def _day_in(name: str, year: int) -> date:
    if name in _fixed():
        month, day = _fixed()[name].split("-")
        return date(year, int(month), int(day))
    return easter(year) + timedelta(days=_movable()[name])


@cache
def _fixed() -> dict[str, str]:
    return LEXICONS.read("time").table("fixed_feasts")


@cache
def _movable() -> dict[str, int]:
    return LEXICONS.read("time").table("movable_feasts")


@cache
def _names(language: str) -> dict[str, str]:
    table = LEXICONS.read("stated_dates", language).table("feasts")
    return {plain(word): name for word, name in table.items()}


@cache
def _named(language: str) -> re.Pattern[str]:
    if not LEXICONS.has("stated_dates", language):
        return re.compile(NOTHING)
    own = LEXICONS.read("stated_dates", language)
    until, since = (word_expression(own.listed(key)) for key in ("until", "since"))
    feast = word_expression(own.table("feasts"))
    lead = rf"(?<!\w)(?:(?P<until>{until})|(?P<since>{since}))(?:\s|(?<='))"
    return re.compile(rf"{lead}(?P<feast>{feast})(?![\w'-]|\s\d)")
