"""Pages of a list: `limit` and `offset` in, `total` and `next_offset` out."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Query

Limit = Annotated[int, Query(ge=1, le=500)]
Offset = Annotated[int, Query(ge=0, le=10_000_000)]


def page(name: str, rows: Sequence[Any], total: int, offset: int) -> dict[str, Any]:
    """Return one page; `next_offset` is None at the end."""
    end = offset + len(rows)
    return {name: list(rows), "total": total, "next_offset": end if rows and end < total else None}


def cut(name: str, rows: Sequence[Any], limit: int, offset: int) -> dict[str, Any]:
    """Return one page of a whole list."""
    return page(name, rows[offset : offset + limit], len(rows), offset)
