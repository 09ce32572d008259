"""What the dates of one sentence say about each other: the parts of a list, a weekday and its day, a day and "ago"."""

import itertools
import re
from collections.abc import Collection
from datetime import date, timedelta

from brain_pipelines.stages.extraction.local.time.date_ranges import Period
from brain_pipelines.stages.extraction.memories.sentence import Sentence
from brain_pipelines.stages.extraction.memories.stated.date_words import Phrase
from brain_pipelines.stages.extraction.memories.stated.days_of_month import FORM
from brain_pipelines.stages.extraction.memories.stated.years import (
    Dated,
    has_year,
    in_year,
    is_of_calendar,
    weekdays_of_calendar,
)
from brain_retrieval.language.plain import plain

_BESIDE = 25  # characters between two dates that are about one event
_NEAR = 40  # characters between a day and the weekday that it is
_WEEK, _CLOSE = timedelta(days=7), timedelta(days=45)
_DAY = timedelta(days=1)
_LEADS = re.compile(r"\s?(?:[–—-]|[^\W\d_]{1,4})\s?(?:[^\W\d_]{1,4}\s)?")  # "bis", "al", "to the"
_END = re.compile(r"[.;!?]\s")
_JOINED = re.compile(r"[\s,/&+~–—-]{0,4}(?:[^\W\d_]{1,3}[\s~]{1,2}){0,2}")  # "and", "y el": no verb
_ENTRY = re.compile(r"\s?[:–—-]\s|\s(?=[A-ZÀ-Ý][a-zà-ÿ])")


def beside_others(found: list[Dated], text: str, said: date, past: Collection[int]) -> list[Dated]:
    """Give a day without a year, or a weekday, the reading that agrees with the date beside it.

    "On November 28th, so about twelve days ago"; "late August - early September"; "Thursday night, August 16".
    `past` has the characters at which dates of what has happened begin.
    """
    for number, (one, other) in enumerate(itertools.pairwise(found)):
        between = text[one.phrase.end : other.phrase.start]
        if len(between) > _BESIDE or _END.search(between):
            continue
        if _is_open(one) and _is_counted(other, said):
            found[number] = _near(one, other.period.start)
        elif _is_open(other) and _is_counted(one, said):
            found[number + 1] = _near(other, one.period.start)
        elif _is_open(one) and _is_open(other) and _JOINED.fullmatch(between):
            ends = other.phrase.marker in ("to", "until")
            if not ends or one.phrase.marker != "from" or one.phrase.start in past:  # else the end decides
                found[number + 1] = _after(other, found[number], strictly=ends)
    days = _in_month_of_next(found, text)
    ahead = [one for one in found if one.period.start > said]
    return [
        _with_day(one, [other for other in found if one.phrase.start not in past or other not in ahead]) for one in days
    ]


def _in_month_of_next(found: list[Dated], text: str) -> list[Dated]:
    """Give a day that stands without its month the one of the day that it leads to: "vom 4. bis 12. Oktober"."""
    days = [*found]
    for number, (one, other) in enumerate(itertools.pairwise(found)):
        bare = FORM.fullmatch(one.phrase.text)
        until, between = other.period.start, text[one.phrase.end : other.phrase.start]
        is_day = other.period.end - until == _DAY and is_of_calendar(other)
        if bare and is_day and _LEADS.fullmatch(between) and int(bare[1]) < until.day:
            first = until.replace(day=int(bare[1]))
            days[number] = one._replace(period=Period(first, first + _DAY))
    return days


def day_of_entry(found: list[Dated], sentence: Sentence) -> date:
    """Return the day from which later ones are counted: that of an entry of a diary, else when it was said."""
    first = found[0]
    is_past_day = first.period.end - first.period.start == _DAY and first.period.start <= sentence.said_on
    if is_past_day and is_of_calendar(first) and heads_entry(sentence, first.phrase):
        return first.period.start
    return sentence.said_on


def heads_entry(sentence: Sentence, phrase: Phrase) -> bool:
    """Return whether a date is the head of an entry: "26 Jan Noise on Friday night", "3 May: rain"."""
    return not sentence.text[: phrase.start].strip() and _ENTRY.match(sentence.text, phrase.end) is not None


def _is_open(one: Dated) -> bool:
    """Return whether a date is one of the calendar that does not state its year."""
    return is_of_calendar(one) and not has_year(one)


def _is_counted(one: Dated, said: date) -> bool:
    """Return whether a date is a short time counted from when it was said: "twelve days ago", "last week"."""
    text = plain(one.phrase.text)
    counted = not is_of_calendar(one) and not has_year(one) and text not in weekdays_of_calendar()
    return counted and one.period.end - one.period.start <= _WEEK and one.period.start != said


def _near(one: Dated, day: date) -> Dated:
    """Return a date in the year in which it is nearest to a day, as it was if it is not near in any."""
    nearest = min((in_year(one, day.year + years) for years in (0, -1, 1)), key=lambda each: _distance(each, day))
    return nearest if _distance(nearest, day) <= _CLOSE else one


def _after(one: Dated, first: Dated, *, strictly: bool) -> Dated:
    """Return a date in the year in which it is nearest to the one before it in a list; behind it as end of a range."""
    day = first.period.start
    years = (in_year(one, day.year + years) for years in ((0, 1) if strictly else (0, -1, 1)))
    return min((each for each in years if not strictly or each.period.end > day), key=lambda each: _distance(each, day))


def _distance(one: Dated, day: date) -> timedelta:
    return abs(one.period.start - day)


def _with_day(one: Dated, found: list[Dated]) -> Dated:
    """Return a bare weekday as the day beside it that is one: "7 and 8 December (Monday and Tuesday)"."""
    if plain(one.phrase.text) not in weekdays_of_calendar():
        return one
    for other in found:
        first, last = sorted((one.phrase, other.phrase), key=lambda phrase: phrase.start)
        start, end = other.period
        is_day = is_of_calendar(other) and end - start == _DAY
        if is_day and start.weekday() == one.period.start.weekday() and last.start - first.end <= _NEAR:
            return Dated(one.phrase, other.period)
    return one
