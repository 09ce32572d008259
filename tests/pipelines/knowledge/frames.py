"""Factory of snapshot tables: rows with defaults for all columns that a test does not set."""

from datetime import UTC, datetime
from typing import Any

import polars as pl
import pyarrow as pa

from brain_retrieval.schemas.tables import TABLES
from brain_retrieval.stores.snapshot_tables import SNAPSHOT_TABLES

AT = datetime(2026, 1, 5, 12, tzinfo=UTC)


def frame(table: str, *rows: dict[str, Any]) -> pl.DataFrame:
    """Return rows of a snapshot table or of a lake table."""
    schema = SNAPSHOT_TABLES.get(table) or TABLES[table]
    filled = [{field.name: row.get(field.name, _default(field)) for field in schema} for row in rows]
    return pl.DataFrame(pa.Table.from_pylist(filled, schema=schema))


def _default(field: pa.Field) -> Any:
    if field.nullable:
        return None
    if pa.types.is_timestamp(field.type):
        return AT
    if pa.types.is_string(field.type):
        return ""
    if pa.types.is_list(field.type):
        return []
    return False if pa.types.is_boolean(field.type) else 0
