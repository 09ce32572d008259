"""Temporal expressions of a clause → validity interval of its fact: "since March 2021", "from 2019 to 2022", "used to".

Pure functions. `date_ranges.py` resolves an expression to days, `clause_times.py` attaches it to a clause.

| in the clause | state ("live in") | start ("join", "move to") | end ("leave", "move from") |
|---|---|---|---|
| since, from, as of, starting X | from X | from X | - |
| after X | from the end of X | the same | - |
| until, through, to X | to the end of X | - | to the end of X |
| before X | to the start of X | - | - |
| in, on, during X, or X alone | from X to its end | from X | to the start of X |
| for N years, with "has" | from N years ago | - | - |
| used to, formerly, "former" | to the day of the statement | - | - |

A start or an end is dated to the first day of its period. A deadline ("by Friday") gives no bound.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, tzinfo

from brain_pipelines.stages.extraction.lexicons import LEXICONS
from brain_pipelines.stages.extraction.local.time.date_ranges import (
    COUNT,
    DAY,
    MONTH,
    SEASON,
    STEP,
    UNIT,
    WEEKDAY,
    YEAR,
    Period,
    ago,
    period_of,
)

_WORDS = LEXICONS.read("time")

FORMERLY = "formerly"
STAMP_CHARS = 30
_FROM = _WORDS.words("from")
_UNTIL = _WORDS.words("until")
_RANGE_ONLY = _WORDS.words("range_only")
_LEADING = (_FROM | _UNTIL) - _RANGE_ONLY | {"in", "during", "by", "before", "after"}  # before a month in small letters
_NOTHING = _WORDS.words("nothing")
# Verbs that begin or end a state; a starting verb gives no end.
_STARTS = _WORDS.words("starts")
_ENDS = _WORDS.words("ends")

_YEAR_AFTER = rf"(?:,? (?:of )?{YEAR}\b)?"
_ORDINAL = rf"{DAY}(?:st|nd|rd|th)?\b"
# "May 8-10", "May 8 and 9,"; "May 8 - 10 pm" is an hour and "May 8 and 9 others" are people.
_SECOND_DAY = rf"(?: ?[-–—] ?{_ORDINAL}(?! ?(?:[ap]\.?m\b|:))| and {_ORDINAL}(?= {{0,2}}(?:[,.;:()]|{YEAR}|$)))?"
_EXPRESSION = (
    rf"\d{{4}}-\d\d(?:-\d\d)?\b|\d{{1,2}}[/.]\d{{1,2}}[/.]{YEAR}\b"
    rf"|(?:{STEP} )?(?:{WEEKDAY},? )?(?:the )?{_ORDINAL} (?:of )?{MONTH}\.?{_YEAR_AFTER}"
    rf"|(?:{STEP} )?(?:{WEEKDAY},? )?{MONTH}\.? {_ORDINAL}{_SECOND_DAY}(?:,? {YEAR}\b)?"
    rf"|{WEEKDAY},? (?:the )?{DAY}(?:st|nd|rd|th)\b(?! of\b)"
    rf"|(?:the )?(?:{'|'.join(_WORDS.table('quarters'))}) quarter (?:of )?{YEAR}\b"
    rf"|(?:(?:early|mid|late)[ -])?(?:{MONTH}\.?|q[1-4]\b){_YEAR_AFTER}"
    rf"|(?:the )?(?:last|past) {COUNT} {UNIT}\b"
    rf"|(?:the )?{STEP} (?:{WEEKDAY}|weekend|week|month|quarter|year|decade|{SEASON}|{MONTH})\b"
    rf"(?! (?:of|in) (?:{MONTH}|{YEAR}))"
    rf"|(?:the )?(?:(?:early|mid|late)[ -])?{SEASON}(?: (?:of )?{YEAR})?\b"
    rf"|(?:the )?(?:(?:early|mid|late)[ -])?{YEAR}(?:'?s)?\b"
    rf"|(?<=end of )the (?:week|month|year)\b"
    rf"|(?:the )?day (?:after tomorrow|before yesterday)(?: (?:morning|afternoon|evening|night))?\b"
    rf"|(?:yesterday|tomorrow|this) (?:morning|afternoon|evening)\b|last night\b"
    rf"|(?:today|tonight|yesterday|tomorrow)\b|{WEEKDAY}\b|{COUNT} {UNIT} (?:ago|from now)\b"
)
_MARKER = _WORDS.pattern("markers")
_PHRASE = re.compile(
    rf"(?:(?<![\w/.$€£-])(?:(?P<marker>{_MARKER}) )?|(?<=\d)(?P<dash>[-–—])| (?P<spaced>[-–—]) )"
    rf"(?:(?:the )?(?:beginning|end|middle) of )?(?P<text>{_EXPRESSION})(?!\w|[/-](?!{YEAR}\b)\w)",
    re.IGNORECASE,
)
_ROUGHLY = _WORDS.pattern("roughly")
_PARTICIPLES = _WORDS.table("participles")
_LASTING = re.compile(rf"\bfor (?:(?:{_ROUGHLY}) )?(?P<text>{COUNT} {UNIT})\b", re.IGNORECASE)
_DAY_BEFORE = re.compile(
    r"(?:\b(?:from|between|on) )?\b(?P<day>\d{1,2})(?:st|nd|rd|th)?(?: to | and |[-–]| [-–] )$", re.I
)
_DAY_OF_MONTH = re.compile(rf"(?:the )?{_ORDINAL} (?:of )?(?P<rest>{MONTH}.*)", re.IGNORECASE)
_TWO_DAYS = re.compile(
    rf"(?P<first>.*?{DAY}(?:st|nd|rd|th)?)(?P<mark> ?[-–—] ?| and )(?P<last>{_ORDINAL})(?P<year>.*)", re.I
)
_NAME_OF_MONTH = re.compile(MONTH, re.IGNORECASE)
_BARE_YEAR = re.compile(YEAR)
_ENDS_IN_YEAR = re.compile(rf"\b{YEAR}$")


@dataclass(frozen=True)
class TimePhrase:
    """A temporal expression with its marker word ("" if none) at characters `start` to `end` of its block.

    `direction` resolves expressions without a year, see `date_ranges.period_of`. `onset` marks a time at which a state
    began or ended ("stopped using it in May"), whatever the predicate.
    """

    marker: str
    text: str
    start: int
    end: int
    direction: int = -1
    onset: bool = False


def find_phrases(text: str) -> Iterator[TimePhrase]:
    """Yield the temporal expressions of a text without overlaps: dated ones in order, then durations ("for two years").

    Dates in square brackets ("[5 May 2021]") are time stamps of lines and are skipped.
    """
    found: list[TimePhrase] = []
    for match in _PHRASE.finditer(text):
        before = text[max(0, match.start() - STAMP_CHARS) : match.start()]
        if before.rfind("[") > before.rfind("]"):
            continue
        marker = (match["marker"] or match["dash"] or match["spaced"] or "").lower()
        phrase = TimePhrase(marker, match["text"], match.start(), match.end())
        if both := _two_days(phrase, match.start("text")):
            found += both
            continue
        # Ranges: the first expression is rewritten as "from …", completed with the month or year of the second.
        if days := _first_day(text, match):
            found.append(days)
            phrase = replace(phrase, marker="to", start=match.start("text"))
        elif marker in _RANGE_ONLY:
            first = found[-1] if found and match.start() - found[-1].end <= 1 else None
            if first and first.marker not in _UNTIL and (marker != "and" or first.marker == "between"):
                found[-1] = _first_of_range(first, phrase)
            else:
                phrase = replace(phrase, marker="", start=match.start("text"))
        found.append(phrase)
    yield from (phrase for phrase in found if not _is_doubtful(phrase))
    for match in _LASTING.finditer(text):
        yield TimePhrase("for", match["text"], match.start(), match.end())


def _two_days(phrase: TimePhrase, start: int) -> list[TimePhrase]:
    """Return the first and the last day of "May 8-10, 2024", or both days of "May 8 and 9"; else none."""
    days = _TWO_DAYS.fullmatch(phrase.text)
    month = _NAME_OF_MONTH.search(days["first"]) if days else None
    if days is None or month is None or phrase.text[:1].isdigit():
        return []
    joined = days["mark"] == " and "
    first = replace(
        phrase,
        marker=phrase.marker if joined else "from",
        text=days["first"] + days["year"],
        end=start + days.end("first"),
    )
    last = f"{month[0]} {days['last']}{days['year']}"
    return [first, replace(phrase, marker="" if joined else "to", text=last, start=start + days.start("last"))]


def _first_day(text: str, match: re.Match[str]) -> TimePhrase | None:
    """Return the start of a range whose month is given once ("from 3 May" of "from 3 to 7 May"), else None."""
    start = match.start("text")
    day = _DAY_BEFORE.search(text, max(0, start - STAMP_CHARS), start)
    month = _DAY_OF_MONTH.fullmatch(match["text"])
    if day is None or month is None:
        return None
    end = next(n for n in range(day.end("day"), start + 1) if n == start or not text[n].isalnum())
    return TimePhrase("from", f"{day['day']} {month['rest']}", day.start(), end)


def _first_of_range(first: TimePhrase, last: TimePhrase) -> TimePhrase:
    """Return the first expression of a range as its start, with the year of the last: "May to July 2020"."""
    year = _ENDS_IN_YEAR.search(last.text)
    text = f"{first.text} {year[0]}" if year and not _ENDS_IN_YEAR.search(first.text) else first.text
    return replace(first, text=text, marker="from")


def _is_doubtful(phrase: TimePhrase) -> bool:
    """Return whether an expression is ambiguous: a bare number, or a word such as "may" or "fall"."""
    text = phrase.text
    if _BARE_YEAR.fullmatch(text) or text.lower() in ("spring", "summer", "autumn", "fall", "winter"):
        return phrase.marker in ("", "at", "about", "than", "for")
    if text.endswith(" may") and text.lower().startswith("this"):
        return True  # "this may help"
    name = text.split(" ")[0].rstrip(".")
    if name.isupper() and name == text and len(name) < 4:
        return True  # "a DEC computer"
    small = name.islower() and (len(name) < 5 or name == "march") and bool(re.fullmatch(MONTH, name))
    return small and phrase.marker not in _LEADING  # "june called", "it may help", but "in june"


def stated_between(
    phrases: Sequence[TimePhrase], predicate: str, said_at: datetime, zone: tzinfo
) -> tuple[datetime | None, datetime | None]:
    """Return the half-open validity interval that a clause states for its fact, in UTC; None for a bound not stated.

    Expressions are resolved relative to the day of `said_at` in `zone`; bounds are midnights of `zone`.
    """
    if not phrases:
        return None, None
    said = said_at.astimezone(zone).date()
    start = end = None
    for phrase in phrases:
        first, last = _bounds(phrase, predicate, said)
        start, end = start or first, end or last
    # Contradictory bounds mean that an expression was misread.
    if start and end and start >= end:
        return None, None
    return _moment(start, zone), _moment(end, zone)


def _moment(day: date | None, zone: tzinfo) -> datetime | None:
    if day is None or not 1 < day.year < 9999:
        return None
    return datetime.combine(day, time(), zone).astimezone(UTC)


def _bounds(phrase: TimePhrase, predicate: str, said: date) -> tuple[date | None, date | None]:
    if phrase.marker == FORMERLY:
        return None, said
    if phrase.marker == "for":
        return _ago(phrase.text, said), None
    period = period_of(phrase.text, said, phrase.direction)
    if period is None or phrase.marker in _NOTHING:
        return None, None
    change = _change(predicate)
    if phrase.marker in _FROM or phrase.marker == "after":
        return (None if change == "end" else period.end if phrase.marker == "after" else period.start), None
    if phrase.marker in _UNTIL:
        return None, (None if change == "start" else period.end)
    if phrase.marker == "before":
        return None, (period.start if change == "state" else None)
    return _within(period, "start" if phrase.onset else change)


def _within(period: Period, change: str) -> tuple[date | None, date | None]:
    if change == "start":
        return period.start, None
    return (None, period.start) if change == "end" else (period.start, period.end)


def _change(predicate: str) -> str:
    """Classify a predicate in lemma form as a "state", or the "start" or "end" of one."""
    verb, *rest = [word for word in predicate.lower().split(" ") if word != "be"] or [""]
    if verb in _ENDS or rest[-1:] == ["from"] and verb in ("move", "switch", "relocate", "migrate", "transfer"):
        return "end"
    is_start = _PARTICIPLES.get(verb, verb.removesuffix("ed")) in _STARTS or verb.removesuffix("d") in _STARTS
    return "start" if is_start else "state"


def _ago(text: str, said: date) -> date | None:
    """Return the first day of a duration that ends on `said` ("for three years"), None if it is not a duration."""
    try:
        return ago(text, said)
    except (ValueError, OverflowError):
        return None
