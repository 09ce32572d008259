"""Dagster schedules that start work at fixed times."""

import dagster as dg

from brain_pipelines.orchestration.agent_batch import AGENT_BATCH
from brain_pipelines.orchestration.records import PURGE
from brain_pipelines.orchestration.recrawl import RECRAWL

MAINTENANCE_JOB = dg.define_asset_job("maintenance", selection=dg.AssetSelection.groups("maintenance"))
SCHEDULES = [
    dg.ScheduleDefinition(
        name="maintenance_nightly",
        job=MAINTENANCE_JOB,
        cron_schedule="30 4 * * *",
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description="Daily: compaction and index optimisation for every user with enough changes.",
    ),
    AGENT_BATCH,
    RECRAWL,
    PURGE,
]
