"""Scheduled re-crawl job: crawl jobs in the settings that are due are crawled again, into the inbox.

Only the inbox is written; the inbox sensor lands what changed and runs its days.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import dagster as dg

from brain_pipelines.connectors.crawl.browser import build_render
from brain_pipelines.connectors.crawl.crawler import Crawler
from brain_pipelines.connectors.crawl.frontier import Frontier
from brain_pipelines.connectors.crawl.job import CrawlJob, config_of, new_job
from brain_pipelines.landing.own_users import create_space
from brain_pipelines.orchestration.resources import BrainResource
from brain_retrieval.errors import BrainError
from brain_retrieval.home import Home
from brain_retrieval.settings import Settings
from brain_retrieval.settings.web import CrawlJobSettings


def wanted_job(settings: Settings, wanted: CrawlJobSettings) -> CrawlJob:
    """Return the crawl job described by an entry of `crawl.jobs`."""
    config = config_of(
        settings.crawl,
        max_depth=wanted.max_depth,
        max_pages=wanted.max_pages,
        requests_per_second=wanted.requests_per_second,
        allowed_domains=wanted.allowed_domains,
        exclude_patterns=wanted.exclude_patterns,
    )
    return new_job(wanted.user, wanted.seeds, config)


def due_jobs(home: Home, settings: Settings, *, now: datetime) -> Iterator[CrawlJob]:
    """Yield the jobs of the settings that never ran, were interrupted, or ended longer ago than their interval."""
    for wanted in settings.crawl.jobs:
        job = wanted_job(settings, wanted)
        with Frontier(create_space(home.space(wanted.user), settings)) as frontier:
            known = frontier.job(job.id)
        ended = known.completed_at if known else None
        if ended is None or now - ended >= timedelta(hours=wanted.interval_hours):
            yield job


def crawl_due(home: Home, settings: Settings, *, now: datetime | None = None) -> dict[str, int]:
    """Crawl all due jobs; return how many jobs ran, how many failed, and how many pages changed."""
    counts = {"jobs": 0, "failed": 0, "changed": 0}
    for job in due_jobs(home, settings, now=now or datetime.now(UTC)):
        space = create_space(home.space(job.user), settings)
        counts["jobs"] += 1
        try:
            with Frontier(space) as frontier:
                opened = frontier.open_job(job, again=True)
                # A scheduled crawl does not restore pages that the user removed. With redaction on, files leave
                # the inbox on landing, so a missing file does not mean that it was removed.
                restore = settings.privacy.redact
                render = build_render(settings)
                result = Crawler(space, frontier, opened, settings, render=render, restore=restore).run()
        except (BrainError, OSError):  # an error for one user does not affect the others
            counts["failed"] += 1
            continue
        counts["changed"] += len(result.stored)
        counts["failed"] += result.job.status == "failed"
    return counts


@dg.op(name="crawl_due_jobs", description="Crawl the due jobs of the settings into the inboxes.")
def crawl_due_jobs(context: dg.OpExecutionContext, brain: BrainResource) -> None:
    """Crawl the due jobs one by one."""
    context.add_output_metadata(dict(crawl_due(Home(brain.path), brain.settings)))


@dg.job(name="crawl", description="Repeat the crawls in the settings; only changed pages are written.")
def crawl() -> None:
    """Run `crawl_due_jobs`."""
    crawl_due_jobs()


RECRAWL = dg.ScheduleDefinition(
    name="recrawl",
    job=crawl,
    cron_schedule="15 * * * *",
    default_status=dg.DefaultScheduleStatus.STOPPED,
    description="Hourly: crawl the jobs of the settings whose interval has passed.",
)
