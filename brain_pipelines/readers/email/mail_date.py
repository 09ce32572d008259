"""When a mail was sent: by its Date, else by the servers that passed it on or by the mails it quotes.

A Date is not believed that a clock without a time writes (1 January 1980 and before), that lies after the mail was
received, or more than a year before the first server had it.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from email.message import Message
from email.utils import parsedate_to_datetime

from brain_pipelines.readers.document.date_label import stated_day
from brain_pipelines.readers.email.mail_message import header, headers
from brain_pipelines.readers.event_time import FUTURE_SLACK, parse_time
from brain_pipelines.readers.lexicons import LEXICONS

FIRST_MAIL = datetime(1980, 1, 3, tzinfo=UTC)  # an earlier date comes from a clock that was not set
_HOPS = 3  # headers Received that are read from either end
_LATE = timedelta(days=366)  # between Date and the first server, after which Date is not believed
_LOOKED_AT = 20_000  # characters of the body in which quoted mails are looked for
_FIELDS = LEXICONS.every_language("mail").expression("other_fields")
_QUOTED = re.compile(rf"^[\s>*]{{0,12}}(?:{_FIELDS})[*\s]{{0,3}}:[*\s]{{0,3}}(?P<time>[^\n]{{6,60}})$", re.I | re.M)
# Lotus Notes writes the time of the mail it forwards in a line of its own, or behind the name of who does.
_NOTES = re.compile(r"(?P<time>(?<!\d)\d{1,2}/\d{1,2}/(?:19|20)\d\d \d{1,2}:\d\d [AP]M)\b")


def date_of(part: Message, zone: tzinfo, latest: datetime) -> datetime | None:
    """Return when a mail was sent, in UTC; None if nothing tells it.

    Args:
        part: the mail.
        zone: for dates without an offset.
        latest: when it was received; a later Date is wrong.
    """

    def possible(stamps: Iterable[str], read: Callable[[str, tzinfo], datetime | None] = _time) -> Iterator[datetime]:
        times = (read(stamp.strip(), zone) for stamp in stamps if stamp)
        return (time for time in times if time and FIRST_MAIL <= time <= latest + FUTURE_SLACK)

    hops = [value.rpartition(";")[2] for value in headers(part, "received")]
    sent = next(possible(header(part, name) for name in ("date", "delivery-date")), None)
    first = next(possible(hops[: -_HOPS - 1 : -1]), None)
    if sent is not None and (first is None or first - sent <= _LATE):
        return sent
    passed = next(possible(hops[:_HOPS]), None)
    return first if sent is not None else passed or max(possible(_quoted(part), _quoted_time), default=None)


def _quoted(part: Message) -> Iterator[str]:
    """Yield the times of the mails that the first text of a mail forwards or answers."""
    text = next((one.get_payload() for one in part.walk() if one.get_content_maintype() == "text"), None)
    if not isinstance(text, str):
        return
    for match in _QUOTED.finditer(text[:_LOOKED_AT]):
        yield match["time"]
    for match in _NOTES.finditer(text[:_LOOKED_AT]):
        yield match["time"]


def _time(text: str, zone: tzinfo) -> datetime | None:
    try:
        found = parsedate_to_datetime(text[:100])
        if abs(found.utcoffset() or timedelta()) < timedelta(hours=24):
            # "-0000" says that the sender's zone is unknown but the time is UTC (RFC 5322, 3.3)
            place = UTC if found.tzinfo is None and text.endswith("-0000") else zone
            return (found if found.tzinfo else found.replace(tzinfo=place)).astimezone(UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        pass
    return parse_time(text[:100], zone)


def _quoted_time(text: str, zone: tzinfo) -> datetime | None:
    """Return the time in a line that a mail program writes for people: "Friday, May 18, 2001 1:25 PM"."""
    try:
        found = datetime.strptime(text, "%m/%d/%Y %I:%M %p").replace(tzinfo=zone)
    except ValueError:
        found = parse_time(text, zone) or stated_day(text, zone)
    return found.astimezone(UTC) if found else None
