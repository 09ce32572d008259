"""Messages about snapshots that the quality gate blocked. The measures are in `knowledge/quality.py`."""

from brain_retrieval.errors import StoreError
from brain_retrieval.stores.snapshots import SnapshotStore

QUALITY = "quality"
BLOCKING = ("orphan_edges", "unsupported_summaries", "overlapping_facts")  # metrics that must be zero


def blocked(store: SnapshotStore, day: str) -> str:
    """Return why the gate blocked the last computation of a snapshot, or "" if it did not."""
    try:
        if _has_passed(store, day):  # reading a table needs a library that is slow to load
            return ""
        rows = store.read_stage(day, QUALITY, QUALITY).to_dicts()
    except StoreError:  # not computed, or damaged: the next run computes it
        return ""
    failed = [row for row in rows if row["metric"] in BLOCKING and not row["passed"]]
    reasons = [f"{row['metric'].replace('_', ' ')} {row['value']:g} (at most {row['limit']:g})" for row in failed]
    return f"the quality gate stopped the snapshot of {day}: {', '.join(reasons)}" if reasons else ""


def newest_blocked(store: SnapshotStore) -> str:
    """Return why the gate blocked the newest snapshot that was begun, or "" if it did not."""
    begun = [day for day in store.begun() if day not in store.ahead()]
    return blocked(store, begun[-1]) if begun else ""


def _has_passed(store: SnapshotStore, day: str) -> bool:
    """Return whether readers see the measures that were taken last."""
    record = store.stage(day, QUALITY)
    return record is not None and day in store.days() and record.tables.items() <= store.manifest(day).items()
