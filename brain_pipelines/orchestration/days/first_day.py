"""The first day of a home: chosen when the first files land, moved earlier when older ones do.

It is January 1st of the year of the oldest file, at most one month back for a home of today's files only. A first day
that the owner has set (`brain init --since`, `brain.toml`, the environment) stays, and so does that of a home from
before there was a choice.
"""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from brain_pipelines.landing.first_day import follow_first_day, oldest_day
from brain_pipelines.landing.landing import Landing, open_landing
from brain_pipelines.orchestration.behind import FIRST
from brain_pipelines.orchestration.days.calendar import Calendar
from brain_retrieval.errors import StoreError
from brain_retrieval.home import Home
from brain_retrieval.settings import (
    Settings,
    load_settings,
    read_home_partitions,
    set_by_owner,
    write_home_partitions,
)
from brain_retrieval.stores.catalog import Catalog

EARLIEST = date(1990, 1, 1)  # clocks that were never set say 1970 or 1980; an earlier first day has to be asked for
ROOM = timedelta(days=31)  # for files that are a little older than the first ones


def choose_first_day(home: Home, landing: Landing, *, today: date | None = None) -> Settings:
    """Let the oldest landed file of a user decide on the first day, if no person has; return the settings then.

    `landing` follows at once, the records of other users when they are opened next. Beyond the partition budget the
    first day stays, and older items lie on it.
    """
    settings = load_settings(home.path)
    chosen = read_home_partitions(home.path)
    if chosen.by in ("owner", "before") or set_by_owner(home.path, "first_day"):
        return settings
    now = today or datetime.now(UTC).date()
    oldest = [oldest_day(landing, EARLIEST), *(_oldest_of_others(home, landing, settings) if not chosen.by else ())]
    found = min((day for day in oldest if day), default="")
    if read_home_partitions(home.path) != chosen or not found:  # one of the others is from before there was a choice
        return load_settings(home.path)
    wanted = min(date.fromisoformat(found), now - ROOM).replace(month=1, day=1)
    if chosen.first_day is not None and wanted >= chosen.first_day:
        return settings
    if wanted < settings.first_day and not _fits(home, settings, wanted, now):
        wanted = chosen.first_day or settings.first_day
    if wanted != chosen.first_day:
        write_home_partitions(home.path, replace(chosen, first_day=wanted, by="files"))
        landing.first_day = wanted.isoformat()
        follow_first_day(landing)
        _settle_never_run(landing)
    return load_settings(home.path)


def _oldest_of_others(home: Home, landing: Landing, settings: Settings) -> list[str]:
    found = []
    for user in home.users():
        if user != landing.user:
            try:
                with open_landing(home.space(user), settings) as other:
                    found.append(oldest_day(other, EARLIEST))
            except (StoreError, OSError):
                continue  # whoever works with this user says what is wrong
    return found


def _settle_never_run(landing: Landing) -> None:
    """Take days off the queue on which files lay only until the first day was chosen, and which no run has seen."""
    empty = [day for day in landing.dirty() if not day.content]
    if empty:
        with Catalog(landing.space) as catalog:
            seen = catalog.days(FIRST, {day.source for day in empty})
        for day in empty:
            if (day.source, day.day) not in seen:
                landing.settle(day.source, {day.day: ""})


def _fits(home: Home, settings: Settings, first_day: date, today: date) -> bool:
    spans = Calendar(first_day, settings.partitions).count(today)
    return spans * max(1, len(home.users())) <= settings.partition_budget
