"""The memory block that nodes and facts carry: salience, state, counters. The snapshot computes it, not this file."""

from collections.abc import Mapping
from typing import Any

import polars as pl

# Of what the snapshot has no salience for: as new as it can be.
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
# Columns of the table `salience` by what the block calls them; recalls are counted under both documented names.
COLUMNS = {
    **{name: name for name in FRESH if name != "recall_frequency"},
    "recall_frequency": "access_count",
    "decay_rate": "rate",
    **{name: name for name in ("last_accessed_at", "anchor_salience", "anchor_at", "expires_at")},
}


def blocks(
    rows: pl.DataFrame, key: str, salience: pl.DataFrame | None, item: str, default: Mapping[str, Any] | None = None
) -> pl.DataFrame:
    """Return the blocks of rows, one for each and in their order, found by the column `key`.

    Args:
        salience: the table `salience`; it may lack any item.
        default: where a block without salience differs from FRESH: values, or expressions over `rows`.
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
