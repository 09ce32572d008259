"""Scheduled delivery of agent sessions: a job that delivers lines no other trigger has delivered, and its schedule."""

import dagster as dg

from brain_pipelines.connectors.agent_recorder import deliver_recent
from brain_pipelines.orchestration.resources import BrainResource
from brain_retrieval.home import Home


@dg.op(name="deliver_agent_sessions", description="Deliver agent sessions with undelivered lines.")
def deliver_agent_sessions(context: dg.OpExecutionContext, brain: BrainResource) -> None:
    """Deliver undelivered sessions, user by user; an error for one user does not affect the others."""
    home = Home(brain.path)
    count = failed = 0
    for user in home.users():
        try:
            count += len(deliver_recent(home, user))
        except OSError as error:
            failed += 1
            context.log.error(f"one user's sessions were not delivered: {type(error).__name__}")
    context.add_output_metadata({"sessions": count, "failed_users": failed})


@dg.job(name="agent_batch", description="Deliver agent sessions to the inboxes.")
def agent_batch() -> None:
    """Run `deliver_agent_sessions`."""
    deliver_agent_sessions()


AGENT_BATCH = dg.ScheduleDefinition(
    name="agent_batch_every_ten_minutes",
    job=agent_batch,
    cron_schedule="*/10 * * * *",
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Every ten minutes: deliver agent sessions with undelivered lines.",
)
