"""The users that Dagster knows, the tags of runs, and the partition budget. `days/calendar.py` has the partitions.

Dagster recommends at most 100,000 partitions per asset, because its backfill pages enumerate users × days since
`first_day`. A run over a range of days does not, so the budget limits which users stay registered in Dagster, never
what is written or run: a run registers its own user, and the daily maintenance unregisters idle users beyond the
budget. It is measured by sensors and commands and not when the definitions load, which takes equally long for any
number of users.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import dagster as dg

from brain_pipelines.landing.inbox import inbox_users, list_files
from brain_pipelines.orchestration.cells.names import Names
from brain_pipelines.orchestration.days.calendar import Calendar
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import PartitionUnit, Settings

EARLY = 0.8  # share of the budget from which there is a warning
IDLE = timedelta(days=1)  # time without a run before a user beyond the budget is unregistered
_ENDED = {dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED}
DAYS_TAG = "brain/days"  # a tag: the days that a run is for, where its partitions hold more
_PARTITION_TAGS = {"dagster/partition", "dagster/asset_partition_range_start"}
UNFINISHED = [status for status in dg.DagsterRunStatus if status not in _ENDED]


@dataclass(frozen=True)
class PartitionBudget:
    """Number of partitions per asset, and the recommended maximum."""

    home: Path
    users: int
    first_day: date
    spans: int  # days or months
    budget: int
    unit: PartitionUnit = "day"

    @property
    def partitions(self) -> int:
        return self.users * self.spans

    @property
    def fitting(self) -> int:
        """The number of users whose partitions fit into the budget."""
        return min(self.users, self.budget // self.spans)

    @property
    def is_above(self) -> bool:
        return self.partitions > self.budget

    @property
    def product(self) -> str:
        return (
            f"{self.users:,} users × {self.spans:,} {self.unit}s since {self.first_day} = {self.partitions:,} "
            f"partitions an asset in {self.home}; the budget is {self.budget:,}."
        )

    @property
    def warning(self) -> str:
        """The numbers and what to do, without user names; "" far below the budget."""
        if self.partitions <= EARLY * self.budget:
            return ""
        fewer = "`brain init HOME --since DAY` sets a later first day: older items lie on it and keep their time."
        if self.unit == "day":
            fewer = f"`brain init HOME --partitions month` makes them a thirtieth. {fewer}"
        if not self.is_above:
            left = (self.budget - self.partitions) // max(1, self.users)
            return f"{self.product} It is reached in {left:,} {self.unit}s. {fewer}"
        return (
            f"{self.product} Writing, runs and search go on for every user. Dagster's pages keep the {self.fitting:,} "
            f"users that fit, newest data first; the other {self.users - self.fitting:,} are registered there only "
            f"around their own runs (`brain status` names them). {fewer}"
        )


def measure_budget(home: Home, settings: Settings, *, today: date | None = None) -> PartitionBudget:
    """Count the users with data and the partitions of each."""
    calendar = Calendar.of(settings)
    spans = calendar.count(today or datetime.now(UTC).date())
    users = len(active_users(home))
    return PartitionBudget(home.path, users, settings.first_day, spans, settings.partition_budget, calendar.unit)


def active_users(home: Home) -> list[str]:
    """Return the users with landed data or inbox files, sorted; an empty directory is not a user."""
    spaces = map(home.space, inbox_users(home))
    return [one.user for one in spaces if _received(one, "SELECT 1 FROM received LIMIT 1") or _waits(one)]


def left_out(home: Home, budget: PartitionBudget) -> list[str]:
    """Return the users beyond the budget when users are ordered by their newest data."""
    if not budget.is_above:
        return []
    newest = {user: _newest(home.space(user)) for user in active_users(home)}
    return sorted(sorted(newest, key=lambda user: (newest[user], user), reverse=True)[budget.fitting :])


def _newest(space: Space) -> str:
    """Return when a user's newest item was received, else the time of the newest inbox file."""
    if received := _received(space, "SELECT max(received_at) FROM received"):
        return received
    try:
        newest = max((file.mtime_ns for file in list_files(space.inbox)), default=0)
    except OSError:
        return ""
    return datetime.fromtimestamp(newest / 1e9, UTC).isoformat()


def _received(space: Space, sql: str) -> str:
    """Return the single value of a query on the landing database, opened read-only; "" if it does not exist."""
    try:
        if not space.landing.is_file():
            return ""
        uri = f"{space.landing.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=5)) as connection:
            row = connection.execute(sql).fetchone()
    except (sqlite3.Error, OSError):
        return "unreadable"  # the database exists, so the user counts; other code reports what is wrong
    return str(row[0] or "") if row else ""


def _waits(space: Space) -> bool:
    try:
        return any(True for _ in list_files(space.inbox))
    except OSError:
        return True  # an inbox that cannot be read may hold something


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
