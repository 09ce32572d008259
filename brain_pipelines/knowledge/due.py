"""Which users need a snapshot: those whose inputs changed, and all others every `refresh_days` days.

Changes are detected with a fingerprint of what the stages declare to read. Skipping a snapshot keeps salience exact,
because salience is a closed formula of the time.
"""

from collections.abc import Sequence
from datetime import date, timedelta

from brain_pipelines.knowledge.pinned_inputs import PinnedInputs, end_of, lake_inputs, pin_inputs
from brain_pipelines.knowledge.pinned_reader import PinnedReader
from brain_pipelines.knowledge.registry import SNAPSHOT_STAGES
from brain_pipelines.knowledge.stage import SnapshotStage
from brain_retrieval.home import Home, Space
from brain_retrieval.ids import stable_hash
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.snapshot_clock import latest_day

FINGERPRINT = "snapshot_fingerprint"
INCOMPLETE = "incomplete"  # never equal to a hash, so the next snapshot is due


def fingerprint(pinned: PinnedInputs, settings: Settings, user: str, stages: Sequence[SnapshotStage]) -> str:
    """Return a hash of everything a snapshot depends on except the date: inputs, code versions, settings."""
    reads_log = any(stage.reads_log for stage in stages)
    code = [[stage.code_version, stage.config(settings, user)] for stage in stages]
    return stable_hash([pinned.content_hash(lake_inputs(stages), reads_log=reads_log), settings.time_zone, code])


def store_fingerprint(
    space: Space,
    settings: Settings,
    catalog: Catalog,
    day: str,
    *,
    stages: Sequence[SnapshotStage],
    pinned: PinnedInputs,
) -> None:
    """Store the fingerprint of the snapshot of `day`; rows received after that day make the next snapshot due."""
    is_complete = not _has_later(PinnedReader(space, settings, catalog, day, pinned), stages)
    made_of = fingerprint(pinned, settings, space.user, stages) if is_complete else INCOMPLETE
    catalog.set_meta(FINGERPRINT, f"{day} {made_of}")


def _has_later(reader: PinnedReader, stages: Sequence[SnapshotStage]) -> bool:
    """Return whether rows were received after the day: a run at 03:00 makes the snapshot that ended at midnight."""
    import polars as pl

    end = end_of(reader.day, reader.settings)
    tables = sorted({table for table, _ in lake_inputs(stages)})
    columns = ["source", "source_id", "received_at"]
    return any(not reader.read(table, columns).filter(pl.col("received_at") >= end).is_empty() for table in tables)


def is_due(space: Space, settings: Settings, day: str, stages: Sequence[SnapshotStage] = SNAPSHOT_STAGES) -> bool:
    """Return whether a user needs a snapshot of `day`; a user without data never does."""
    if not space.catalog.is_file():
        return False
    with Catalog(space) as catalog:
        pinned = pin_inputs(space, settings, catalog, day, stages)
        if pinned.is_empty:
            return False
        stored = (catalog.get_meta(FINGERPRINT) or "").split(" ")
    if len(stored) != 2 or stored[1] != fingerprint(pinned, settings, space.user, stages):
        return True
    if stored[0] > latest_day():  # made while the clock was ahead: readers ignore it
        return True
    oldest = date.fromisoformat(day) - timedelta(days=settings.knowledge.refresh_days)
    return date.fromisoformat(stored[0]) <= oldest


def due_users(home: Home, settings: Settings, day: str) -> list[str]:
    """Return the users that need a snapshot of `day`, sorted."""
    return [user for user in home.users() if is_due(home.space(user), settings, day)]
