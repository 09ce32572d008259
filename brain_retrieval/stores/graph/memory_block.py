"""The memory block that nodes and facts carry: salience, state, counters. The night computes it, not this file."""

from collections.abc import Mapping
from typing import Any

from brain_retrieval.stores.graph.rows import plain

# Of what the night has no salience for: as new as it can be.
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
OWNER: dict[str, Any] = {**FRESH, "salience": 1.0, "state": "core", "ttl_policy": "keep_forever"}
COPIED = (
    "salience",
    "state",
    "ttl_policy",
    "sensitivity",
    "access_count",
    "last_recall_interval",
    "decay_gradient",
    "last_accessed_at",
    "anchor_salience",
    "anchor_at",
    "expires_at",
)


class MemoryBlocks:
    """Blocks by item, from the rows of the table `salience`, which may lack any of them."""

    def __init__(self, rows: Mapping[tuple[str, str], Mapping[str, Any]]) -> None:
        self._rows = rows

    def of(self, item: str, item_id: str, default: Mapping[str, Any] = FRESH) -> dict[str, Any]:
        """Return the properties of the block. `recall_frequency` is the documented name of the count of recalls."""
        row = self._rows.get((item, item_id))
        if row is None:
            return dict(default)
        block = {name: row[name] for name in COPIED}
        return plain({**block, "recall_frequency": row["access_count"], "decay_rate": row["rate"]})
