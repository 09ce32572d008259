"""Reads from one user's lake: the text of a source, the newest sources, a statement by id, the names in a source."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from brain_retrieval.errors import InvalidQueryError

if TYPE_CHECKING:
    from brain_retrieval.home import Space

_TEXT = """
SELECT source_id, source, uri, title, event_at, text FROM text WHERE source_id = $1 OR uri = $1 LIMIT 1
"""
_NEWEST = """
SELECT source_id, source, uri, title, event_at, length(text) AS characters FROM text
ORDER BY event_at DESC, source_id LIMIT $1 OFFSET $2
"""
_COUNTS = """
SELECT source, count(*) AS sources, min(day) AS first, max(day) AS last FROM text GROUP BY source ORDER BY source
"""
_MEMORY = 'SELECT memory_id, source_id, uri, text, kind, said_at, start, "end" FROM memories WHERE memory_id = $1'
_NAMES = "SELECT name, type, description FROM entities WHERE source_id = $1 ORDER BY mention_count DESC, name"


@dataclass(frozen=True)
class SourceText:
    """The cleaned text of a source, to which all spans refer."""

    source_id: str
    source: str
    uri: str
    title: str
    event_at: datetime
    text: str


def source_text(space: "Space", id_or_uri: str) -> SourceText:
    """Return the text of a source of this user.

    Raises:
        InvalidQueryError: if this user has no source with this id or uri.
    """
    rows = _query(space, _TEXT, [id_or_uri])
    if not rows:
        raise InvalidQueryError(
            f"no source with the id or uri {id_or_uri[:200]!r}; memory_search returns those there are"
        )
    return SourceText(**{**rows[0], "title": rows[0]["title"] or ""})


def newest_sources(space: "Space", limit: int, offset: int = 0) -> list[dict[str, Any]]:
    """Return rows of sources (source_id, source, uri, title, event_at, characters), the newest first."""
    return _query(space, _NEWEST, [limit, offset])


def source_counts(space: "Space") -> list[dict[str, Any]]:
    """Return the number of sources of each type, and their first and last day."""
    return _query(space, _COUNTS)


def memory_row(space: "Space", memory_id: str) -> dict[str, Any] | None:
    """Return a statement of this user by id, None if there is none."""
    return next(iter(_query(space, _MEMORY, [memory_id])), None)


def names_in(space: "Space", source_id: str) -> list[dict[str, Any]]:
    """Return the names extracted from a source (name, type, description), the most mentioned first."""
    return _query(space, _NAMES, [source_id])


def _query(space: "Space", sql: str, parameters: Sequence[Any] = ()) -> list[dict[str, Any]]:
    from brain_retrieval.stores.catalog import Catalog
    from brain_retrieval.stores.lake import Lake
    from brain_retrieval.stores.lake_query import query

    with Catalog(space) as catalog:
        return query(Lake(space, catalog), sql, parameters).to_pylist()
