"""Users, days, and the budget of their product. The key of every partition reads `2026-01-05|alice`.

Dagster recommends at most 100,000 partitions an asset and its pages suffer from about 40,000, because any backfill
request enumerates users × days since `first_day`; so the product is checked when the definitions load.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, date, datetime

import dagster as dg

from brain_retrieval.errors import BrainError

USERS = dg.DynamicPartitionsDefinition(name="users")


class PartitionBudgetError(BrainError):
    """More partitions than the budget allows; the message shows the arithmetic and what to change."""


def build_user_days(first_day: date) -> dg.MultiPartitionsDefinition:
    """Return the partitions of every source asset. `end_offset` makes today a partition before it has ended."""
    days = dg.DailyPartitionsDefinition(start_date=first_day.isoformat(), end_offset=1)
    return dg.MultiPartitionsDefinition({"day": days, "user": USERS})


def check_budget(users: int, first_day: date, budget: int, *, today: date | None = None) -> int:
    """Return users × days, the number of partitions of each asset.

    Raises:
        PartitionBudgetError: if it is above `budget`.
    """
    days = ((today or datetime.now(UTC).date()) - first_day).days + 1
    if users * days > budget:
        raise PartitionBudgetError(
            f"{users} users × {days} days since {first_day} = {users * days:,} partitions an asset; the budget is "
            f"{budget:,}. Set BRAIN_FIRST_DAY later (older events are clamped onto it, their time is kept), or split "
            "the users over several homes."
        )
    return users * days


def partition_key(user: str, day: str) -> str:
    """Return the key as Dagster writes it: dimensions in the order of their names."""
    return f"{day}|{user}"


def range_tags(user: str, start: str, end: str) -> dict[str, str]:
    """Return the tags that make one run cover a span of days of one user, and queue behind that user's other runs."""
    return {
        "dagster/asset_partition_range_start": partition_key(user, start),
        "dagster/asset_partition_range_end": partition_key(user, end),
        "brain/user": user,
    }


def work_items(keys: Sequence[str]) -> dict[str, list[str]]:
    """Return {user: days} of the partition keys of a run, which may be one key or any rectangle."""
    days: dict[str, list[str]] = defaultdict(list)
    for key in keys:
        by_dimension = key.keys_by_dimension if isinstance(key, dg.MultiPartitionKey) else _split(key)
        days[by_dimension["user"]].append(by_dimension["day"])
    return dict(days)


def _split(key: str) -> dict[str, str]:
    day, _, user = key.partition("|")
    return {"day": day, "user": user}
