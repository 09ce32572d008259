"""The recalls of the access log, by the ids that entities have in the snapshot."""

from datetime import datetime
from typing import TYPE_CHECKING

from brain_pipelines.knowledge.stage import SnapshotInput

if TYPE_CHECKING:
    import polars as pl


def current_recalls(snapshot: SnapshotInput) -> "pl.DataFrame":
    """Return the recalls with the ids that entities have now."""
    from brain_retrieval.stores.access_log import with_current_ids

    return with_current_ids(snapshot.recalls(), snapshot.snapshot("entity_names"))


def recall_counts(snapshot: SnapshotInput, item: str) -> dict[str, int]:
    """Return how often each item of a kind was recalled, by id."""
    import polars as pl

    return dict(current_recalls(snapshot).filter(pl.col("item") == item).group_by("item_id").len().iter_rows())


def last_recalls(snapshot: SnapshotInput, item: str) -> dict[str, datetime]:
    """Return when each item of a kind was recalled last, by id."""
    import polars as pl

    rows = current_recalls(snapshot).filter(pl.col("item") == item).group_by("item_id").agg(pl.col("at").max())
    return dict(rows.iter_rows())
