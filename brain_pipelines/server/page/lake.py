"""Rows of the lake of the user who looks at the page."""

from collections.abc import Sequence
from typing import Any

from brain_pipelines.server.pool import Opened


def rows(opened: Opened, sql: str, values: Sequence[Any] = ()) -> list[dict[str, Any]]:
    """Return the rows of one SELECT over the user's tables."""
    from brain_retrieval.stores.catalog import Catalog
    from brain_retrieval.stores.lake import Lake
    from brain_retrieval.stores.lake_query import query

    space = opened.home.space(opened.user)
    with Catalog(space) as catalog:
        return query(Lake(space, catalog), sql, values).to_pylist()
