"""English wording for days and times of a calendar."""

from datetime import UTC, date, datetime, tzinfo
from typing import Any


def aware(value: Any, zone: tzinfo) -> datetime | None:
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=zone)).astimezone(UTC)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, 12, tzinfo=zone).astimezone(UTC)
    return None


def iso(value: Any, zone: tzinfo) -> str:
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=zone)).isoformat()
    return value.isoformat() if isinstance(value, date) else ""


def day_of(value: Any) -> date:
    return value.date() if isinstance(value, datetime) else value


def shown_in(value: datetime, zone: tzinfo) -> datetime:
    """Return a time in its own zone, or in the user's zone if it is in UTC."""
    return value.astimezone(zone) if str(value.tzinfo) == "UTC" else value


def day_words(value: Any, *, weekday: bool = True) -> str:
    day = day_of(value)
    return f"{day:%A}, {day.day} {day:%B} {day.year}" if weekday else f"{day.day} {day:%B} {day.year}"


def clock(value: Any, zone: tzinfo, until: str = "") -> str:
    if not isinstance(value, datetime):
        return ""
    value = value if value.tzinfo is None else shown_in(value, zone)
    name = str(value.tzinfo or zone)
    name = name.split("'")[1] if name.startswith("<") and name.count("'") > 1 else name  # a zone of the calendar's own
    return f", {value:%H:%M}{until} ({name})"


def without_markup(text: str) -> str:
    if "<" not in text or "</" not in text and "<br" not in text:
        return text
    from brain_pipelines.readers.email.mail_html import html_to_text

    return html_to_text(text.replace("\n", "<br>"))
