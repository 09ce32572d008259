"""The partition budget: how many users Dagster's pages can hold, counted from the records alone.

Dagster recommends at most 100,000 partitions per asset, because its backfill pages enumerate users × days since
`first_day`. A run over a range of days does not, so the budget limits which users stay registered in Dagster, never
what is written or run. It is measured by sensors and commands and not when the definitions load, which takes equally
long for any number of users. Nothing here loads Dagster: `brain status` needs the numbers alone.
"""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from brain_pipelines.landing.inbox import inbox_users, list_files
from brain_pipelines.orchestration.days.calendar import Calendar
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import PartitionUnit, Settings

EARLY = 0.8  # share of the budget from which there is a warning


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
