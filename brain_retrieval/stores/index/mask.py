"""Evaluation of an index filter on an Arrow table in memory, as stores evaluate it in their own query language."""

from collections.abc import Collection
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from brain_retrieval.language.titles import QUALIFIER
from brain_retrieval.stores.index.filters import IndexFilter, Stretch

pc: Any = pyarrow.compute  # its functions are made at import, which type checkers cannot see


def mask_of(rows: pa.Table, within: IndexFilter) -> np.ndarray | None:
    """Return bool (rows,), True for the rows that lie in `within`; None if it has no condition."""
    among = {name: getattr(within, f"{name}s") for name in ("id", "source", "source_id", "day")}
    among |= {"trust": within.trust, "sensitivity": within.sensitivity}
    limits = (
        ("day", pc.greater_equal, within.day_from),
        ("day", pc.less_equal, within.day_to),
        ("event_at", pc.greater_equal, within.since),
        ("event_at", pc.less_equal, within.as_of),
        ("received_at", pc.less_equal, within.known_at),
    )
    parts = [_among(rows.column(name), values) for name, values in among.items() if values is not None]
    parts += [_compared(rows.column(name), compare, value) for name, compare, value in limits if value is not None]
    if within.titles is not None:
        parts.append(_among(unqualified_titles(rows.column("title")), within.titles))
    if within.stretches is not None:
        parts.append(_along(rows, within.stretches))
    if within.speakers is not None:
        parts.append(_any_of(rows.column("speakers"), within.speakers))
    return np.logical_and.reduce(parts) if parts else None


def _among(column: Any, values: Collection[str]) -> np.ndarray:
    return _bools(pc.is_in(column, value_set=pa.array(sorted(values), pa.string())))


def unqualified_titles(titles: Any) -> Any:
    """Return a column of titles without their qualifiers in brackets."""
    return pc.list_element(pc.split_pattern(titles, QUALIFIER, max_splits=1), 0)


def _along(rows: pa.Table, stretches: Collection[Stretch]) -> np.ndarray:
    sources, positions = rows.column("source_id"), rows.column("position").to_numpy()
    mask = np.zeros(rows.num_rows, dtype=bool)
    for one in stretches:
        inside = _bools(pc.fill_null(pc.equal(sources, one.source_id), False))
        mask |= inside & (positions >= one.first) & (positions <= one.last)
    return mask


def _compared(column: Any, compare: Any, value: Any) -> np.ndarray:
    return _bools(pc.fill_null(compare(column, pa.scalar(value, column.type)), False))


def _any_of(column: Any, values: Collection[str]) -> np.ndarray:
    lists = column.combine_chunks()
    inside = _bools(pc.is_in(pc.list_flatten(lists), value_set=pa.array(sorted(values), pa.string())))
    mask = np.zeros(len(lists), dtype=bool)
    mask[pc.list_parent_indices(lists).to_numpy(zero_copy_only=False)[inside]] = True
    return mask


def _bools(values: Any) -> np.ndarray:
    return values.to_numpy(zero_copy_only=False).astype(bool)
