"""Scheduled backups of all users at the destination of the settings; without one nothing runs."""

import dagster as dg

from brain_pipelines.knowledge.forgetting.backups import forgotten_users
from brain_pipelines.landing.offsite.all_users import back_up_users
from brain_pipelines.landing.offsite.objects import open_objects
from brain_pipelines.orchestration.resources import BrainResource
from brain_retrieval.home import Home
from brain_retrieval.settings import Settings

NAME = "backups"


@dg.op(name="back_up_users", description="Back up every user at the destination, and remove what is no longer kept.")
def back_up_op(context: dg.OpExecutionContext, brain: BrainResource) -> None:
    """Back up the users one by one; counts only, because the event log is never purged.

    Raises:
        dg.Failure: the backup of a user failed; the others are made.
    """
    home = Home(brain.path)
    objects = open_objects(brain.settings.backup)
    result = back_up_users(home, brain.settings, objects, home.users(), forgotten=forgotten_users(home))
    counts = result.counts()
    context.add_output_metadata(dict(counts))
    for user, reason in result.late.items():
        context.log.warning(f"old backups of {user} were not removed: {reason}")
    if result.failed:
        users = ", ".join(sorted(result.failed))
        raise dg.Failure(f"the backup failed of {len(result.failed)} users: {users}", metadata=dict(counts))


@dg.job(name=NAME, description="Backs up all users outside the home: `brain backup --all` as a run. docs/backup.md")
def backups_job() -> None:
    """Run the one op of the job."""
    back_up_op()


def build_backup_schedule(settings: Settings) -> dg.ScheduleDefinition:
    """Return the schedule `backups_nightly`, with the cron expression `backup.nightly` of the settings."""

    @dg.schedule(
        name="backups_nightly",
        job=backups_job,
        cron_schedule=settings.backup.nightly,
        execution_timezone=settings.time_zone,
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description="Daily: backs up every user at `backup.destination`; skips if none is set.",
    )
    def backups_nightly(brain: BrainResource) -> dg.RunRequest | dg.SkipReason:
        if brain.settings.backup.destination is None:
            return dg.SkipReason("no backup.destination is set in brain.toml")
        return dg.RunRequest()

    return backups_nightly
