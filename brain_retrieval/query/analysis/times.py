"""The time that a question names: days that restrict it, or an event that it is before, after or since.

The words before an expression decide what it bounds: "before May", "since 2022", "between March and May". Where no
expression follows such a word, what follows is an event, kept for the caller to look up: "before the launch".
"""

import re
from functools import cache

from brain_retrieval.language.lexicon import NOTHING, alternatives
from brain_retrieval.query.analysis.calendar_days import Days, beside
from brain_retrieval.query.analysis.dates import DateMention, located_dates
from brain_retrieval.query.analysis.grammar import QUESTIONS, TIMES, expression, pattern, table, words
from brain_retrieval.query.analysis.part_times import find_parts, widened
from brain_retrieval.query.analysis.question import QuestionTime, TimeKind
from brain_retrieval.query.analysis.time_forms import Found, Now, days_of, find_times, months

LOOK_BACK = 40  # characters before an expression in which its marker is
MOST_EVENT = 120  # characters
_MARKERS = ("before", "until", "after", "since", "during")
_BOUNDS = (*_MARKERS, "by")
_KINDS: dict[str, TimeKind] = {"until": "before", "named": "during"}


def find_time(text: str, low: str, language: str, now: Now, begin: int = 0) -> QuestionTime | None:
    """Return the time of a question; `low` is its text in plain form, which asks from character `begin` on."""
    found = _found(text, low, language, now)
    event = _event(text, low, language, found, begin)
    outside = [one for one in found if event is None or not event[0] <= one.start < event[1]]
    if not outside:
        return None if event is None else QuestionTime(None, None, event[2], text[event[0] : event[1]])
    first = outside[0]
    if len(outside) > 1 and (joined := _range(low, first, outside[1], language)):
        return QuestionTime(*joined, "absolute")
    return _bounded(first, _marker(low[: first.start], language))


def _found(text: str, low: str, language: str, now: Now) -> list[Found]:
    """Return parts of months, dates, other expressions, then months without a year, none where one was found before."""
    found = find_parts(low, language, now)
    for start, end, mention in located_dates(_without(text, found), language):
        is_exact = mention.year is not None or mention.day is not None
        if is_exact and (days := days_of(mention, now)):
            found.append(widened(low, Found(start, end, days, "absolute"), language))
    others = find_times(_without(low, found), language, now)
    found += [one for one in others if not _describes(text, low, one, language)]
    for match in _bare_month(language).finditer(_without(low, found)):
        month = months(language)[match["month"]]
        if days := days_of(DateMention(None, month, None), now):
            found.append(Found(match.start("month"), match.end("month"), days, "absolute", month))
    return sorted(found, key=lambda one: one.start)


def _describes(text: str, low: str, found: Found, language: str) -> bool:
    """Return whether a year only describes a thing, "the 2023 report" or "(2013 film)", and says no time."""
    if not low[found.start : found.end].isdecimal():
        return False
    if text[: found.start].endswith("("):
        return True
    follows = text[found.end : found.end + 2]
    if not follows[1:].isalpha() or (words("before_nouns", language) and follows[1:].islower()):
        return False
    return not _before_year(language).search(low[: found.start][-LOOK_BACK:])


@cache
def _before_year(language: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{expression(language, TIMES, *_BOUNDS, 'inside', 'between', 'and')})\s$")


def _without(low: str, found: list[Found]) -> str:
    for one in found:
        low = low[: one.start] + "_" * (one.end - one.start) + low[one.end :]
    return low


@cache
def _bare_month(language: str) -> re.Pattern[str]:
    marked = expression(language, TIMES, *_BOUNDS, "inside", "between", "and")
    articles = expression(language, TIMES, "articles")
    named = alternatives(months(language))
    return re.compile(rf"(?<!\w)(?:{marked})[\s'](?:(?:{articles})[\s'])?(?P<month>{named})(?!\w)")


@cache
def _before(key: str, language: str) -> re.Pattern[str]:
    """Return a pattern for a word of `key` at the end of a text, articles after it."""
    articles = expression(language, TIMES, "articles")
    marked = expression(language, TIMES, key)
    return re.compile(rf"(?<!\w)(?:{marked})(?:[\s'](?:{articles})){{0,2}}[\s']?$")


def _marker(before: str, language: str) -> str:
    near = before[-LOOK_BACK:]
    return next((key for key in _BOUNDS if _before(key, language).search(near)), "")


def _bounded(found: Found, marker: str) -> QuestionTime:
    first, last = found.days
    if marker == "before":
        return QuestionTime(None, beside(first, -1), "before")
    if marker in ("until", "by"):
        return QuestionTime(None, last, "before")
    if marker == "after":
        return QuestionTime(beside(last, 1), None, "after")
    if marker == "since":
        return QuestionTime(first, None, "since")
    return QuestionTime(first, last, found.kind)


def _range(low: str, first: Found, second: Found, language: str) -> Days | None:
    """Return the days of "between March and May 2024": the year of the second is that of the first."""
    if not _before("between", language).search(low[: first.start][-LOOK_BACK:]):
        return None
    if not _joint(language).fullmatch(low[first.end : second.start]):
        return None
    begin = first.days.first
    if first.month is not None:
        year = second.days.last.year - (first.month > second.days.last.month)
        begin = begin.replace(year=year)
    return Days(begin, second.days.last) if begin <= second.days.last else None


@cache
def _joint(language: str) -> re.Pattern[str]:
    articles = expression(language, TIMES, "articles")
    return re.compile(rf"\s?(?:{expression(language, TIMES, 'and')})\s?(?:(?:{articles})[\s'])?")


def _event(text: str, low: str, language: str, found: list[Found], begin: int) -> tuple[int, int, TimeKind] | None:
    """Return the first and last character of an event that the question refers to, and how the time lies to it."""
    hidden = _hidden(low, language, begin)
    for match in _event_marker(language).finditer(hidden):
        start = match.end()
        key = match.lastgroup or ""
        end = min(_end_of_event(text, hidden, match, language), start + MOST_EVENT)
        is_time = any(start <= one.start and not _CONTENT.search(low[start : one.start]) for one in found)
        if (
            is_time
            or not _CONTENT.search(low[start:end])
            or (match.start() < begin + 2 and key == "during" and "," not in low)
            or not _may_begin(text, low, match, language)
        ):
            continue
        phrase = text[start:end].rstrip()
        return start, start + len(phrase), _KINDS.get(key, key)  # pyright: ignore[reportReturnType]
    return None


def _hidden(low: str, language: str, begin: int) -> str:
    """Return the text without markers that are none: "look after", and "since when" where that asks for a time."""
    declares = "," in low
    asks = pattern("asks_since", language, TIMES)

    def blank(match: re.Match[str]) -> str:
        is_kept = (declares or match.start() > begin + 1) and asks.match(low, match.start())
        return match.group() if is_kept else "_" * len(match.group())

    return pattern("no_events", language, TIMES).sub(blank, low)


def _may_begin(text: str, low: str, match: re.Match[str], language: str) -> bool:
    """Return whether what follows a marker can be an event: an article, or a name of which more is said."""
    starts = expression(language, TIMES, "event_starts")
    key = match.lastgroup
    if key != "named" and (starts == NOTHING or re.match(rf"(?:{starts})(?!\w)", low[match.end() :])):
        return True
    marker = match.group().strip(" '")
    if key != "named" and marker not in words("event_names", language, TIMES):
        return False
    name = _NAMED.match(text, match.end())
    return (
        name is not None
        and name[1][:1].isupper()
        and low[name.start() : name.end(1)] not in table("units", language, TIMES)
    )


_NAMED = re.compile(r"([^\W\d_]+)(?:\s+[^\W\d_]{2,})+")
_CONTENT = re.compile(r"[^\W\d_]{4}")
_END = re.compile(r"[,;?!]|[.:](?=\s|$)|$")


def _end_of_event(text: str, low: str, marker: re.Match[str], language: str) -> int:
    """Return where the name of an event ends: at a mark, or before a word that begins another part of the question."""
    start = marker.end()
    match = _END.search(low, start)
    end = match.start() if match else len(low)
    breaks = [one.start() for one in _other_part(language).finditer(low, start, end)]
    if marker.group().strip() in words("event_prepositions", language, TIMES):
        nouns = pattern("after_nouns", language, TIMES).finditer(low, start, end)
        breaks += [one.start() for one in nouns if _follows_noun(text, start, one.start())]
    return min((place for place in breaks if _CONTENT.search(low, start, place)), default=end)


def _follows_noun(text: str, start: int, place: int) -> bool:
    """Return whether the word before a place is written as a noun: "vor dem Umzug die Miete", not "in die Berge"."""
    before = text[start:place].split()
    return bool(before) and before[-1][:1].isupper()


@cache
def _other_part(language: str) -> re.Pattern[str]:
    asks = expression(language, QUESTIONS, "who", "where", "when", "how_many", "why", "what")
    return re.compile(rf"(?<=\s)(?:{asks}|{expression(language, TIMES, 'event_ends')})(?!\w)")


@cache
def _event_marker(language: str) -> re.Pattern[str]:
    groups = "|".join(f"(?P<{key}>{expression(language, TIMES, key)})" for key in _MARKERS)
    named = expression(language, TIMES, "during_names")
    return re.compile(rf"(?<!\w)(?:{groups}|(?P<named>{named}))(?:\s|(?<='))")
