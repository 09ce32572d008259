"""The day that a note states above its text: "**Fecha:** Domingo 11/02/2024", "# Week 1: 28-07-2017"."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from functools import cache

from brain_pipelines.readers.lexicons import LEXICONS
from brain_retrieval.language.lexicon import SHARED, number_of
from brain_retrieval.language.plain import plain, word_expression

HEAD_CHARS, HEAD_LINES = 2_000, 25
NOON = 12  # the same date in all time zones but the outermost
TITLE_LINES, MOST_WORDS = 4, 4  # lines that may be a title; words in it beside the day
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(?P<title>[^\n]{1,120})$", re.MULTILINE)
_LINE_OF_LABEL = re.compile(r"^[^\n:\d]{3,40}:[^\n]{5,60}$", re.MULTILINE)
_ASIDE = re.compile(r"(?P<subject>[^()]+)\([^()]*\)\s*")
_WORD = re.compile(r"[^\W\d_]{2,}")
_KEY_WORD = re.compile(r"[^\W\d_]+")
LONGEST_TITLE = 120
_MOST_BEFORE_ASIDE = 2  # words
_MOST_IN_DAY = 3  # words of a day: "Montag, den 3. Mai 2024."
_ONE_TITLE = timedelta(days=366)
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,200}>|#(?=[^\W\d])[\w-]{1,40}")  # of HTML; "#journal"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_ISO = re.compile(rf"(?<!\d){_YEAR}-(?P<month>\d\d)-(?P<day>\d\d)(?!\d)")
_FIGURES = re.compile(rf"(?<!\d)(?P<day>\d{{1,2}})(?P<mark>[./-])(?P<month>\d{{1,2}})(?P=mark){_YEAR}(?!\d)")
_LAST_MONTH = 12
_JOINTS = re.compile(r"[-_ ]+")  # what stands between the words of a file's name
_DAY_FIRST = re.compile(
    r"(?<![^\W_])(?<!\d[-._ ])(?P<first>\d{1,2})(?P<mark>[-._ ])(?P<second>\d{1,2})(?P=mark)"
    r"(?P<year>(?:19|20)\d\d)(?![-._]?\d)"
)


def labelled_date(text: str, zone: tzinfo) -> datetime | None:
    """Return noon of the first day that stands behind a label for a date, None if there is none.

    A day in figures is day, month, year; with slashes behind the English word it may be either, and counts only where
    one of both is above twelve.
    """
    for line in text[:HEAD_CHARS].splitlines()[:HEAD_LINES]:
        labelled = _label().match(plain(line))
        if labelled and (day := _day_of(plain(line)[labelled.end() :], zone, english=labelled["word"] in _english())):
            return day
    return None


def labelled_days(text: str, zone: tzinfo) -> Iterator[tuple[int, datetime]]:
    """Yield the place of each line of its own that states a day behind a label and a colon, with noon of that day."""
    for match in _LINE_OF_LABEL.finditer(text):
        line = plain(match.group())
        labelled = _label().match(line)
        if labelled and "|" not in line:
            day = _day_of(line[labelled.end() :], zone, english=labelled["word"] in _english(), words=MOST_WORDS)
            if day:
                yield match.start(), day


def stated_day(value: str, zone: tzinfo) -> datetime | None:
    """Return noon of the day that the value of a field states, by the rules of `labelled_date`."""
    return _day_of(plain(value), zone, english=True)


def titled_date(text: str, zone: tzinfo) -> datetime | None:
    """Return noon of the day in the title of a note: "# Week 1: 28-07-2017", "3 May 2024".

    A title is one of the first lines or a heading, and has at most four words beside its day. Where several headings
    have a day, as in a journal of one file, it is the last of these days. First lines with days that are more than a
    year apart are a list, as of birthdays, and no titles, nor is a sentence: "The move is on 1 September 2025."
    """
    lines = [line for line in text[:HEAD_CHARS].splitlines() if line.strip()][:TITLE_LINES]
    headings = [match["title"] for match in _HEADING.finditer(text)]
    first, found = (
        [day for line in some if (day := _titled(line, zone))]
        for some in ([line for line in lines if not (_HEADING.match(line) or _is_sentence(line))], headings)
    )
    return max([*found, *(first if first and max(first) - min(first) <= _ONE_TITLE else ())], default=None)


def _is_sentence(line: str) -> bool:
    return len(_WORD.findall(line)) > _MOST_IN_DAY and line.rstrip().endswith((".", "!", "?"))


def _titled(line: str, zone: tzinfo) -> datetime | None:
    title = _TAG.sub(" ", line)
    if len(title) > LONGEST_TITLE or not any(map(str.isdigit, title)):
        return None
    return _day_of(plain(title), zone, english=True, words=MOST_WORDS)


def day_in_title(title: str, zone: tzinfo) -> datetime | None:
    """Return noon of the day that a title states beside at most four words, by the rules of `titled_date`.

    A day in brackets behind more than two words is one of the subject: "Goals of the beta test (22 January 2025)".
    """
    aside = _ASIDE.fullmatch(title)
    if aside and len(_WORD.findall(aside["subject"])) > _MOST_BEFORE_ASIDE:
        return None
    return _day_of(plain(title), zone, english=True, words=MOST_WORDS) if any(map(str.isdigit, title)) else None


def days_in_name(stem: str, zone: tzinfo) -> tuple[datetime, ...]:
    """Return noon of the day in a file's name that is written with its year last: "28-01-2011", "2 July 2018".

    Of a day in figures that may be either way round ("03-04-2024") both readings, the one with the day first before the
    other. Empty if there is none.
    """
    words = plain(_JOINTS.sub(" ", stem))
    if found := _named().search(words):
        part = found.groupdict()
        month = month_numbers()[part["name"] or part["name2"]]
        days = [(int(part["year"] or part["year2"]), month, int(part["day"] or part["day2"]))]
    elif found := _DAY_FIRST.search(stem):
        year, first, second = int(found["year"]), int(found["first"]), int(found["second"])
        days = [(year, second, first), (year, first, second)]
    else:
        return ()
    noons = (_noon(*day, zone) for day in days)
    return tuple(dict.fromkeys(noon for noon in noons if noon))


def _noon(year: int, month: int, day: int, zone: tzinfo) -> datetime | None:
    try:
        return datetime(year, month, day, NOON, tzinfo=zone)
    except ValueError:
        return None


def dated_key(key: str) -> bool:
    """Return whether a field's name has a word for a day: "week_ending", "pubDatetime"."""
    return not _keys().isdisjoint(plain(word) for word in _KEY_WORD.findall(key))


def _day_of(text: str, zone: tzinfo, *, english: bool, words: int | None = None) -> datetime | None:
    """Return the first day in a text in lower case; with `words`, only if it has at most as many others."""
    for pattern in (_ISO, _FIGURES, _named()):
        if found := pattern.search(text):
            if words is not None and len(_WORD.findall(text[: found.start()] + " " + text[found.end() :])) > words:
                return None
            part = found.groupdict()
            name = part.get("name") or part.get("name2")
            month = month_numbers()[name] if name else int(part["month"])
            day = int(part.get("day") or part["day2"])
            if english and part.get("mark") == "/":
                if day <= _LAST_MONTH and month <= _LAST_MONTH and day != month:
                    return None
                day, month = (day, month) if month <= _LAST_MONTH else (month, day)
            return _noon(int(part.get("year") or part["year2"]), month, day, zone)
    return None


@cache
def _label() -> re.Pattern[str]:
    words = word_expression(LEXICONS.every_language("date_labels").listed("labels"))
    return re.compile(rf"[\s>*_#|-]{{0,8}}(?P<word>{words})[*_\s]{{0,6}}[:|][*_\s]{{0,6}}")


@cache
def _keys() -> frozenset[str]:
    return frozenset(plain(word) for word in LEXICONS.every_language("date_labels").listed("keys"))


@cache
def _english() -> frozenset[str]:
    return LEXICONS.read("date_labels").words("labels")


@cache
def month_numbers() -> dict[str, int]:
    """Return the number of a month by its name, long or short, in plain text of any language."""
    found: dict[str, int] = {}
    for code in SHARED.languages("dates"):
        dates = SHARED.read("dates", code)
        found |= {plain(name): number for name, number in number_of(dates.listed("months")).items()}
        found |= {plain(name): number for name, number in dates.table("short_months").items()}
    for code in LEXICONS.languages("date_labels"):
        others = enumerate(LEXICONS.read("date_labels", code).listed("months"))
        found |= {plain(name): place % _LAST_MONTH + 1 for place, name in others if plain(name) not in found}
    return found


@cache
def _named() -> re.Pattern[str]:
    month = word_expression(month_numbers())
    day = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|\.)?\s(?:de\s|d')?"
    other = rf"(?P<name2>{month})\.?\s(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?,?\s(?P<year2>(?:19|20)\d\d)"
    return re.compile(rf"(?<!\d){day}(?P<name>{month})\.?,?\s(?:de\s|del\s)?{_YEAR}(?!\d)|(?<!\w){other}(?!\d)")
