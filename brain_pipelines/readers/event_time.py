"""Event time of a file: when its content happened. The first rule that applies wins:

1. given     stated by the sender (`--event-time`)
2. content   message times, the front matter's date, a web page's publication date
3. metadata  a Word file's or PDF's creation date; not if its name states an earlier day, of which it is then
4. name      an ISO date in the file name, 2026-01-05, 2026 01 05 or 20260105, or a week or month, 2026-W02, 2026-01, or
             a day below a folder of its year or month, 2026/01-05, 2026/01/05, 2026-01/05, or a folder named after an
             earlier year;
             a day with its year last, 05-01-2026 (day first, unless the second number is above 12), 5 January 2026
5. file      the file's modification time

A time without an offset is in the user's time zone; a date without a time means noon there, which is the same date
in all time zones but the outermost. Standard library only and bounded, because it runs at every landing.
"""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import unquote

from brain_pipelines.readers.contract import Delivery, Item
from brain_pipelines.readers.document.date_label import days_in_name
from brain_pipelines.readers.period_name import period_in_name
from brain_retrieval.language.lexicon import SHARED, number_of

FUTURE_SLACK = timedelta(days=1)  # clocks differ, and so do time zones
FIRST_YEAR, LAST_YEAR = 1500, 2200  # diaries and letters are older than computers
# What systems write for an unknown time: the zeros of Windows files, spreadsheets, NTP, old Macintoshes and Unix.
_PLACEHOLDERS = frozenset(date(*day) for day in ((1601, 1, 1), (1899, 12, 30), (1899, 12, 31), (1900, 1, 1)))
_PLACEHOLDERS |= {date(1904, 1, 1), date(1970, 1, 1)}
_COMPACT_SINCE = 1970  # eight figures of an earlier year are rather a number: 18120417
NOON = time(12)
LOOKED_AT = 1_000  # bytes of a text whose name states a period
_OF_TEXTS = (".md", ".txt")

_ISO = re.compile(
    r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})"
    r"(?:[T ,]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*([AaPp]\.?[Mm]\.?)?\s*(Z|z|UTC|[+-]\d{2}:?\d{2})?)?"
)
_MONTHS = {name[:3]: number for name, number in number_of(SHARED.read("dates").listed("months")).items()}
_WORDS = re.compile(
    r"(?:(?P<d1>\d{1,2})(?:st|nd|rd|th)?\.?\s+(?:of\s+)?(?P<m1>[A-Za-z]{3,9})|(?P<m2>[A-Za-z]{3,9})\.?\s+(?P<d2>\d{1,2}))"
    r"(?:st|nd|rd|th)?,?\s+(?P<y>\d{4})"
)
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([AaPp]\.?[Mm]\.?)?")
_IN_NAME = re.compile(
    r"(?<!\d)(\d{4})(?:-(\d{2})-(\d{2})|_(\d{2})_(\d{2})|\.(\d{2})\.(\d{2})|(\d{2})(\d{2})| (\d{2}) (\d{2}))(?!\d)"
)


_YEAR_FOLDER = re.compile(r"(?:19|20)\d\d")
_MONTH_FOLDER = re.compile(r"(?:(?P<year>(?:19|20)\d\d)[-_])?(?P<month>\d\d)(?:[-_ ][^\W\d_]{3,12})?")
_MONTH_AND_DAY = re.compile(r"(?<!\d)(?<!\d[-_])(\d\d)[-_](\d{1,2})(?![-_]?\d)")
_SUFFIX = re.compile(r"\.[^\W\d_]\w{0,7}$")
_TWO_FIGURES = re.compile(r"\d\d")
_DAY = re.compile(r"\d\d(?!\d)")
# What cameras, phones and desktops write behind the date: 101112, 10.11.12, 10-11-12, "at 9.05.12 PM"
_CLOCK_IN_NAME = re.compile(
    r"[ _T-]{1,3}(?:(?:at|um|à|a las|alle|om|kl\.?)\s+)?"
    r"(?:(\d{2})(\d{2})(\d{2})(?:\d{3})?|(\d{1,2})([.:_-])(\d{2})\5(\d{2}))(?![\d])\s*([AaPp]\.?[Mm]\b)?",
    re.I,
)


def file_name(uri: str) -> str:
    """Return the decoded file name of a source uri, without the fragment of an item."""
    return unquote(uri.split("#", 1)[0].rpartition("/")[2], errors="replace")


def locate_whole(
    delivery: Delivery, zone: tzinfo, inside: Callable[[], tuple[datetime | None, str]], *, pictured: bool = False
) -> Item:
    """Return the item of a file that is read as a whole.

    Args:
        delivery: the landed file.
        zone: the user's time zone.
        inside: gives the time found in the file, or None, and "content" or "metadata"; may fail on bad content.
        pictured: the metadata are those of a camera, which knows better than a name when a picture was taken.
    """
    if delivery.event_time is not None:
        return Item("", delivery.event_time.astimezone(UTC), "given")
    try:
        found, origin = inside()
    except Exception:  # whatever a hostile file provokes: it lands, and the read stage says what is wrong with it
        found, origin = None, ""
    if found is None:
        return Item("", *from_outside(delivery, zone))
    if named := _exported_later(delivery, zone, found) if origin == "metadata" and not pictured else None:
        return Item("", named, "name")
    return Item("", found, origin)


def _exported_later(delivery: Delivery, zone: tzinfo, made: datetime) -> datetime | None:
    """Return the day in the name of a file that was made after it: minutes are printed days after the meeting."""
    name = file_name(delivery.uri)
    first = date_in_name(name, zone)
    before = [day for day in [first, *_year_last(name, zone)] if day and _day(day, zone) < _day(made, zone)]
    return max(before, default=None)  # of a day that may be either way round, the one that the file is nearer to


def _day(moment: datetime, zone: tzinfo) -> date:
    return moment.astimezone(zone).date()


def from_outside(delivery: Delivery, zone: tzinfo) -> tuple[datetime, str]:
    """Return the time from a file's name, else its modification time, and which it was: "name" or "file"."""
    name = file_name(delivery.uri)
    named = date_in_name(name, zone) or _period(name, delivery, zone) or date_in_folders(delivery.uri, zone)
    named = named or _year_in_folders(delivery, zone)
    return (named, "name") if named else (delivery.mtime.astimezone(UTC), "file")


def _period(name: str, delivery: Delivery, zone: tzinfo) -> datetime | None:
    """Return the end of the week or month in the name of a text, or in its folders ("2018/28/index.md").

    None for other files.
    """
    if not name.endswith(_OF_TEXTS):
        return None
    folders = unquote(delivery.uri.split("#", 1)[0], errors="replace").rpartition(":")[2].split("/")[:-1]
    year, number = folders[-2:] if len(folders) > 1 else ("", "")
    if _YEAR_FOLDER.fullmatch(year) and _TWO_FIGURES.fullmatch(number) and not name[:1].isdigit():
        name = f"{year}-{number}.md"
    try:
        with delivery.path.open("rb") as file:
            beginning = file.read(LOOKED_AT).decode("utf-8", "replace")
    except OSError:
        return None
    return period_in_name(name, beginning, zone, changed=delivery.mtime)


def date_in_name(name: str, zone: tzinfo) -> datetime | None:
    """Return the first ISO date in a file name and the clock time right behind it, else noon; in UTC.

    Without one it is a day with its year last: "28-01-2011", "notulen 2 juli 2018".

    The names of Pixel phones, PXL_…, are in UTC; all others are meant in the user's time zone.
    """
    place = UTC if name.startswith("PXL_") else zone
    for match in _IN_NAME.finditer(name):
        year, month, day = (int(group) for group in match.groups() if group)
        if match[8] and year < _COMPACT_SINCE:
            continue
        if found := _build(place, year, month, day, _clock_in_name(name, match.end()) or NOON):
            return found
    return next(iter(_year_last(name, zone)), None)


def _year_last(name: str, zone: tzinfo) -> list[datetime]:
    """Return the readings of a day with its year last in a file name, in UTC: "28-01-2011", "2 July 2018"."""
    return [day.astimezone(UTC) for day in days_in_name(_SUFFIX.sub("", name), zone)]


def _year_in_folders(delivery: Delivery, zone: tzinfo) -> datetime | None:
    """Return the evening of the last day of the year that a folder is named after; None if the file is of that year.

    A file keeps the time of a copy, and the folder it was sorted into says when it was written.
    """
    folders = unquote(delivery.uri.split("#", 1)[0], errors="replace").rpartition(":")[2].split("/")[:-1]
    year = next((int(each) for each in reversed(folders) if _YEAR_FOLDER.fullmatch(each)), None)
    if year is None or year >= delivery.mtime.astimezone(zone).year:
        return None
    return datetime(year, 12, 31, 18, tzinfo=zone).astimezone(UTC)


def date_in_folders(uri: str, zone: tzinfo) -> datetime | None:
    """Return the day that a file and the folders above it state together, noon in UTC: "2026/07-17", "2026-01/05"."""
    *folders, name = unquote(uri.split("#", 1)[0], errors="replace").rpartition(":")[2].split("/")
    if not folders:
        return None
    month = _MONTH_FOLDER.fullmatch(folders[-1])
    above = folders[-2] if len(folders) > 1 else ""
    if month and (year := month["year"] or _YEAR_FOLDER.fullmatch(above) and above):
        day = _DAY.match(name)
        return _build(zone, int(year), int(month["month"]), int(day[0])) if day else None
    stated = _MONTH_AND_DAY.search(name) if _YEAR_FOLDER.fullmatch(folders[-1]) else None
    return _build(zone, int(folders[-1]), int(stated[1]), int(stated[2])) if stated else None


def _clock_in_name(name: str, start: int) -> time | None:
    match = _CLOCK_IN_NAME.match(name, start)
    if not match:
        return None
    hour, minute, second, hour_2, _, minute_2, second_2, half = match.groups()
    return _clock(hour or hour_2, minute or minute_2, second or second_2, half)


def parse_time(value: Any, zone: tzinfo) -> datetime | None:
    """Parse a time as export tools write it to an aware UTC time; None if it is not one.

    Understood: ISO 8601 in its usual spellings, Unix seconds, milliseconds and microseconds (number or digits),
    RFC 2822, "5 January 2026", "January 5, 2026" and these with a clock time in front or behind. Epoch 0 and years
    outside 1500–2200 are placeholder values and give None, as are the zeros of other systems (1601, 1900, 1904).
    """
    found = _parsed(value, zone)
    return None if found is not None and found.astimezone(zone).date() in _PLACEHOLDERS else found


def _parsed(value: Any, zone: tzinfo) -> datetime | None:
    if isinstance(value, datetime):
        return _utc(value, zone)
    if isinstance(value, date):
        return _build(zone, value.year, value.month, value.day)
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return _from_epoch(value)
    if not isinstance(value, str) or len(value) > 100:
        return None
    text = value.strip()
    if re.fullmatch(r"\d{9,16}(\.\d+)?", text):
        return _from_epoch(float(text))
    return _from_iso(text, zone) or _from_words(text, zone) or _from_mail(text, zone)


def _from_epoch(number: float) -> datetime | None:
    for scale in (1, 1_000, 1_000_000):
        if 1e8 * scale <= number < 7.2e9 * scale:  # 1973 to 2198
            return datetime.fromtimestamp(number / scale, UTC)
    return None


def _from_iso(text: str, zone: tzinfo) -> datetime | None:
    match = _ISO.match(text)
    if not match:
        return None
    year, month, day, hour, minute, second, fraction, half, offset = match.groups()
    if hour is None:
        return _build(zone, int(year), int(month), int(day))
    clock = _clock(hour, minute, second, half)
    if clock is None:
        return None
    micro = int((fraction or "0")[:6].ljust(6, "0"))
    place = _offset(offset) if offset else zone
    return _build(place, int(year), int(month), int(day), clock.replace(microsecond=micro)) if place else None


def _from_words(text: str, zone: tzinfo) -> datetime | None:
    match = _WORDS.search(text)
    month = _MONTHS.get((match["m1"] or match["m2"])[:3].lower()) if match else None
    if not match or not month or re.search(r"[+-]\d{4}\b|\bGMT\b|\bUTC\b", text):  # with an offset it is a mail date
        return None
    found = _CLOCK.search(text[: match.start()] + " " + text[match.end() :])
    clock = _clock(*found.groups()) if found else NOON
    return _build(zone, int(match["y"]), month, int(match["d1"] or match["d2"]), clock) if clock else None


def _from_mail(text: str, zone: tzinfo) -> datetime | None:
    try:
        return _utc(parsedate_to_datetime(text), zone)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _clock(hour: str, minute: str, second: str | None, half: str | None) -> time | None:
    hours = int(hour)
    if half:
        hours = hours % 12 + (12 if half[0] in "pP" else 0)
    try:
        return time(hours, int(minute), min(int(second or 0), 59))
    except ValueError:
        return None


def _offset(text: str) -> tzinfo | None:
    if text.upper() in ("Z", "UTC"):
        return UTC
    hours, minutes = int(text[1:3]), int(text[-2:])
    if hours > 15 or minutes > 59:
        return None
    return timezone((1 if text[0] == "+" else -1) * timedelta(hours=hours, minutes=minutes))


def _build(zone: tzinfo, year: int, month: int, day: int, clock: time = NOON) -> datetime | None:
    try:
        return _utc(datetime.combine(date(year, month, day), clock), zone)
    except ValueError:
        return None


def _utc(value: datetime, zone: tzinfo) -> datetime | None:
    if not FIRST_YEAR <= value.year <= LAST_YEAR:
        return None
    aware = value if value.tzinfo else value.replace(tzinfo=zone)
    return aware.astimezone(UTC)
