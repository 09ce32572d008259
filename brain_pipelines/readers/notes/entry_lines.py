"""The lines of a running note that begin with the day on which they were written: "2024-03-16: rent is 910 now".

Three such lines in the order of their days make a running note, two if nothing but titles stands above them. The year
may stand above: "# Garden 2024", below it "3.3. sowed the peas". Where it stands nowhere, the newest line is of the
year in which it is nearest to the day of the note, and the others precede it. A line in which the day is the first of a
period ("3 May 2024 to 9 May 2024: Rome") is none, nor are lines of a log, which have seconds.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from functools import cache, lru_cache
from itertools import pairwise

from brain_pipelines.readers.document.date_label import NOON, month_numbers
from brain_retrieval.language.lexicon import SHARED
from brain_retrieval.language.plain import plain, word_expression

LEAST_LINES, LEAST_BELOW_TITLES = 3, 2
_MOST_OUT_OF_ORDER = 0.2  # share of the lines whose day is not in the order of the others
_LAST_SHORT_YEAR = 68  # "68" is 2068, "69" is 1969, as clocks have it
_CENTURY = 100
_LONGEST_HEAD = 60  # characters before the first word of an entry
_MOST_TITLE_WORDS = 4  # beside the year
_LEAP_YEAR, _DAYS_OF_YEAR = 2000, 366  # of days whose year is not known
_SLIP = timedelta(days=45)  # what was added late may stand behind a later day
_NUMBERED, _MOST_STEPS = "short.", 0.5  # the style of numbers of sections, and which share of their steps shows them
_BARE = "bare"  # the style of "14/3 …", which also looks like a share: "3/4 cup"
_SHORTEST_WEEKDAY = 2  # letters: "Mo", "Tue"
_TITLE = re.compile(r"\s{0,3}#")
_OPENED = re.compile(
    r"[ \t]{0,8}(?:(?:[-*+•–>]|#{1,6})[ \t]{1,4})?[\[(*_]{0,3}(?:(?P<weekday>[^\W\d_]{2,13}(?:-feira)?)[.,]{0,2}[ \t])?"
)
_CLOCK = re.compile(r"[ \t,]{1,3}\d{1,2}[:h]\d\d(?P<seconds>:\d\d)?(?:[ \t]?(?:[ap]\.?m\.?|uhr|h))?(?!\w)")
_CLOSED = re.compile(
    r"[\])*_:]{0,3}(?:[ \t,]{0,2}\(\w{2,13}\.?\))?[\])*_]{0,3}"
    r"(?:[ \t]{0,4}[:|,;.–—-]{1,3}(?=\s|$)|(?=[ \t]|$))[ \t]{0,8}"
)
_LAST_DAY = re.compile(r"\d{1,2}(?:st|nd|rd|th)(?!\w)")
_TO = re.compile(r"(?:[^\W\d_]{1,5}[ \t]|[–—/-][ \t]?)?")
_BLANK_LINE = re.compile(r"\n[ \t]*\n\s*")
_YEAR_ALONE = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d)(?!\d)")
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True)
class EntryLine:
    """A line that begins at character `start` with a day, and the character at which its words begin."""

    start: int
    words: int
    day: date


@dataclass(frozen=True)
class _Line:
    """A line with a day in one style, in each reading of it: of figures the day first and the month first."""

    start: int
    words: int
    after_clock: int | None  # where the words begin behind a time of day
    readings: tuple[date | None, ...]  # of a leap year, if the year is not known
    has_year: bool


@lru_cache(maxsize=8)
def entry_lines(text: str, until: date | None = None, day_first: bool | None = None) -> tuple[EntryLine, ...]:
    """Return the lines of a running note that begin with their day, in the order of the text; none of another text.

    Days in figures are read in the way in which they are in order. If both ways are, the day comes first, unless it is
    written with slashes, which may mean either: then there are none.

    Args:
        text: of a note.
        until: its day, from which the years follow that stand nowhere; None: lines without a year are none.
        day_first: which way slashes are read that are in order both ways; None if that is not known.
    """
    styles: dict[str, list[_Line]] = defaultdict(list)
    for style, line in _lines(text):
        if line.has_year or until is not None:
            styles[style].append(line)
    style = max(styles, key=lambda one: len(styles[one]), default="")
    lines = styles[style]
    if len(lines) < LEAST_BELOW_TITLES or (len(lines) < LEAST_LINES and not _is_title(text[: lines[0].start])):
        return ()
    if style == _NUMBERED and not all(line.has_year for line in lines) and _are_numbers(lines):
        return ()
    if style.startswith(_BARE) and all(None not in line.readings for line in lines):
        return ()  # no number above 12
    days = _days_in_order(lines, either="/" in style, day_first=day_first, until=until)
    timed = all(line.after_clock is not None for line in lines)  # a time that only some have is of what they tell
    places = [line.after_clock if timed and line.after_clock is not None else line.words for line in lines]
    return tuple(map(EntryLine, [line.start for line in lines], places, days)) if days else ()


def begins_with_entry(text: str) -> bool:
    """Return whether the first line of a text is an entry, of whatever year."""
    return any(line.start == 0 for line in entry_lines(text, date(_LEAP_YEAR, 12, 31), day_first=True))


def ends_of_lists(text: str, lines: Sequence[EntryLine]) -> Iterator[int]:
    """Yield the characters at which something else follows entries that mostly stand in lines below each other."""
    if not lines:
        return
    following = [*(line.start for line in lines[1:]), len(text)]
    gaps = [_BLANK_LINE.search(text, line.words, end) for line, end in zip(lines, following, strict=True)]
    if 2 * sum(gap is None for gap in gaps[:-1]) > len(lines) - 1:
        yield from (gap.end() for gap, end in zip(gaps, following, strict=True) if gap and gap.end() < end)


def last_entry(text: str, zone: tzinfo) -> datetime | None:
    """Return noon of the last day of a running note, None of another text."""
    return max((noon_of(line.day, zone) for line in entry_lines(text)), default=None)


def noon_of(day: date, zone: tzinfo) -> datetime:
    """Return noon of a day in a time zone."""
    return datetime(day.year, day.month, day.day, NOON, tzinfo=zone)


def _is_title(text: str) -> bool:
    """Return whether a text has nothing but headings and one short line."""
    others = [line for line in text.splitlines() if line.strip() and not _TITLE.match(line)]
    return len(others) <= 1 and all(len(_WORD.findall(line)) <= _MOST_TITLE_WORDS for line in others)


def _lines(text: str) -> Iterator[tuple[str, _Line]]:
    start, year = 0, ""
    for line in text.splitlines(keepends=True):
        head = plain(line[:_LONGEST_HEAD]).rstrip()
        if found := _line(head, start, year):
            yield found
        elif above := _year_above(head):
            year = above
        start += len(line)


def _line(head: str, start: int, year: str) -> tuple[str, _Line] | None:
    for style, found in _found(head):
        clock = _CLOCK.match(head, found.end())
        words = _words_after(head, found.end())
        timed = _words_after(head, clock.end()) if clock else None
        readings = _readings(found, year)
        if words is None or not any(readings) or (clock and clock["seconds"]) or _is_period(head[words:]):
            continue
        after_clock = None if timed is None else start + timed
        has_year = bool(found.groupdict().get("year") or year)
        if _TITLE.match(head) and found.groupdict().get("year"):
            return None  # a title
        if not has_year and not clock and head[found.end() : words].strip() == ",":
            return None  # a wrapped line of prose: "December 31, so it is hard to say"
        return style + found["mark"], _Line(start, start + words, after_clock, readings, has_year)
    return None


def _found(head: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield the days with which a line may begin, behind a mark and a weekday, each with its style."""
    opened = _OPENED.match(head)
    begins = [opened.start("weekday"), opened.end()] if opened and opened["weekday"] in _weekdays() else []
    begins = begins or [0 if opened is None else opened.start("weekday") if opened["weekday"] else opened.end()]
    for style, pattern in _days().items():
        yield from ((style, found) for begin in begins if (found := pattern.match(head, begin)))


def _words_after(head: str, place: int) -> int | None:
    closed = _CLOSED.match(head, place)
    return closed.end() if closed else None


def _readings(found: re.Match[str], year: str) -> tuple[date | None, ...]:
    part = found.groupdict()
    stated = part.get("year") or year or str(_LEAP_YEAR)
    if part.get("name"):
        return (_date(stated, month_numbers()[part["name"]], part["day"]),)
    if part.get("month"):
        return (_date(stated, part["month"], part["day"]),)
    day_first = _date(stated, part["two"], part["one"])
    if part["mark"] == "." and not part.get("year"):
        return (day_first,)  # "9.30 – arrival" is a time of day
    return (day_first, _date(stated, part["one"], part["two"]))


def _date(year: str, month: str | int, day: str) -> date | None:
    number = int(year)
    if number < _CENTURY:
        number += 2000 if number <= _LAST_SHORT_YEAR else 1900
    try:
        return date(number, int(month), int(day))
    except ValueError:
        return None


def _year_above(head: str) -> str | None:
    """Return the year of a title, or of a line that has nothing else but a few words: "März 2024"."""
    years = {found["year"] for found in _YEAR_ALONE.finditer(head)}
    rest = _YEAR_ALONE.sub(" ", head)
    few = len(_WORD.findall(rest)) <= _MOST_TITLE_WORDS and not any(map(str.isdigit, rest))
    return years.pop() if few and len(years) == 1 else None


def _is_period(rest: str) -> bool:
    """Return whether the words of a line begin with another day: "to 9 May 2024: Rome", "9 May – …", "23rd in Rome"."""
    joined = _TO.match(rest)
    places = {0, joined.end() if joined else 0}
    return any(pattern.match(rest, place) for place in places for pattern in (*_days().values(), _LAST_DAY))


def _days_in_order(lines: Sequence[_Line], *, either: bool, day_first: bool | None, until: date | None) -> list[date]:
    """Return the days of lines in the reading in which they are in order, none if there is no such reading, or two."""
    ways = zip(*(line.readings for line in lines), strict=True)
    complete = [[day for day in way if day is not None] for way in ways]
    if until is not None and not all(line.has_year for line in lines):
        known = [line.has_year for line in lines]
        complete = [_in_years(days, known, until) for days in complete if len(days) == len(lines)]
    ordered = [days for days in complete if len(days) == len(lines) and _is_ordered(days)]
    if either and len(ordered) > 1 and ordered[0] != ordered[1]:
        return [] if day_first is None else ordered[0 if day_first else 1]
    return ordered[0] if ordered else []


def _in_years(days: Sequence[date], known: Sequence[bool], until: date) -> list[date]:
    """Return days in the years that follow from their order, and of the newest from `until`; none if there is none."""
    steps = [(later - day).days % _DAYS_OF_YEAR for day, later in pairwise(days) if later != day]
    falling = sum(step > _DAYS_OF_YEAR / 2 for step in steps) * 2 > len(steps)  # the newest one first
    pairs = list(zip(days, known, strict=True))
    found: list[date] = []
    for day, has_year in pairs if falling else reversed(pairs):
        if not has_year:
            in_year = _last_before(day, found[-1]) if found else _nearest(day, until)
            if in_year is None:
                return []
            day = in_year
        found.append(day)
    return found if falling else found[::-1]


def _nearest(day: date, to: date) -> date | None:
    """Return a day in the year in which it is nearest to another."""
    days = (_date(str(to.year + more), day.month, str(day.day)) for more in (0, -1, 1))
    return min((one for one in days if one), key=lambda one: abs(one - to), default=None)


def _last_before(day: date, other: date) -> date | None:
    """Return a day in the year of another or in the one before, so that it is not much later."""
    days = (_date(str(other.year - less), day.month, str(day.day)) for less in (0, 1))
    return next((one for one in days if one and one - other <= _SLIP), None)


def _are_numbers(lines: Sequence[_Line]) -> bool:
    """Return whether figures go on as the numbers of sections: "1.1.", "1.2.", "2.1."; not "1.1.", "2.1.", "3.1."."""
    numbers = [(day.day, day.month) for line in lines for day in line.readings if day]
    steps = [(later[0] - one[0], later[1] - one[1], later[1]) for one, later in pairwise(numbers)]
    within = sum(step[:2] == (0, 1) for step in steps)
    following = sum(step[0] == 1 and step[2] == 1 for step in steps)
    return within > 0 and within + following > _MOST_STEPS * len(steps)


def _is_ordered(days: Sequence[date]) -> bool:
    falling = sum(later < earlier for earlier, later in pairwise(days))
    rising = sum(later > earlier for earlier, later in pairwise(days))
    return min(falling, rising) <= _MOST_OUT_OF_ORDER * len(days)


@cache
def _days() -> dict[str, re.Pattern[str]]:
    """Return the patterns of a day by style, over plain text; `mark` is what stands between its parts."""
    month = word_expression(month_numbers())
    year = r"(?P<year>(?:19|20)\d\d|'?\d\d)(?![\d/:.]\d|\d)"
    words = word_expression(SHARED.every_language("dates").listed("of"))
    of = rf"[ -](?:(?:{words}) )?"
    return {
        "iso": re.compile(r"(?P<year>(?:19|20)\d\d)(?P<mark>[-/.])(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})(?!\d)"),
        "compact": re.compile(r"(?P<year>20\d\d)(?P<mark>)(?P<month>[01]\d)(?P<day>[0-3]\d)(?=[ \t:])"),
        "figures": re.compile(rf"(?P<one>\d{{1,2}})(?P<mark>[./-])(?P<two>\d{{1,2}})(?P=mark){year}"),
        "named": re.compile(
            rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|º|\.)?{of}(?P<name>{month})(?P<mark>)\.?,?{of}{year}"
        ),
        "month first": re.compile(
            rf"(?P<name>{month})(?P<mark>)\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>(?:19|20)\d\d)(?!\d)"
        ),
        "short": re.compile(r"(?P<one>\d{1,2})(?P<mark>[./])(?P<two>\d{1,2})(?:\.(?!\d)|(?=\s?[:–—-](?:\s|$)))"),
        _BARE: re.compile(r"(?P<one>\d{1,2})(?P<mark>/)(?P<two>\d{1,2})(?=[ \t])"),
        "short named": re.compile(
            rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|º|\.)?{of}(?P<name>{month})(?P<mark>)\b\.?(?! ?\d)"
        ),
        "short month first": re.compile(
            rf"(?P<name>{month})(?P<mark>)\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?![\w/:.,]?\d)"
        ),
    }


@cache
def _weekdays() -> frozenset[str]:
    """Return the days of the week in all languages, and their beginnings: "mo", "tue"."""
    words = [plain(word) for word in SHARED.every_language("dates").listed("weekdays")]
    return frozenset(word[:length] for word in words for length in range(_SHORTEST_WEEKDAY, len(word) + 1))
