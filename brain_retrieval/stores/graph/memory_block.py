"""The memory block of nodes and facts: state, counters and the curve of the salience, as computed by the snapshot.

Salience itself is computed when a node or fact is read: a stored value would change every day.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import polars as pl

from brain_retrieval.knowledge.salience import salience_at

# The block of items without salience in the snapshot: that of a new item.
FRESH: dict[str, Any] = {
    "anchor_salience": 0.5,
    "state": "candidate",
    "ttl_policy": "decay",
    "sensitivity": "normal",
    "access_count": 0,
    "recall_frequency": 0,
    "last_recall_interval": 0.0,
    "decay_gradient": 1.0,
}
OWNER: dict[str, Any] = {"anchor_salience": 1.0, "state": "core", "ttl_policy": "keep_forever"}
# Block property -> column of the table `salience`; the number of recalls has two documented names.
COLUMNS = {
    **{name: name for name in FRESH if name != "recall_frequency"},
    "recall_frequency": "access_count",
    "decay_rate": "rate",
    **{name: name for name in ("last_accessed_at", "anchor_at", "expires_at")},
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


def with_salience(properties: dict[str, Any]) -> dict[str, Any]:
    """Return what a reader sees: the properties, and the salience at the last midnight (UTC) of what has a block."""
    if "anchor_salience" not in properties:
        return properties
    anchor = properties["anchor_salience"]
    if (since := properties.get("anchor_at")) is not None:
        today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        rate, expires = properties.get("decay_rate", 0.0), properties.get("expires_at")
        anchor = salience_at(anchor, since, rate, today, expires_at=expires)
    return {**properties, "salience": anchor}
