"""Removal of old records of Dagster: runs, their events and logs. What is stored of a day is not touched.

Of each partition the newest materialisation and the newest result of each check stay, however old they are: by them
Dagster knows which days are done and shows their figures.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import sqlalchemy as sa
from dagster._core.storage.event_log.schema import (
    AssetCheckExecutionsTable,
    AssetEventTagsTable,
    SqlEventLogStorageTable,
)
from dagster._core.storage.event_log.sql_event_log import SqlEventLogStorage
from dagster._core.storage.event_log.sqlite.sqlite_event_log import INDEX_SHARD_NAME, SqliteEventLogStorage

from brain_pipelines.orchestration.resources import BrainResource
from brain_retrieval.settings import RecordSettings

BATCH = 200
WASTE = 0.2  # share of free pages from which a database of SQLite is written again
_ENDED_WELL = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.CANCELED]


def purge(instance: dg.DagsterInstance, settings: RecordSettings, *, now: datetime) -> dict[str, int]:
    """Remove the records of runs that are older than the settings say; return counts of what was removed.

    Raises:
        TypeError: for a storage of events that is not a database.
    """
    storage = instance.event_log_storage
    if not isinstance(storage, SqlEventLogStorage):
        raise TypeError(f"records are removed from SQLite and PostgreSQL only, not from {type(storage).__name__}")
    counts = {"runs": 0, "events": 0, "checks": 0}
    ages = ((_ENDED_WELL, settings.keep_days), ([dg.DagsterRunStatus.FAILURE], settings.keep_failed_days))
    for statuses, days in ages:
        old = dg.RunsFilter(statuses=statuses, created_before=now - timedelta(days=days))
        while batch := instance.get_runs(old, limit=min(BATCH, settings.runs_a_night - counts["runs"]), ascending=True):
            ids = [run.run_id for run in batch]
            events, checks = _remove_events(storage, ids)
            for run_id in ids:
                _remove_log(instance, storage, run_id)
                instance.run_storage.delete_run(run_id)
            counts["runs"] += len(ids)
            counts["events"] += events
            counts["checks"] += checks
            if counts["runs"] >= settings.runs_a_night:
                break
    if isinstance(storage, SqliteEventLogStorage):
        _shrink(Path(storage.path_for_shard(INDEX_SHARD_NAME)))
    return counts


def _remove_events(storage: SqlEventLogStorage, runs: Sequence[str]) -> tuple[int, int]:
    """Remove what runs left in the index of events, apart from what is the newest of its partition."""
    events, checks, tags = SqlEventLogStorageTable, AssetCheckExecutionsTable, AssetEventTagsTable
    newer_event, newer_check = events.alias("newer_event"), checks.alias("newer_check")
    materialised = dg.DagsterEventType.ASSET_MATERIALIZATION.value
    replaced = sa.exists().where(
        newer_event.c.asset_key == events.c.asset_key,
        newer_event.c.dagster_event_type == materialised,
        newer_event.c.partition.is_not_distinct_from(events.c.partition),
        newer_event.c.id > events.c.id,
    )
    again = sa.exists().where(
        newer_check.c.asset_key == checks.c.asset_key,
        newer_check.c.check_name == checks.c.check_name,
        newer_check.c.partition.is_not_distinct_from(checks.c.partition),
        newer_check.c.id > checks.c.id,
    )
    gone = events.c.run_id.in_(runs) & (
        events.c.dagster_event_type.is_(None) | (events.c.dagster_event_type != materialised) | replaced
    )
    with storage.index_connection() as connection:
        connection.execute(tags.delete().where(tags.c.event_id.in_(sa.select(events.c.id).where(gone))))
        removed = connection.execute(events.delete().where(gone)).rowcount
        return removed, connection.execute(checks.delete().where(checks.c.run_id.in_(runs) & again)).rowcount


def _remove_log(instance: dg.DagsterInstance, storage: SqlEventLogStorage, run_id: str) -> None:
    """Remove the output of a run's steps, and its own database, which SQLite has."""
    instance.compute_log_manager.delete_logs(prefix=[run_id])
    if isinstance(storage, SqliteEventLogStorage):
        path = Path(storage.path_for_shard(run_id))
        for file in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
            file.unlink(missing_ok=True)


def _shrink(path: Path) -> None:
    """Give the free pages of a database back to the file system, if they are many and no process is writing."""
    with closing(sqlite3.connect(path, timeout=5, isolation_level=None)) as connection:
        free, pages = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("freelist_count", "page_count"))
        if free > WASTE * pages:
            try:
                connection.execute("VACUUM")
            except sqlite3.OperationalError:
                return  # in use; the next night tries again


@dg.op(name="purge_records", description="Remove the records of old runs; the newest of each partition stay.")
def purge_records(context: dg.OpExecutionContext, brain: BrainResource) -> None:
    """Remove what the settings `[records]` do not keep."""
    context.add_output_metadata(dict(purge(context.instance, brain.settings.records, now=datetime.now(UTC))))


@dg.job(name="records", description="Remove the records of old runs: events, logs, output of steps.")
def records() -> None:
    """Run `purge_records`."""
    purge_records()


PURGE = dg.ScheduleDefinition(
    name="records_nightly",
    job=records,
    cron_schedule="10 5 * * *",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Daily: removes the records of runs older than `[records]` says; days stay done.",
)
