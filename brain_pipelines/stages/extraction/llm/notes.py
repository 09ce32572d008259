"""Notes of a model's entry: periods, slots and numbers of earlier sentences. What cannot be read is left out."""

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo

Slot = tuple[str, str, str]  # subject, attribute, value

_DATE = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?")
_ATTRIBUTE = re.compile(r"[^\W\d]\w{1,40}(?: \w{1,20}){0,2}")


def period_of(given: str) -> tuple[date, date] | None:
    """Return the first day of an ISO year, month or day, and the first day after it."""
    match = _DATE.fullmatch(given.strip())
    if match is None:
        return None
    year, month, day = int(match[1]), int(match[2] or 1), int(match[3] or 1)
    try:
        start = date(year, month, day)
        if match[3]:
            return start, start + timedelta(days=1)
        months = year * 12 + month - 1 + (1 if match[2] else 12)
        return start, date(months // 12, months % 12 + 1, 1)
    except (ValueError, OverflowError):
        return None


def moment(day: date, zone: tzinfo) -> datetime:
    """Return the beginning of a day of `zone`, in UTC."""
    return datetime.combine(day, time(), zone).astimezone(UTC)


def slot_of(given: str) -> Slot | None:
    """Return subject, attribute and value of "subject | attribute | value"."""
    parts = [" ".join(part.split()) for part in given.split("|")]
    if len(parts) != 3 or not all(parts) or not _ATTRIBUTE.fullmatch(parts[1]):
        return None
    return parts[0], parts[1].casefold().replace(" ", "_"), parts[2]


def numbers_of(given: str) -> list[int]:
    """Return the numbers in a note."""
    return [int(number) for number in re.findall(r"-?\d{1,4}", given)]
