"""Preparation of rows for the lake: schema checks, canonical order, content digest."""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any

import pyarrow as pa

from brain_retrieval.schemas.tables import TABLES

Rows = pa.Table | Sequence[dict[str, Any]]


def schema_of(table: str) -> pa.Schema:
    """Return the schema of a lake table.

    Raises:
        ValueError: for a table that schemas.TABLES does not name.
    """
    if table not in TABLES:
        raise ValueError(f"the lake has no table {table!r}, only {', '.join(TABLES)}")
    return TABLES[table]


def to_table(rows: Rows, schema: pa.Schema) -> pa.Table:
    """Return `rows` as a table of exactly `schema`, columns in its order.

    Raises:
        ValueError: if a column is missing, of another type, or null where the schema forbids it.
    """
    table: Any = rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(list(rows), schema=schema)
    if missing := [name for name in schema.names if name not in table.schema.names]:
        raise ValueError(f"columns missing: {', '.join(missing)}")
    table = table.select(schema.names)
    if empty := [f.name for f in schema if not f.nullable and table.column(f.name).null_count]:
        raise ValueError(f"null in columns that must hold a value: {', '.join(empty)}")
    return table.cast(schema)


def check_key(rows: pa.Table, source: str, days: Iterable[str]) -> None:
    """Check that rows belong to the partition being replaced.

    Raises:
        ValueError: if a row has another source, or a day that is not among `days`; if the source or a day could
            not be a folder name.
    """
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", source):
        raise ValueError(f"a source is named with a–z, 0–9, '_' and '-', not {source!r:.80}")
    days = {date.fromisoformat(day).isoformat() for day in days}
    strays = set(rows.column("source").unique().to_pylist()) - {source}
    strays |= set(rows.column("day").unique().to_pylist()) - days
    if strays:
        raise ValueError(f"rows of {', '.join(sorted(strays))} in a replacement of {source}")


def canonical(rows: pa.Table) -> tuple[pa.Table, str]:
    """Return the rows ordered by their first column, then by content, and the digest of the content."""
    lines = row_lines(rows)
    first = rows.column(0).to_pylist()
    order = sorted(range(rows.num_rows), key=lambda i: (first[i], lines[i]))
    return rows.take(order).combine_chunks(), digest_of(rows.schema.names, (lines[i] for i in order))


def row_lines(rows: pa.Table) -> list[str]:
    """Return one canonical JSON text for each row."""
    return [_line(list(row.values())) for row in rows.to_pylist()]


def digest_of(names: Sequence[str], lines: Iterable[str]) -> str:
    """Return 32 hex digits over column names and the *set-like* sorted rows.

    It does not depend on files, row groups, write times or row order.
    """
    digest = hashlib.blake2b(_line(list(names)).encode(), digest_size=16)
    for row in sorted(hashlib.blake2b(line.encode("utf-8"), digest_size=16).digest() for line in lines):
        digest.update(row)
    return digest.hexdigest()


def _line(value: list[Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_time)


def _time(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"no canonical form for {type(value).__name__}")
