"""Dagster sensors: `inbox` turns inbox files into runs, `retry` repeats failed and half-done days a few times.

Change detection and run planning are pure functions in `landing/inbox.py` and `landing/run_planning.py`.
"""

import logging
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg
from dagster._core.storage.tags import SENSOR_NAME_TAG

from brain_pipelines.engine.healing import replace_catalog
from brain_pipelines.engine.landing_recovery import ensure_landing
from brain_pipelines.engine.waiting import waits
from brain_pipelines.landing.inbox import inbox_users
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.landing.own_users import create_space
from brain_pipelines.landing.run_planning import DirtyDay, Plan, SpanRequest, batch_of, plan_runs, spans
from brain_pipelines.landing.scan import scan_inbox
from brain_pipelines.orchestration.behind import CLOCK_STEP, abandoned_spans, waiting_spans
from brain_pipelines.orchestration.cells.names import Names
from brain_pipelines.orchestration.days.budget import measure_budget
from brain_pipelines.orchestration.days.calendar import Calendar
from brain_pipelines.orchestration.days.first_day import choose_first_day
from brain_pipelines.orchestration.days.open_days import not_looked_at, record_open_days
from brain_pipelines.orchestration.days.reload import ask_for_reload
from brain_pipelines.orchestration.partitions import range_tags
from brain_pipelines.orchestration.resources import BrainResource
from brain_pipelines.orchestration.source_assets import job_name
from brain_pipelines.orchestration.workers.opening import Opened, opening
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_retrieval.errors import CellError, DamagedCatalogError, StoreError
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings, load_settings
from brain_retrieval.stores.catalog import Catalog

# A tick must return within 60 s; files not landed by then wait for the next tick.
TICK_SECONDS = 20.0
RECORD_SECONDS = 10.0  # in a tick, for days on Dagster's pages; the next tick goes on
INBOX = "inbox"
LOGGER = logging.getLogger(__name__)
RETRY_LIMIT = 3
RETRY_BASE = timedelta(minutes=2)


def tick(
    home: Home,
    settings: Settings,
    cursor: str | None,
    *,
    since: str = "",
    asked: Collection[tuple[str, str]] = (),
    instance: dg.DagsterInstance | None = None,
) -> Plan:
    """Scan every inbox and plan the runs of one sensor tick; the planned days are marked as queued.

    Args:
        since: the first day that Dagster knows; older ones wait until its definitions are loaded again.
        asked: (user, job) of runs that have been asked for and have not begun; more days of these wait.
        instance: needed if workers compute the users.
    """
    with opening(home, settings, instance) as opened:
        return _tick(home, settings, cursor, since, asked, opened)


def _tick(
    home: Home,
    settings: Settings,
    cursor: str | None,
    since: str,
    asked: Collection[tuple[str, str]],
    opened: Opened,
) -> Plan:
    until = time.monotonic() + TICK_SECONDS
    accepted = batch_of(cursor)
    users = inbox_users(home)
    first = accepted % max(1, len(users))  # rotate the first user, or a large inbox starves the others
    dirty: list[DirtyDay] = []
    held = 0
    for user in (*users[first:], *users[:first]):
        space = home.space(user)
        try:
            if not opened.enter(user):
                continue
            ensure_landing(create_space(space, settings), settings)
            with open_landing(space, settings) as landing:
                if scan_inbox(space, landing, until=until):
                    settings = choose_first_day(home, landing)
                days = [day for day in landing.dirty(accepted=accepted) if day.day >= since]
                dirty.extend(day for day in days if (user, job_name(day.source)) not in asked)
                held += len(landing.waiting())
        except (StoreError, CellError, OSError) as error:  # an error for one user must not delay the others
            LOGGER.error("the inbox of one user was not read: %s", type(error).__name__)
    plan = replace(plan_runs(dirty, cursor), held=held)
    by_user: dict[str, list[DirtyDay]] = {}
    for day in plan.taken:
        by_user.setdefault(day.user, []).append(day)
    for user, days in by_user.items():
        with open_landing(home.space(user), settings) as landing:
            landing.queue(days, plan.batch)
    return plan


def asked_for(instance: dg.DagsterInstance) -> set[tuple[str, str]]:
    """Return (user, job) of the runs that the sensor `inbox` has asked for and that have not begun.

    One run takes all changes until it begins. Without this, a busy user or a slow machine would get a run for every
    change, each with a process of its own.
    """
    queued = dg.RunsFilter(statuses=[dg.DagsterRunStatus.QUEUED], tags={SENSOR_NAME_TAG: INBOX})
    return {(run.tags.get("brain/user", ""), run.job_name) for run in instance.get_runs(queued)}


def run_request(request: SpanRequest, run_key: str, calendar: Calendar) -> dg.RunRequest:
    """Return the request for a ranged run of one source's job."""
    tags = range_tags(request.user, request.start, request.end, calendar)
    return dg.RunRequest(run_key=run_key, job_name=job_name(request.source), tags=tags)


def retried_now(tries: int, age: timedelta) -> bool:
    """Return whether a stage that failed in `tries` runs, last `age` ago, is to be run again."""
    waited = age >= RETRY_BASE * 2 ** (tries - 1) or age < -CLOCK_STEP  # the clock was ahead
    return 0 < tries <= RETRY_LIMIT and waited


def failed_spans(space: Space, *, now: datetime) -> list[tuple[SpanRequest, str]]:
    """Return the runs that retry a user's failed days, each with its run key.

    A day is retried 2, 4 and 8 minutes after its last failure, then no more: three failures are no coincidence. The
    number of attempts is the number of run ids recorded for it.
    """
    with Catalog(space) as catalog:
        due: dict[str, dict[str, str]] = {}
        for row in catalog.ledger(state="failed"):
            # a team's source extracted for this reader: `team_requests` retries it; for a model: `waiting_spans`
            if row.source not in SOURCES_BY_NAME or waits(row):
                continue
            tries = catalog.failures(row.source, row.stage, row.day, row.input_hash)
            age = now - row.started_at
            if retried_now(tries, age):
                due.setdefault(row.source, {})[row.day] = row.run_id
    requests = []
    for source, days in sorted(due.items()):
        for span in spans(days):
            request = SpanRequest(space.user, source, span[0], span[-1], tuple(span), "retry")
            requests.append((request, f"retry:{source}:{space.user}:{span[0]}:{span[-1]}:{days[span[0]]}"))
    return requests


def _retry_spans(space: Space, settings: Settings, now: datetime) -> list[tuple[SpanRequest, str]]:
    try:
        asked = waiting_spans(space, settings, now=now)
        return [*failed_spans(space, now=now), *abandoned_spans(space, now=now), *asked]
    except StoreError as error:
        if isinstance(error, DamagedCatalogError):
            with suppress(StoreError):  # the inbox sensor runs the days that this queues
                replace_catalog(space, load_settings(space.home))
        LOGGER.error("the ledger of one user was not read: %s", type(error).__name__)
        return []


def build_sensors(jobs: Sequence[Any], calendar: Calendar) -> list[dg.SensorDefinition]:
    """Return the sensors over the jobs of the sources (Dagster gives their type no public name).

    Args:
        calendar: of the definitions, with which runs have to agree.
    """

    @dg.sensor(
        name=INBOX,
        jobs=jobs,
        minimum_interval_seconds=15,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Lands new, changed and deleted inbox files and runs the days they touch.",
    )
    def inbox(context: dg.SensorEvaluationContext, brain: BrainResource) -> dg.SensorResult | dg.SkipReason:
        if (now := Calendar.of(load_settings(brain.path))).unit != calendar.unit:
            return dg.SkipReason(ask_for_reload(context.instance, now))
        since, asked = calendar.first_day.isoformat(), asked_for(context.instance)
        home, settings = Home(brain.path), load_settings(brain.path)
        plan = tick(home, settings, context.cursor, since=since, asked=asked, instance=context.instance)
        now = Calendar.of(load_settings(brain.path))
        reload = ask_for_reload(context.instance, now) if now.first_day < calendar.first_day else ""
        held = (
            f"{plan.held} deletions wait for `brain confirm-deletions`; `brain status` lists them" if plan.held else ""
        )
        _record(context.instance, brain, {day.user for day in plan.taken})
        warning = "; ".join(filter(None, [reload, measure_budget(Home(brain.path), brain.settings).warning, held]))
        if not plan.requests:
            return dg.SkipReason("; ".join(filter(None, ["nothing new in the inboxes", warning])))
        if warning:
            context.log.warning(warning)
        return dg.SensorResult(
            cursor=str(plan.batch),
            dynamic_partitions_requests=_registrations(context, plan.requests, calendar.names),
            run_requests=[run_request(r, r.run_key(plan.batch), calendar) for r in plan.requests],
        )

    @dg.sensor(
        name="retry",
        jobs=jobs,
        minimum_interval_seconds=60,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Retries failed days after 2, 4 and 8 minutes, and half-done days after 10 minutes, 1 hour and 6 hours; "
            "then leaves them to the operator. Days that wait for a remote model: at least once a day."
        ),
    )
    def retry(context: dg.SensorEvaluationContext, brain: BrainResource) -> dg.SensorResult | dg.SkipReason:
        home = Home(brain.path)
        now = datetime.now(UTC)
        due = [pair for user in home.users() for pair in _retry_spans(home.space(user), brain.settings, now)]
        if not due:
            return dg.SkipReason("no failed, waiting or half-done day is due")
        return dg.SensorResult(
            dynamic_partitions_requests=_registrations(context, [request for request, _ in due[:100]], calendar.names),
            run_requests=[run_request(request, key, calendar) for request, key in due[:100]],
        )

    return [inbox, retry]


def _record(instance: dg.DagsterInstance, brain: BrainResource, users: set[str]) -> None:
    """Record the open days of users with new files, and, after midnight, of all, for Dagster's pages."""
    now = datetime.now(UTC)
    home = Home(brain.path)
    until = time.monotonic() + RECORD_SECONDS
    for user in [
        *sorted(users),
        *(one for one in not_looked_at(instance, home, brain.settings, now) if one not in users),
    ]:
        if time.monotonic() < until:
            record_open_days(instance, home, brain.settings, [user], now=now)


def _registrations(
    context: dg.SensorEvaluationContext, requests: Sequence[SpanRequest], names: Names
) -> list[dg.AddDynamicPartitionsRequest]:
    """Return the requests that register new users in Dagster before their runs are created."""
    known = set(context.instance.get_dynamic_partitions(names.users))
    new = sorted({request.user for request in requests} - known)
    return [names.users_partitions().build_add_request(new)] if new else []
