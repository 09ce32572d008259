"""Which days of a user are not done yet, from the ledger and the landing record, for Dagster's pages.

`storage/done_status.py` says how Dagster's pages use it. What is recorded here decides nothing: runs are planned from
the ledger and the landing record themselves.
"""

import logging
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import dagster as dg

from brain_pipelines.knowledge.pinned_inputs import end_of
from brain_pipelines.knowledge.team_extraction import pending
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.orchestration.behind import not_done
from brain_pipelines.orchestration.cells.names import Names
from brain_pipelines.orchestration.storage.done_status import Standing, read_standings, write_standing
from brain_retrieval.home import Home
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.snapshots import SnapshotStore

LOGGER = logging.getLogger(__name__)
SNAPSHOT_GROUPS = ("knowledge", "memory")
TEAM = "team"


def open_days(home: Home, user: str, settings: Settings, now: datetime) -> Standing:
    """Return the days of a user that are not done: of each source, of snapshots, of team sources.

    A snapshot is open if something was received since the newest one until yesterday; a later one holds it too.
    """
    space = home.space(user)
    found: dict[str, set[str]] = {}
    with open_landing(space, settings) as landing, Catalog(space) as catalog:
        for source, day in not_done(landing, catalog):
            found.setdefault(source, set()).add(max(day, landing.first_day))
        yesterday = (now.astimezone(settings.zone).date() - timedelta(days=1)).isoformat()
        newest = SnapshotStore(space).newest()
        since = end_of(newest, settings) if newest else datetime.min.replace(tzinfo=UTC)
        if landing.received_between(since, end_of(yesterday, settings)):
            found |= {group: {yesterday} for group in SNAPSHOT_GROUPS}
    if settings.teams and (due := {day.day for day in pending(home, user, settings)}):
        found[TEAM] = due
    return Standing(now.astimezone(UTC).date().isoformat(), {name: sorted(days) for name, days in found.items()})


def record_open_days(
    instance: dg.DagsterInstance, home: Home, settings: Settings, users: Iterable[str], *, now: datetime | None = None
) -> int:
    """Record the open days of users in Dagster; return for how many they changed. An error is logged only."""
    changed = 0
    for user in users:
        try:
            standing = open_days(home, user, settings, now or datetime.now(UTC))
            changed += write_standing(instance, user, standing)
        except Exception as error:  # for display only
            LOGGER.warning("the open days of one user could not be recorded: %s", type(error).__name__)
    return changed


def not_looked_at(instance: dg.DagsterInstance, home: Home, settings: Settings, now: datetime) -> list[str]:
    """Return the users that Dagster knows whose open days were last recorded on an earlier day, or not at all."""
    registered = instance.get_dynamic_partitions(Names.of(settings).users)
    known, today = read_standings(instance, registered), now.astimezone(UTC).date().isoformat()
    return [user for user in home.users() if user in registered and (user not in known or known[user].through != today)]
