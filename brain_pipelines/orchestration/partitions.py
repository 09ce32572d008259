"""Partitions by user and day, and the partition budget. A partition key looks like `2026-01-05|alice`.

Dagster recommends at most 100,000 partitions per asset, because its backfill pages enumerate users × days since
`first_day`. A run over a range of days does not, so the budget limits which users stay registered in Dagster, never
what is written or run: a run registers its own user, and the daily maintenance unregisters idle users beyond the
budget.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import dagster as dg

from brain_pipelines.landing.inbox import inbox_users, list_files
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings

USERS = dg.DynamicPartitionsDefinition(name="users")
IDLE = timedelta(days=1)  # time without a run before a user beyond the budget is unregistered
_ENDED = {dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED}
_PARTITION_TAGS = {"dagster/partition", "dagster/asset_partition_range_start"}
UNFINISHED = [status for status in dg.DagsterRunStatus if status not in _ENDED]


@dataclass(frozen=True)
class PartitionBudget:
    """Number of partitions per asset, and the recommended maximum."""

    home: Path
    users: int
    first_day: date
    days: int
    budget: int

    @property
    def partitions(self) -> int:
        return self.users * self.days

    @property
    def fitting(self) -> int:
        """The number of users whose days fit into the budget."""
        return min(self.users, self.budget // self.days)

    @property
    def warning(self) -> str:
        """The numbers and their consequence, without user names; "" if all users fit."""
        if self.partitions <= self.budget:
            return ""
        return (
            f"{self.users:,} users × {self.days:,} days since {self.first_day} = {self.partitions:,} partitions an "
            f"asset in {self.home}; the budget is {self.budget:,}. Writing, runs and search go on for every user. "
            f"Dagster's pages keep the {self.fitting:,} users that fit, newest data first; the other "
            f"{self.users - self.fitting:,} are registered there only around their own runs (`brain status` names "
            "them). BRAIN_FIRST_DAY set later makes room: older events are clamped onto it and keep their time."
        )


def build_user_days(first_day: date) -> dg.MultiPartitionsDefinition:
    """Return the partitions of every source asset. `end_offset` makes today a partition before the day has ended."""
    days = dg.DailyPartitionsDefinition(start_date=first_day.isoformat(), end_offset=1)
    return dg.MultiPartitionsDefinition({"day": days, "user": USERS})


def measure_budget(home: Home, settings: Settings, *, today: date | None = None) -> PartitionBudget:
    """Count the users with data and the days since the first day."""
    days = ((today or datetime.now(UTC).date()) - settings.first_day).days + 1
    return PartitionBudget(
        home.path, len(active_users(home)), settings.first_day, max(1, days), settings.partition_budget
    )


def active_users(home: Home) -> list[str]:
    """Return the users with landed data or inbox files, sorted; an empty directory is not a user."""
    spaces = map(home.space, inbox_users(home))
    return [one.user for one in spaces if _received(one, "SELECT 1 FROM received LIMIT 1") or _waits(one)]


def left_out(home: Home, budget: PartitionBudget) -> list[str]:
    """Return the users beyond the budget when users are ordered by their newest data."""
    if not budget.warning:
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


def register(instance: dg.DagsterInstance, users: Iterable[str]) -> None:
    """Register users in Dagster, which refuses runs for unknown partitions. Independent of the budget."""
    if new := sorted(set(users) - set(instance.get_dynamic_partitions("users"))):
        instance.add_dynamic_partitions("users", new)


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
    idle = set(instance.get_dynamic_partitions("users")) - busy
    gone = sorted(idle.intersection(left_out(home, measure_budget(home, settings))))
    for user in gone:
        instance.delete_dynamic_partition("users", user)
    return len(gone)


def partition_key(user: str, day: str) -> str:
    """Return the key in Dagster's format: dimensions ordered by name."""
    return f"{day}|{user}"


def range_tags(user: str, start: str, end: str) -> dict[str, str]:
    """Return the tags that make one run cover a span of days of one user, and serialise it with that user's runs."""
    return {
        "dagster/asset_partition_range_start": partition_key(user, start),
        "dagster/asset_partition_range_end": partition_key(user, end),
        "brain/user": user,
    }


def work_items(keys: Sequence[str]) -> dict[str, list[str]]:
    """Return {user: days} for the partition keys of a run, which may be one key or any rectangle."""
    days: dict[str, list[str]] = defaultdict(list)
    for key in keys:
        by_dimension = key.keys_by_dimension if isinstance(key, dg.MultiPartitionKey) else _split(key)
        days[by_dimension["user"]].append(by_dimension["day"])
    return dict(days)


def _split(key: str) -> dict[str, str]:
    day, _, user = key.partition("|")
    return {"day": day, "user": user}
