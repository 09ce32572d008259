"""The recalls of the access log, with entity ids mapped to those of the snapshot."""

from datetime import datetime
from typing import TYPE_CHECKING

from brain_pipelines.knowledge.stage import SnapshotInput

if TYPE_CHECKING:
    import polars as pl


def current_recalls(snapshot: SnapshotInput) -> "pl.DataFrame":
    """Return item, item_id, at of all recalls, with entity ids as in this snapshot."""
    from brain_retrieval.stores.access_log import with_current_ids

    return with_current_ids(snapshot.recalls(), snapshot.snapshot("entity_names"))


def recall_counts(snapshot: SnapshotInput, item: str) -> dict[str, int]:
    """Return the number of recalls by item id, for one kind of item ("entity", "chunk", …)."""
    import polars as pl

    return dict(current_recalls(snapshot).filter(pl.col("item") == item).group_by("item_id").len().iter_rows())


def last_recalls(snapshot: SnapshotInput, item: str) -> dict[str, datetime]:
    """Return the time of the last recall by item id, for one kind of item."""
    import polars as pl

    rows = current_recalls(snapshot).filter(pl.col("item") == item).group_by("item_id").agg(pl.col("at").max())
    return dict(rows.iter_rows())
