"""Reader of chats written as text: exports of phones, logs of IRC and of chat servers → messages with their times.

What the program itself says (who joined, what was left out) is no message. Lines without a stamp belong to the message
above. A day such as 03/04/24 is read in the order that gives days of the calendar which do not run backwards.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import pairwise
from pathlib import Path

from brain_pipelines.readers.chat.chat_message import MAX_SPEAKER, Message
from brain_pipelines.readers.chat.log_lines import (
    LogLine,
    has_picture,
    header_name,
    new_day,
    plain,
    possible_days,
    read_line,
    without_notes,
)
from brain_pipelines.readers.dates import beginning
from brain_pipelines.readers.document.plain_text import read_plain
from brain_pipelines.readers.formats import Format
from brain_pipelines.readers.text_reader import TextReader

LEAST = 3  # messages
LOOKED_AT = 6  # lines, of which one has a stamp
LEAST_STAMPED, LEAST_IRC = 0.2, 0.5  # share of lines; messages of phones may have many lines
BACKWARDS = timedelta(days=1)
MIDNIGHT = timedelta(hours=6)  # a clock that goes back by more tells the next day
_ASIDE = "{"  # "{Attachments}": what follows is no text


def is_chat_log(start: bytes, complete: bool) -> bool:
    """Return whether a text that begins with `start` is a chat: lines with a stamp begin soon and are many."""
    lines = [line for line in start.decode("utf-8", "replace").splitlines() if line.strip()]
    if not complete:
        lines = lines[:-1]
    if not lines or not any(read_line(line) for line in lines[:LOOKED_AT]):
        return False
    found = [one for line in lines if (one := read_line(line))]
    irc = sum(one.irc for one in found)
    spoken = sum(bool(one.name) and bool(one.text) for one in found)
    headers = sum(one.text is None for one in found)
    if irc >= max(LEAST, LEAST_IRC * len(lines)):  # also of a log whose first hours have only who came and went
        return True
    if spoken < LEAST:  # words below a line that says who: every second line at most is such a line
        return LEAST <= headers <= len(lines) / 2 and headers >= LEAST_STAMPED * len(lines)
    if irc:
        return False
    opening = read_line(lines[0])  # an export begins with a message, and messages may be long
    return (opening is not None and opening.text is not None) or len(found) >= LEAST_STAMPED * len(lines)


def read_log(text: str, zone: tzinfo, day: date | None) -> list[Message]:
    """Return the messages of a chat in order, with the span of their lines.

    Args:
        text: the decoded file.
        zone: the user's, in which the clock of the log is taken to be.
        day: of logs that state only the clock; None: such messages have no time.
    """
    stamped: list[tuple[LogLine, Message]] = []
    position, number = 0, 0
    on: date | None = None  # as the program states it above the lines
    pictured = False
    for number, line in enumerate(text.split("\n"), 1):
        end = position + len(line.rstrip())
        if stated := new_day(line):
            on = stated
        elif found := _on_day(read_line(line), on):
            name = found.name or (header_name(line) if found.text is None else "")
            words = plain(found.text or "").strip()
            pictured = has_picture(line)
            stamped.append((found, Message(name[:MAX_SPEAKER], words, None, None, None, position, end, number)))
        elif stamped and line.strip():
            found, said = stamped[-1]
            words = plain(without_notes(line, pictured=pictured)).strip()
            stamped[-1] = (found, replace(said, text=f"{said.text}\n{words}", raw_end=end))
        position += len(line) + 1
    below = _words_stand_below(stamped)
    times = _times([found for found, _ in stamped], zone, day)
    kept = [
        replace(said, text=_without_asides(said.text), time=time)
        for (found, said), time in zip(stamped, times, strict=True)
        if found.name or below
    ]
    session = None if any(found.stamp.day for found, _ in stamped) or day is None else day.isoformat()
    return [replace(said, session=session) for said in kept if said.text and said.speaker]


def _words_stand_below(stamped: Sequence[tuple[LogLine, Message]]) -> bool:
    """Return whether lines with a stamp only say who speaks."""
    headers = sum(found.text is None for found, _ in stamped)
    return headers * 2 > len(stamped)


def _on_day(line: LogLine | None, on: date | None) -> LogLine | None:
    """Return a line that states only a clock with the day above it."""
    if line is None or on is None or line.stamp.day:
        return line
    return replace(line, stamp=replace(line.stamp, day=(on.year, on.month, on.day), ordered=True))


def _without_asides(text: str) -> str:
    lines = text.split("\n")
    asides = (n for n, line in enumerate(lines) if line.startswith(_ASIDE) and line.endswith("}"))
    return "\n".join(lines[: next(asides, len(lines))]).strip()


def _times(lines: Sequence[LogLine], zone: tzinfo, day: date | None) -> list[datetime | None]:
    day_first = is_day_first(lines)
    times: list[datetime | None] = []
    before: datetime | None = None
    for line in lines:
        stated = line.stamp.day
        on = possible_days(stated, day_first=day_first) if stated else day
        local = None if on is None else datetime.combine(on, line.stamp.clock)
        if local and not stated and before:  # the clock alone, behind midnight
            while local + MIDNIGHT < before:
                local += timedelta(days=1)
        before = local or before
        times.append(None if local is None else local.replace(tzinfo=zone).astimezone(UTC))
    return times


def is_day_first(lines: Sequence[LogLine]) -> bool:
    """Return whether the days of a log have the day before the month."""
    stamps = [line.stamp for line in lines if line.stamp.day]
    if any(stamp.ordered for stamp in stamps):
        return True
    wrong = {order: _faults([s.day for s in stamps if s.day], day_first=order) for order in (True, False)}
    if wrong[True] != wrong[False]:
        return wrong[True] < wrong[False]
    return not any(stamp.half for stamp in stamps)  # 7:44 PM is written where the month comes first


def _faults(days: Sequence[tuple[int, int, int]], *, day_first: bool) -> tuple[int, int, int]:
    """Return how many days of an order are in no calendar, how many run backwards, and over how many days they go."""
    read = [possible_days(day, day_first=day_first) for day in days]
    known = [day for day in read if day]
    backwards = sum(later + BACKWARDS < earlier for earlier, later in pairwise(known))
    span = (max(known) - min(known)).days if known else 0
    return len(read) - len(known), backwards, span


def log_date(path: Path, zone: tzinfo) -> datetime | None:
    """Return the time of the first message, None if the log has only a clock."""
    found = read_log(beginning(path).decode("utf-8", "replace"), zone, None)
    return next((said.time for said in found if said.time), None)


FORMAT = Format(
    "chat-log",
    "text/plain",
    "a chat as text",
    family="chat",
    suffixes=(".txt", ".log", ".md"),
    as_text=True,
    shape=is_chat_log,
    read=TextReader(read_plain),
    date_of=log_date,
    date_from="content",
)
