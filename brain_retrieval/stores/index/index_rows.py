"""Validation and conversion of rows and queries for a search index, shared by all stores."""

import hashlib
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from brain_retrieval.errors import DimensionMismatchError
from brain_retrieval.schemas.names import WORD_CODES
from brain_retrieval.stores.lake_rows import Rows, check_key, digest_of, row_lines, to_table

# Far longer than any real query; a query of 100 kB would take 0.3 s.
MAX_QUERY_CHARACTERS = 8_192


def index_rows(rows: Rows, schema: pa.Schema, source: str, days: Sequence[str]) -> pa.Table:
    """Return `rows` as a table of the index schema.

    Raises:
        DimensionMismatchError: if the vectors are of another width than the schema's.
        ValueError: if rows lie outside (source, days), share an id or hold a vector that is not finite.
    """
    _check_width(rows, schema.field("vector").type.list_size)
    table = to_table(rows, schema)
    check_key(table, source, days)
    ids = table.column("id").to_pylist()
    if len(set(ids)) < len(ids):
        raise ValueError(f"an id occurs twice: {next(i for i in ids if ids.count(i) > 1)}")
    if not np.isfinite(vector_matrix(table.column("vector"))).all():
        raise ValueError("a vector holds NaN or infinity")
    return table


def unit_query(vector: np.ndarray | Sequence[float], dim: int) -> np.ndarray:
    """Return a query vector as float32 (dim,).

    Raises:
        DimensionMismatchError: if it is of another width.
        ValueError: if it is not finite.
    """
    query = np.asarray(vector, dtype=np.float32)
    if query.shape != (dim,):
        raise DimensionMismatchError(f"a query vector of shape {query.shape} for an index of width {dim}")
    if not np.isfinite(query).all():
        raise ValueError("a query vector holds NaN or infinity")
    return query


def cosines(vectors: np.ndarray, query: np.ndarray) -> np.ndarray:
    """Return float64 (rows,): the cosine of each unit vector with `query`; equal vectors have equal ones.

    All cosines that a search returns come from here: LanceDB's own differ from NumPy's in the seventh digit, and
    ranking makes the difference visible.
    """
    length = float(np.linalg.norm(query)) or 1.0
    return np.einsum("ij,j->i", vectors, query, dtype=np.float64) / length


def clean_query(query: str) -> str:
    """Return the words of an untrusted query: lone surrogates and control characters gone, at most 8,192 long."""
    text = query[:MAX_QUERY_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
    return re.sub(r"[\x00-\x1f\x7f]+", " ", text).strip()


def index_digest(rows: pa.Table) -> str:
    """Return the content digest of index rows, independent of their order; "" for no rows.

    Without token codes it is that of rows written before there were any.
    """
    if not rows.num_rows:
        return ""
    codes = rows.column(WORD_CODES)
    names = [name for name in rows.schema.names if name != WORD_CODES or codes.null_count < rows.num_rows]
    matrix = np.ascontiguousarray(vector_matrix(rows.column("vector")))
    lines = row_lines(rows.drop_columns(["vector", WORD_CODES]))
    tokens = (hashlib.blake2b(own).hexdigest() if own else "" for own in codes.to_pylist())
    hashes = (hashlib.blake2b(vector.tobytes()).hexdigest() + own for vector, own in zip(matrix, tokens, strict=True))
    return digest_of(names, (line + own for line, own in zip(lines, hashes, strict=True)))


def vector_matrix(column: pa.ChunkedArray) -> np.ndarray:
    """Return a column of fixed-size lists as float32 (rows, width)."""
    width = column.type.list_size
    return np.concatenate([np.empty((0, width), np.float32), *(_block(c, width) for c in column.chunks)])


def _block(chunk: Any, width: int) -> np.ndarray:
    return chunk.flatten().to_numpy(zero_copy_only=False).reshape(-1, width)


def completed(rows: pa.Table, schema: pa.Schema, names: Sequence[str]) -> pa.Table:
    """Return the columns `names` of `rows`; those of the schema that are not there are null."""
    for name in names:
        if name not in rows.column_names:
            rows = rows.append_column(schema.field(name), pa.nulls(rows.num_rows, schema.field(name).type))
    return rows.select(list(names))


def _check_width(rows: Rows, dim: int) -> None:
    if isinstance(rows, pa.Table):
        table: Any = rows
        kind = table.schema.field("vector").type
        widths = {kind.list_size} if pa.types.is_fixed_size_list(kind) and table.num_rows else set()
    else:
        widths = {len(row["vector"]) for row in rows}
    if widths - {dim}:
        raise DimensionMismatchError(f"vectors of width {sorted(widths - {dim})[0]} for an index of width {dim}")
