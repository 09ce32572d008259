"""A day and a clock as programs write them: "Apr 15, 2021, 7:07:43 PM", "Sonntag, 11. März 2018 21:15:00"."""

import re
from datetime import datetime, time, tzinfo

from brain_pipelines.readers.document.date_label import stated_day
from brain_pipelines.readers.event_time import parse_time

_CLOCK = re.compile(
    r"(?<!\d)(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?(?!\d)(?:[ \u00a0\u202f]*([AaPp])\.?[ \u00a0]?[Mm]\.?)?"
)


def said_time(text: str, zone: tzinfo) -> datetime | None:
    """Return the time that a text states, in UTC; of a day alone noon, None if there is no day."""
    bare = " ".join(text.replace("\u202f", " ").replace("@", " ").split())
    day = stated_day(bare, zone)
    found = list(_CLOCK.finditer(bare))
    if day is None or not found:
        return day
    last = found[-1]  # behind the day, whose own dots are not those of a clock
    hour = int(last[1])
    if last[4]:
        hour = hour % 12 + (12 if last[4] in "pP" else 0)
    try:
        clock = time(hour, int(last[2]), int(last[3] or 0))
    except ValueError:
        return day
    return parse_time(datetime.combine(day.astimezone(zone).date(), clock), zone)
