"""Parsing of times given by callers: ISO 8601 strings, dates and datetimes → UTC datetimes."""

from datetime import UTC, date, datetime, time, tzinfo

from brain_retrieval.errors import InvalidQueryError

Moment = datetime | date | str


def to_moment(value: Moment, zone: tzinfo) -> datetime:
    """Return `value` in UTC. A date means the end of that day in `zone`; a time without a zone is in `zone`.

    Raises:
        InvalidQueryError: if it is not an ISO 8601 date or time.
    """
    try:
        if isinstance(value, str):
            value = _parse(value.strip())
        if not isinstance(value, datetime):
            value = datetime.combine(value, time.max, tzinfo=zone)
        return (value if value.tzinfo else value.replace(tzinfo=zone)).astimezone(UTC)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidQueryError(f"not an ISO 8601 date or time, such as 2026-01-31: {value!r:.60}") from error


def _parse(text: str) -> datetime | date:
    # `datetime.fromisoformat` reads a bare date as midnight; as a limit it means the whole day.
    try:
        return date.fromisoformat(text)
    except ValueError:
        return datetime.fromisoformat(text)
