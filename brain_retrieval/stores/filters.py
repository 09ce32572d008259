"""WHERE texts for the index. Every value is quoted here and nowhere else; callers never paste values into SQL."""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta

from brain_retrieval.errors import InvalidQueryError


def build_where(
    *,
    sources: Iterable[str] | None = None,
    source_ids: Iterable[str] | None = None,
    days: Iterable[str] | None = None,
    day_from: str | None = None,
    day_to: str | None = None,
    since: datetime | None = None,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    trust: Iterable[str] | None = None,
    sensitivity: Iterable[str] | None = None,
    speakers: Iterable[str] | None = None,
) -> str | None:
    """Return a WHERE text for all conditions given, or None for none. None = any; an empty list = nothing at all.

    Args:
        day_from: first day (ISO date), inclusive; `day_to`: last day, inclusive.
        since: `event_at` at or after; `as_of`: `event_at` at or before (what had happened by then).
        known_at: `received_at` at or before (what Brain had been given by then).
        speakers: chunks where any of these speaks.

    Raises:
        InvalidQueryError: for a day that is not an ISO date, a time without a zone, a text that is not Unicode.
    """
    parts = [
        among("source", sources),
        among("source_id", source_ids),
        days_clause(days),
        f"day >= {quote(_day(day_from))}" if day_from is not None else None,
        f"day <= {quote(_day(day_to))}" if day_to is not None else None,
        f"event_at >= {_time(since)}" if since is not None else None,
        f"event_at <= {_time(as_of)}" if as_of is not None else None,
        f"received_at <= {_time(known_at)}" if known_at is not None else None,
        among("trust", trust),
        among("sensitivity", sensitivity),
        _any_of("speakers", speakers),
    ]
    return " AND ".join(part for part in parts if part) or None


def both(*wheres: str | None) -> str | None:
    """Return the conjunction of WHERE texts; None stands for no condition."""
    return " AND ".join(f"({where})" for where in wheres if where) or None


def quote(value: str) -> str:
    """Return `value` as a SQL string literal.

    Raises:
        InvalidQueryError: if it holds a lone surrogate, which no stored text can.
    """
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidQueryError("a filter holds characters that are not Unicode text") from error
    return "'" + value.replace("'", "''") + "'"


def among(column: str, values: Iterable[str] | None) -> str | None:
    """Return `column IN (…)`, `false` for no values, None for None. A single text is refused: it is iterable too."""
    if values is None:
        return None
    literals = _literals(column, values)
    return f"{column} IN ({', '.join(literals)})" if literals else "false"


def days_clause(days: Iterable[str] | None) -> str | None:
    """Return a condition on `day`: a range if the days follow one another, else a list.

    Raises:
        InvalidQueryError: for a day that is not an ISO date.
    """
    if days is None:
        return None
    ordered = sorted({_day(day) for day in _listed("day", days)})
    if len(ordered) > 2 and _contiguous(ordered):
        return f"day >= '{ordered[0]}' AND day <= '{ordered[-1]}'"
    return among("day", ordered)


def _contiguous(ordered: Sequence[str]) -> bool:
    span = date.fromisoformat(ordered[-1]) - date.fromisoformat(ordered[0])
    return span == timedelta(days=len(ordered) - 1)


def _any_of(column: str, values: Iterable[str] | None) -> str | None:
    if values is None:
        return None
    literals = _literals(column, values)
    return f"array_has_any({column}, [{', '.join(literals)}])" if literals else "false"


def _literals(column: str, values: Iterable[str]) -> list[str]:
    return [quote(value) for value in sorted(set(_listed(column, values)))]


def _listed(column: str, values: Iterable[str]) -> Iterable[str]:
    if isinstance(values, str):
        raise InvalidQueryError(f"the filter on {column} takes a list, not one text")
    return values


def _day(value: str) -> str:
    try:
        return date.fromisoformat(value).isoformat()
    except (TypeError, ValueError) as error:
        raise InvalidQueryError(f"a day is written YYYY-MM-DD, not {value!r:.40}") from error


def _time(value: datetime) -> str:
    if value.tzinfo is None:
        raise InvalidQueryError("a time in a filter needs a zone")
    return f"timestamp '{value.astimezone(UTC).strftime('%Y-%m-%dT%H:%M:%S.%f')}Z'"
