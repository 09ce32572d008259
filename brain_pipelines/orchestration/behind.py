"""Queries for days that are not up to date, derived from the ledger.

A day is done when every stage has processed the current output of the stage before it. Because this is read from the
ledger, it holds however a run ended: interrupted, killed, or lost.

unfinished    some stage has not run on its current input; running the day finishes it
failed        some stage ran and failed; the ledger has the reason (`catalog.ledger(state="failed")`)
waiting       a remote model was not asked or did not answer; the rest is stored (`engine/waiting.py`)
outdated      every stage has run, some with older code or settings; searchable, recomputed only on request
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from brain_pipelines.engine.stage_version import config_hash
from brain_pipelines.engine.waiting import WAITING, is_held
from brain_pipelines.landing.landing import Landing
from brain_pipelines.landing.run_planning import DirtyDay, SpanRequest, spans
from brain_pipelines.sources.registry import SOURCES, SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES, STAGES_BY_NAME
from brain_retrieval.errors import ModelMissingError
from brain_retrieval.home import Space
from brain_retrieval.ids import stable_hash
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog, LedgerRow
from brain_retrieval.stores.locking import is_worked_on

FIRST = STAGES[0].name
NAMES = tuple(source.name for source in SOURCES)
UPSTREAMS = {stage.name: stage.upstream for stage in STAGES if stage.upstream}
# A half-done day is offered again after these times, then left to the operator: if it kills its process three times,
# that is no coincidence.
CLOCK_STEP = timedelta(minutes=5)  # two clocks, or one that is set right, may differ by less
ASKED_AFTER, ASKED_AT_LEAST = timedelta(minutes=10), timedelta(days=1)
OFFERED_AFTER = (timedelta(minutes=10), timedelta(hours=1), timedelta(hours=6))


def unfinished(landing: Landing, catalog: Catalog, sources: Collection[str] = NAMES) -> list[DirtyDay]:
    """Return the days of a user on which some stage has yet to run; failed days that wait for a retry are excluded."""
    first = landing.first_day  # a run of the first day also finishes what is stored of days before it
    dirty = (replace(day, day=max(day.day, first)) for day in landing.dirty() if day.source in sources)
    found = {(day.source, day.day): day for day in dirty}
    landed = {(source, day) for source in sources for day in landing.days(source)}
    never_run = landed - catalog.days(FIRST, sources)
    for source, day in never_run.union(catalog.unread(UPSTREAMS, sources)):
        day = max(day, first)
        found.setdefault((source, day), DirtyDay(landing.user, source, day, ""))
    return [found[key] for key in sorted(found)]


def due_for(landing: Landing, catalog: Catalog, sources: Collection[str], files: Iterable[str]) -> list[DirtyDay]:
    """Return the days to run when files are ingested: all unfinished days of their sources, and their own failed days.

    Failed days of other files are excluded: they would be retried and reported with every ingested file.

    Args:
        sources: the names of the source types.
        files: the uris of the files.
    """
    due = {(d.source, d.day): d for d in unfinished(landing, catalog, sources)}
    failed = {(row.source, row.day) for row in catalog.ledger(state="failed")}
    own = {key for uri in files for key in landing.days_of(uri)} if failed else set()
    for source, day in failed & own:
        due.setdefault((source, day), DirtyDay(landing.user, source, day, ""))
    return [due[key] for key in sorted(due)]


def not_done(landing: Landing, catalog: Catalog) -> set[tuple[str, str]]:
    """Return (source, day) of every day that is unfinished or failed."""
    open_days = {(day.source, day.day) for day in unfinished(landing, catalog)}
    return open_days | {(row.source, row.day) for row in catalog.ledger(state="failed")}


def outdated(ledger: Iterable[LedgerRow], settings: Settings, user: str) -> set[tuple[str, str]]:
    """Return (source, day) of every day whose rows were made by older code or under other settings."""
    wanted: dict[tuple[str, str], tuple[str, str] | None] = {}
    found = set()
    for row in ledger:
        if row.source not in SOURCES_BY_NAME or row.stage not in STAGES_BY_NAME or row.state != "ok":
            continue
        key = (row.source, row.stage)
        if key not in wanted:
            wanted[key] = _current_version(*key, settings, user)
        version = wanted[key]
        if version is not None and row.input_hash and (row.code_version, row.config_hash) != version:
            found.add((row.source, row.day))
    return found


def _current_version(source: str, stage: str, settings: Settings, user: str) -> tuple[str, str] | None:
    """Return (code version, config hash) of a stage as of now; None if determining it needs a missing model."""
    one = STAGES_BY_NAME[stage]
    try:
        return one.code_version, config_hash(one, SOURCES_BY_NAME[source], settings, user)
    except ModelMissingError:
        return None


def abandoned_spans(space: Space, *, now: datetime) -> list[tuple[SpanRequest, str]]:
    """Return the runs that finish days whose run ended between two stages, each with its run key.

    A run in progress holds a lock while a stage works; the kernel releases it when the process dies. Days with
    new content belong to the inbox sensor, failed days to `failed_spans`. The key contains the state of the day and how
    often it was offered, so a day that kills its process is not run endlessly.
    """
    with Catalog(space) as catalog:
        keys = catalog.unread(UPSTREAMS, NAMES)
        if not keys or is_worked_on(space):
            return []
        due: dict[str, dict[str, str]] = {}
        for source in {source for source, _ in keys}:
            days = [day for one, day in keys if one == source]
            for day, token in _offers(catalog.ledger(source=source, days=days), now).items():
                due.setdefault(source, {})[day] = token
    requests = []
    for source, tokens in sorted(due.items()):
        for span in spans(tokens):
            content = stable_hash([tokens[day] for day in span])
            request = SpanRequest(space.user, source, span[0], span[-1], tuple(span), content)
            requests.append((request, f"finish:{source}:{space.user}:{span[0]}:{span[-1]}:{content}"))
    return requests


def waiting_spans(space: Space, settings: Settings, *, now: datetime) -> list[tuple[SpanRequest, str]]:
    """Return the runs that ask a remote model about days that wait for it, each with its run key.

    They are offered after 10 minutes, then after four times as long as before, at least once a day; not before the
    next month, or a change of the settings, if a budget is spent.
    """
    due: dict[str, dict[str, str]] = {}
    with Catalog(space) as catalog:
        for row in catalog.reasons(WAITING):
            if row.source not in SOURCES_BY_NAME or is_held(row, settings.costs, now):
                continue
            wait = asked_again_after(catalog.failures(row.source, row.stage, row.day, row.input_hash))
            if now - row.started_at >= wait or now - row.started_at < -CLOCK_STEP:
                due.setdefault(row.source, {})[row.day] = row.run_id
    requests = []
    for source, days in sorted(due.items()):
        for span in spans(days):
            request = SpanRequest(space.user, source, span[0], span[-1], tuple(span), "waiting")
            requests.append((request, f"ask:{source}:{space.user}:{span[0]}:{span[-1]}:{days[span[0]]}"))
    return requests


def asked_again_after(tries: int) -> timedelta:
    """Return how long after the last of some tries a model is asked again."""
    return min(ASKED_AFTER * 4 ** min(max(tries - 1, 0), 8), ASKED_AT_LEAST)


def _offers(ledger: Iterable[LedgerRow], now: datetime) -> dict[str, str]:
    """Return {day: token} of days without failures whose last stage ended long enough ago."""
    by_day: dict[str, list[LedgerRow]] = {}
    for row in ledger:
        by_day.setdefault(row.day, []).append(row)
    offers = {}
    for day, rows in by_day.items():
        # An end in the future: the clock was ahead, so nothing is known of the age.
        ages = [now - row.started_at for row in rows]
        age = min((age for age in ages if age > -CLOCK_STEP), default=OFFERED_AFTER[-1])
        times = sum(age >= wait for wait in OFFERED_AFTER)
        if times and all(row.state == "ok" for row in rows):
            offers[day] = stable_hash([times, day, *([row.stage, row.run_id, row.input_hash] for row in rows)])
    return offers
