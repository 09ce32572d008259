"""Typed filters on the rows of a search index, validated on construction and supported by every store.

A store applies a filter before it takes its top rows. Values are compared as values; no query language is involved.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime

from brain_retrieval.errors import InvalidQueryError
from brain_retrieval.language.titles import unqualified

_NAMES = ("ids", "sources", "source_ids", "speakers", "titles", "trust", "sensitivity")
_DAYS = ("day_from", "day_to")
_TIMES = ("since", "as_of", "known_at")


@dataclass(frozen=True)
class Stretch:
    """The chunks of one source from position `first` to `last`, both inclusive."""

    source_id: str
    first: int
    last: int


@dataclass(frozen=True)
class IndexFilter:
    """Conditions on index rows that must all hold. None stands for any value, an empty collection for no row at all.

    Args:
        ids: chunk ids; source_ids: ids of whole sources; sources: source types.
        speakers: chunks in which any of these speaks, as written.
        titles: titles of sources, as written; a qualifier in brackets ("Ashby (village)") does not count.
        stretches: chunks that lie in any of these.
        days: ISO dates; day_from: first day, inclusive; day_to: last day, inclusive.
        since: `event_at` at or after; as_of: `event_at` at or before (what had happened by then).
        known_at: `received_at` at or before (what had been received by then).

    Raises:
        InvalidQueryError: for a day that is not an ISO date, a time without a zone, a text that is not Unicode,
            one text where a collection is expected.
    """

    ids: Collection[str] | None = None
    sources: Collection[str] | None = None
    source_ids: Collection[str] | None = None
    speakers: Collection[str] | None = None
    titles: Collection[str] | None = None
    stretches: Collection[Stretch] | None = None
    trust: Collection[str] | None = None
    sensitivity: Collection[str] | None = None
    days: Collection[str] | None = None
    day_from: str | None = None
    day_to: str | None = None
    since: datetime | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None

    def __post_init__(self) -> None:
        for name in _NAMES:
            self._set(name, _texts(name, getattr(self, name)))
        if self.stretches is not None:
            self._set("stretches", frozenset(self.stretches))
        if self.titles is not None:
            self._set("titles", frozenset(map(unqualified, self.titles)))
        days = _texts("days", self.days)
        self._set("days", None if days is None else frozenset(_day(day) for day in days))
        for name in _DAYS:
            value = getattr(self, name)
            self._set(name, None if value is None else _day(value))
        for name in _TIMES:
            value = getattr(self, name)
            if value is not None and value.tzinfo is None:
                raise InvalidQueryError("a time in a filter needs a zone")

    def has_at_most(self, rows: int) -> bool:
        """Return whether the stretches say that no more than so many rows can lie in the filter."""
        lengths = [max(one.last - one.first + 1, 0) for one in self.stretches or ()]
        return self.stretches is not None and sum(lengths) <= rows

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)  # the dataclass is frozen


def _texts(name: str, values: Collection[str] | None) -> frozenset[str] | None:
    if values is None:
        return None
    if isinstance(values, str):  # a text is a collection of its characters too
        raise InvalidQueryError(f"the filter on {name} takes a list, not one text")
    try:
        for value in values:
            value.encode("utf-8")
    except (AttributeError, UnicodeEncodeError) as error:
        raise InvalidQueryError("a filter holds what is not Unicode text") from error
    return frozenset(values)


def _day(value: str) -> str:
    try:
        return date.fromisoformat(value).isoformat()
    except (TypeError, ValueError) as error:
        raise InvalidQueryError(f"a day is written YYYY-MM-DD, not {value!r:.40}") from error


EVERYTHING = IndexFilter()
