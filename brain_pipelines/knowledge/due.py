"""Which users need a snapshot: those with something new since their last, and the rest every `refresh_days` days.

What is new follows from what the stages declare to read. Between snapshots salience is still exact: it is a formula of
the time.
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

FINGERPRINT = "snapshot_fingerprint"
INCOMPLETE = "incomplete"  # no hash is this, so the next snapshot is due


def fingerprint(pinned: PinnedInputs, settings: Settings, user: str, stages: Sequence[SnapshotStage]) -> str:
    """Return a hash of all that a snapshot of these inputs depends on but the date: inputs, code, settings."""
    reads_log = any(stage.reads_log for stage in stages)
    code = [[stage.code_version, stage.config(settings, user)] for stage in stages]
    return stable_hash([pinned.content_hash(lake_inputs(stages), reads_log=reads_log), settings.time_zone, code])


def remember(
    space: Space,
    settings: Settings,
    catalog: Catalog,
    day: str,
    *,
    stages: Sequence[SnapshotStage],
    pinned: PinnedInputs,
) -> None:
    """Record of what the snapshot of `day` was made; if its inputs hold more than it may know, that another is due."""
    whole = not _has_later(PinnedReader(space, settings, catalog, day, pinned), stages)
    made_of = fingerprint(pinned, settings, space.user, stages) if whole else INCOMPLETE
    catalog.set_meta(FINGERPRINT, f"{day} {made_of}")


def _has_later(reader: PinnedReader, stages: Sequence[SnapshotStage]) -> bool:
    """Tell whether anything was received after the day: a snapshot at 03:00 is of the day that ended at midnight."""
    import polars as pl

    end = end_of(reader.day, reader.settings)
    tables = sorted({table for table, _ in lake_inputs(stages)})
    columns = ["source", "source_id", "received_at"]
    return any(not reader.read(table, columns).filter(pl.col("received_at") >= end).is_empty() for table in tables)


def is_due(space: Space, settings: Settings, day: str, stages: Sequence[SnapshotStage] = SNAPSHOT_STAGES) -> bool:
    """Tell whether a user needs a snapshot of `day`: a user without anything never does."""
    if not space.catalog.is_file():
        return False
    with Catalog(space) as catalog:
        pinned = pin_inputs(space, settings, catalog, day, stages)
        if pinned.is_empty:
            return False
        stored = (catalog.get_meta(FINGERPRINT) or "").split(" ")
    if len(stored) != 2 or stored[1] != fingerprint(pinned, settings, space.user, stages):
        return True
    oldest = date.fromisoformat(day) - timedelta(days=settings.knowledge.refresh_days)
    return date.fromisoformat(stored[0]) <= oldest


def due_users(home: Home, settings: Settings, day: str) -> list[str]:
    """Return the users that need a snapshot of `day`, sorted."""
    return [user for user in home.users() if is_due(home.space(user), settings, day)]
