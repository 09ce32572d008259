"""The memory block of nodes and facts: salience, state and counters, as computed by the snapshot."""

from collections.abc import Mapping
from typing import Any

import polars as pl

# The block of items without salience in the snapshot: that of a new item.
FRESH: dict[str, Any] = {
    "salience": 0.5,
    "state": "candidate",
    "ttl_policy": "decay",
    "sensitivity": "normal",
    "access_count": 0,
    "recall_frequency": 0,
    "last_recall_interval": 0.0,
    "decay_gradient": 1.0,
}
OWNER: dict[str, Any] = {"salience": 1.0, "state": "core", "ttl_policy": "keep_forever"}
# Block property -> column of the table `salience`; the number of recalls has two documented names.
COLUMNS = {
    **{name: name for name in FRESH if name != "recall_frequency"},
    "recall_frequency": "access_count",
    "decay_rate": "rate",
    **{name: name for name in ("last_accessed_at", "anchor_salience", "anchor_at", "expires_at")},
}


def blocks(
    rows: pl.DataFrame, key: str, salience: pl.DataFrame | None, item: str, default: Mapping[str, Any] | None = None
) -> pl.DataFrame:
    """Return the memory block of each row, in order, looked up by the column `key`.

    Args:
        salience: the table `salience`; it may lack any item.
        default: values, or expressions over `rows`, that override FRESH for items without salience.
    """
    own = {n: v if isinstance(v, pl.Expr) else pl.lit(v) for n, v in {**FRESH, **(default or {})}.items()}
    if salience is None:
        return rows.with_columns(**own).select(list(own))
    found = salience.filter(pl.col("item") == item).select(
        **{f"block.{name}": pl.col(column) for name, column in COLUMNS.items()}, **{"block.of": pl.col("item_id")}
    )
    joined = rows.join(found, left_on=key, right_on="block.of", how="left", maintain_order="left")
    filled = {n: pl.coalesce(f"block.{n}", own[n]) if n in own else pl.col(f"block.{n}") for n in COLUMNS}
    return joined.with_columns(**filled).select(list(COLUMNS))
