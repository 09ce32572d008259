"""Translation of filters to LanceDB WHERE clauses. All quoting is here; no other module writes SQL for the index."""

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, date, datetime, timedelta

from brain_retrieval.language.titles import QUALIFIER
from brain_retrieval.stores.index.filters import IndexFilter, Stretch


def where_of(rows: IndexFilter) -> str | None:
    """Return the WHERE text of a filter, None if it has no condition."""
    parts = [
        _among("id", rows.ids),
        _among("source", rows.sources),
        _among("source_id", rows.source_ids),
        _days(rows.days),
        f"day >= {_quote(rows.day_from)}" if rows.day_from is not None else None,
        f"day <= {_quote(rows.day_to)}" if rows.day_to is not None else None,
        f"event_at >= {_time(rows.since)}" if rows.since is not None else None,
        f"event_at <= {_time(rows.as_of)}" if rows.as_of is not None else None,
        f"received_at <= {_time(rows.known_at)}" if rows.known_at is not None else None,
        _among(f"split_part(title, {_quote(QUALIFIER)}, 1)", rows.titles),
        _among("trust", rows.trust),
        _among("sensitivity", rows.sensitivity),
        _any_of("speakers", rows.speakers),
        _along(rows.stretches),
    ]
    return " AND ".join(part for part in parts if part) or None


def where_fetched(ids: Collection[str], stretches: Iterable[Stretch], within: IndexFilter) -> str:
    """Return the WHERE text for the rows of `ids` and those in any of `stretches`, as far as they lie in `within`."""
    wanted = [f"({where_of(IndexFilter(ids=ids))})", *map(_stretch, stretches)]
    scope = where_of(within)
    return " AND ".join(f"({where})" for where in (scope, " OR ".join(wanted)) if where)


def _along(stretches: Collection[Stretch] | None) -> str | None:
    if stretches is None:
        return None
    ordered = sorted(stretches, key=lambda one: (one.source_id, one.first, one.last))
    return f"({' OR '.join(map(_stretch, ordered))})" if ordered else "false"


def _stretch(stretch: Stretch) -> str:
    first, last = int(stretch.first), int(stretch.last)
    return f"(source_id = {_quote(stretch.source_id)} AND position BETWEEN {first} AND {last})"


def _among(column: str, values: Collection[str] | None) -> str | None:
    if values is None:
        return None
    return f"{column} IN ({_literals(values)})" if values else "false"


def _any_of(column: str, values: Collection[str] | None) -> str | None:
    if values is None:
        return None
    return f"array_has_any({column}, [{_literals(values)}])" if values else "false"


def _days(days: Collection[str] | None) -> str | None:
    # Days that follow one another become a range: a list of a thousand days is slow to compare.
    ordered = sorted(days or ())
    if len(ordered) > 2 and _contiguous(ordered):
        return f"day >= {_quote(ordered[0])} AND day <= {_quote(ordered[-1])}"
    return _among("day", days)


def _contiguous(ordered: Sequence[str]) -> bool:
    span = date.fromisoformat(ordered[-1]) - date.fromisoformat(ordered[0])
    return span == timedelta(days=len(ordered) - 1)


def _literals(values: Iterable[str]) -> str:
    return ", ".join(_quote(value) for value in sorted(values))


def _quote(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _time(value: datetime) -> str:
    utc = value.astimezone(UTC).replace(tzinfo=None)
    return f"timestamp '{utc.isoformat(timespec='microseconds')}Z'"  # strftime writes the year 900 with three digits
