"""The calendar of a home: its first day, and whether a partition of a user is a day or a month.

The ledger, the lake and the index go by days in either case. A partition key is `2026-01-05|alice`, or `2026-01|alice`
where partitions are months; items of events before the first day lie on it.
"""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from brain_pipelines.landing.run_planning import days_between
from brain_pipelines.orchestration.cells.names import ALONE, Names
from brain_retrieval.settings import PartitionUnit, Settings

if TYPE_CHECKING:
    import dagster as dg

MONTH_FORMAT = "%Y-%m"


@dataclass(frozen=True)
class Calendar:
    """What the partitions of a home are."""

    first_day: date
    unit: PartitionUnit = "day"
    names: Names = ALONE

    @classmethod
    def of(cls, settings: Settings) -> Calendar:
        """Return the calendar that settings describe."""
        return cls(settings.first_day, settings.partitions, Names.of(settings))

    def definition(self) -> dg.MultiPartitionsDefinition:
        """Return the partitions of every source asset; today, or this month, is one before it has ended."""
        import dagster as dg  # not by `brain status`, which only counts the partitions

        if self.unit == "month":
            start = self.first_day.replace(day=1).strftime(MONTH_FORMAT)
            spans: dg.PartitionsDefinition = dg.MonthlyPartitionsDefinition(start, fmt=MONTH_FORMAT, end_offset=1)
        else:
            spans = dg.DailyPartitionsDefinition(start_date=self.first_day.isoformat(), end_offset=1)
        return dg.MultiPartitionsDefinition({self.unit: spans, "user": self.names.users_partitions()})

    def span_of(self, day: str) -> str:
        """Return the part of a partition key for an ISO day; a day before the first lies on the first."""
        day = max(day, self.first_day.isoformat())
        return day[:7] if self.unit == "month" else day

    def key(self, user: str, day: str) -> str:
        """Return the partition of a user that holds an ISO day, in Dagster's format: dimensions ordered by name."""
        return f"{self.span_of(day)}|{user}"

    def days_of(self, span: str) -> list[str]:
        """Return the ISO days of the part of a partition key."""
        if len(span) > len("2026-01"):
            return [span]
        year, month = map(int, span.split("-"))
        end = date(year, month, monthrange(year, month)[1])
        return days_between(f"{span}-01", end.isoformat())

    def count(self, today: date) -> int:
        """Return the number of partitions of one user."""
        if self.unit == "month":
            months = (today.year - self.first_day.year) * 12 + today.month - self.first_day.month
            return max(1, months + 1)
        return max(1, (today - self.first_day) // timedelta(days=1) + 1)
