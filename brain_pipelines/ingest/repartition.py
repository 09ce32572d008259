"""Another calendar for a home: a first day, and days or months as partitions. Only what lies elsewhere then runs again.

The ledger, the lake and the index go by days whatever the partitions are, so a switch between days and months runs
nothing; Dagster's pages show the days of the ledger either way.
"""

from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime

from brain_pipelines.ingest.console import Bars
from brain_pipelines.ingest.files import run_spans, spans_of
from brain_pipelines.ingest.local_runs import open_instance
from brain_pipelines.ingest.report import IngestReport
from brain_pipelines.landing.first_day import count_before
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.landing.run_planning import DirtyDay
from brain_pipelines.orchestration.days.budget import PartitionBudget, measure_budget
from brain_pipelines.orchestration.days.calendar import Calendar
from brain_pipelines.orchestration.days.open_days import record_open_days
from brain_pipelines.orchestration.days.reload import ask_for_reload
from brain_pipelines.orchestration.partitions import count_unfinished
from brain_retrieval.errors import BrainError, InvalidQueryError
from brain_retrieval.home import Home
from brain_retrieval.settings import (
    PartitionUnit,
    load_settings,
    read_home_partitions,
    set_by_owner,
    write_home_partitions,
)

OLDEST = date(1900, 1, 1)


class RunsGoOnError(BrainError):
    """Runs that are waiting or going on name partitions that would not exist any more."""


@dataclass
class Repartitioned:
    """What became of the partitions of a home."""

    before: PartitionBudget
    after: PartitionBudget
    days_run: int = 0  # of all users and sources
    clamped: int = 0  # items of events before the first day, which lie on it
    reload: str = ""
    failed: list[str] = field(default_factory=list)  # users with a run that failed


def repartition(
    home: Home, *, since: date | None = None, unit: PartitionUnit | None = None, bars: Bars | None = None
) -> Repartitioned:
    """Set the first day of a home, or what its partitions are, and run the days whose items differ.

    Raises:
        InvalidQueryError: `since` lies in the future or before 1900, or the owner has set it elsewhere.
        RunsGoOnError: runs are waiting or going on.
    """
    _check(home, since, unit)
    before = load_settings(home.path)
    chosen = read_home_partitions(home.path)
    with open_instance(home.path) as instance:
        if count := count_unfinished(instance):
            raise RunsGoOnError(
                f"{count} runs are waiting or going on; repeat this when they have ended, or cancel them in the UI"
            )
        measured = measure_budget(home, before)
        if since is not None:
            chosen = replace(chosen, first_day=since, by="owner")
        write_home_partitions(home.path, replace(chosen, partitions=unit or chosen.partitions))
        settings = load_settings(home.path)
        moved, clamped = _moved(home)
        result = Repartitioned(measured, measure_budget(home, settings), clamped=clamped)
        for user, days in moved.items():
            report = IngestReport(user, "all sources")
            run_spans(home, spans_of(days), bars, report)
            result.days_run += len(days)
            if not report.success:
                result.failed.append(user)
        record_open_days(instance, home, settings, home.users())
        if Calendar.of(settings) != Calendar.of(before):
            result.reload = ask_for_reload(instance, Calendar.of(settings))
    return result


def _check(home: Home, since: date | None, unit: PartitionUnit | None) -> None:
    for name, value in (("first_day", since), ("partitions", unit)):
        if value is not None and (place := set_by_owner(home.path, name)):
            raise InvalidQueryError(f"{place} sets {name}, which comes first; change it there, or remove it there")
    if since is not None and not OLDEST <= since <= datetime.now(UTC).date():
        raise InvalidQueryError(f"--since: {since} is not between {OLDEST} and today")


def _moved(home: Home) -> tuple[dict[str, list[DirtyDay]], int]:
    """Return the days of each user that the new first day has marked, and how many items lie on it for their age."""
    moved: dict[str, list[DirtyDay]] = {}
    clamped = 0
    for user in home.users():
        with open_landing(home.space(user), load_settings(home.path)) as landing:
            clamped += count_before(landing)
            if days := landing.dirty():
                moved[user] = days
    return moved, clamped
