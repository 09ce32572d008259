"""The users that Dagster knows, and the tags of runs. `days/calendar.py` has the partitions, `days/budget.py` how many.

A run registers its own user, and the daily maintenance unregisters idle users beyond the partition budget.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import dagster as dg

from brain_pipelines.orchestration.cells.names import Names
from brain_pipelines.orchestration.days.budget import left_out, measure_budget
from brain_pipelines.orchestration.days.calendar import Calendar
from brain_retrieval.home import Home
from brain_retrieval.settings import Settings

IDLE = timedelta(days=1)  # time without a run before a user beyond the budget is unregistered
_ENDED = {dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED}
DAYS_TAG = "brain/days"  # a tag: the days that a run is for, where its partitions hold more
_PARTITION_TAGS = {"dagster/partition", "dagster/asset_partition_range_start"}
UNFINISHED = [status for status in dg.DagsterRunStatus if status not in _ENDED]


def register(instance: dg.DagsterInstance, users: Iterable[str], names: Names) -> None:
    """Register users in Dagster, which refuses runs for unknown partitions. Independent of the budget."""
    if new := sorted(set(users) - set(instance.get_dynamic_partitions(names.users))):
        instance.add_dynamic_partitions(names.users, new)


def unregister_left_out(instance: dg.DagsterInstance, home: Home, settings: Settings) -> int:
    """Unregister idle users beyond the budget and return how many; their next run registers them again.

    Data and run events stay. Users with a run within the last day or an unfinished run stay registered; while such a
    run names no single user (a UI backfill may span several), all users stay.
    """
    runs = [
        *instance.get_runs(dg.RunsFilter(created_after=datetime.now(UTC) - IDLE)),
        *instance.get_runs(dg.RunsFilter(statuses=UNFINISHED)),
    ]
    if any("brain/user" not in run.tags and _PARTITION_TAGS & run.tags.keys() for run in runs):
        return 0
    busy = {run.tags.get("brain/user") for run in runs}
    registered = Names.of(settings).users
    idle = set(instance.get_dynamic_partitions(registered)) - busy
    gone = sorted(idle.intersection(left_out(home, measure_budget(home, settings))))
    for user in gone:
        instance.delete_dynamic_partition(registered, user)
    return len(gone)


def count_unfinished(instance: dg.DagsterInstance) -> int:
    """Return the number of runs over partitions that are waiting or going on."""
    return sum(bool(_PARTITION_TAGS & run.tags.keys()) for run in instance.get_runs(dg.RunsFilter(statuses=UNFINISHED)))


def range_tags(user: str, start: str, end: str, calendar: Calendar) -> dict[str, str]:
    """Return the tags that make one run cover a span of days of one user, and serialise it with that user's runs."""
    tags = {
        "dagster/asset_partition_range_start": calendar.key(user, start),
        "dagster/asset_partition_range_end": calendar.key(user, end),
        "brain/user": user,
        **calendar.names.tags,
    }
    return tags if calendar.unit == "day" else {**tags, DAYS_TAG: f"{start}...{end}"}


@dataclass(frozen=True)
class Work:
    """What a run has to do for a user: the parts of its partition keys, and their ISO days."""

    spans: tuple[str, ...]
    days: tuple[str, ...]


def work_items(keys: Sequence[str], calendar: Calendar, tags: Mapping[str, str] | None = None) -> dict[str, Work]:
    """Return the work for each user among the partition keys of a run, which may be one key or any rectangle.

    Args:
        tags: of the run; they may narrow the days of a month to those that it was started for.
    """
    start, _, end = (tags or {}).get(DAYS_TAG, "").partition("...")
    spans: dict[str, list[str]] = defaultdict(list)
    for key in keys:
        span, _, user = key.partition("|")
        spans[user].append(span)
    return {
        user: Work(
            tuple(own), tuple(day for one in own for day in calendar.days_of(one) if start <= day <= (end or "9999"))
        )
        for user, own in spans.items()
    }
