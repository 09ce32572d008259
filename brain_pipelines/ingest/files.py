"""Ingestion of files from the command line: copy into the inbox, land, run through Dagster, report file by file.

The inbox sensor does the same for files that users drop themselves; both share landing, run planning and the ledger.
"""

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from brain_pipelines.engine.healing import ensure_catalog
from brain_pipelines.engine.landing_recovery import ensure_landing
from brain_pipelines.ingest.console import Bars
from brain_pipelines.ingest.current import days_to_run, smallest_first
from brain_pipelines.ingest.given_files import files_at, with_members
from brain_pipelines.ingest.interrupts import on_interrupt
from brain_pipelines.ingest.report import IngestReport, report_items
from brain_pipelines.landing.blobs import FileChangedError, drop_into_inbox
from brain_pipelines.landing.inbox import UNFINISHED_SUFFIXES, FileState
from brain_pipelines.landing.landing import NO_POLICY, Landing, open_landing
from brain_pipelines.landing.own_users import create_space
from brain_pipelines.landing.run_planning import DirtyDay, SpanRequest, days_between, plan_runs, spans
from brain_pipelines.landing.scan import scan_inbox
from brain_pipelines.orchestration.behind import due_for, not_done, outdated
from brain_pipelines.orchestration.days.first_day import choose_first_day
from brain_pipelines.readers.contract import describe
from brain_pipelines.readers.source_policy import SourcePolicy
from brain_pipelines.sources.choice import choose_source
from brain_pipelines.sources.registry import SOURCES, SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES
from brain_retrieval.errors import BrainError, home_error
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings, load_settings
from brain_retrieval.stores.catalog import Catalog

if TYPE_CHECKING:
    from brain_pipelines.ingest.local_runs import RunOutcome

LANDING_INTERRUPTED = (
    "interrupted while files were landing, nothing was run yet; run the same command again to continue"
)


class NothingToIngestError(BrainError):
    """No path contains a file, or the source type does not exist."""

    exit_code = 2


def ingest(
    home: Home,
    *,
    user: str,
    source: str | None = None,
    paths: Sequence[Path],
    choose: Callable[[Path], str] = choose_source,
    event_time: datetime | None = None,
    policy: SourcePolicy = NO_POLICY,
    even_forgotten: bool = False,
    bars: Bars | None = None,
) -> IngestReport:
    """Copy files into the inbox of a user's source, materialise the days they touch, and report.

    Days of these sources that an earlier run left unfinished are finished too, even if their files are unchanged.

    Args:
        source: a source type by name or alias; None asks `choose` for the type of each file.
        paths: files or directories (recursive, relative paths kept); a .zip is unpacked (`given_files.py`).
        event_time: event time of the files; a naive time is in the time zone of the settings.
        policy: retention and sensitivity of the files.
        even_forgotten: take files again that were forgotten.

    Raises:
        NothingToIngestError: if the source type is unknown or no file is found.
        InvalidUserError: if the user id is malformed.
        InterruptedCommandError: if a signal stopped it; the message says how far it came.
    """
    began = time.perf_counter()
    space, settings = home.space(user), load_settings(home.path)
    source = _resolve_source(source)
    files = list(files_at(paths))
    if not files:
        raise NothingToIngestError("no file found at " + ", ".join(repr(str(p)) for p in paths))
    report = IngestReport(user, source or ("by format" if choose is choose_source else "by folder"))
    source_of = (lambda _path: source) if source else choose
    chosen: dict[str, list[tuple[Path, Path]]] = {}
    uris: set[str] = set()
    ensure_catalog(create_space(space, settings), settings)
    ensure_landing(space, settings)
    with on_interrupt(lambda: LANDING_INTERRUPTED), open_landing(space, settings) as landing, Catalog(space) as catalog:
        landing.even_forgotten = even_forgotten
        with TemporaryDirectory(prefix="brain-unpacked-") as folder:
            for path, name in with_members(files, source_of, Path(folder), settings.limits, report.refuse):
                chosen.setdefault(source_of(path), []).append((path, name))
            for name, members in sorted(chosen.items()):
                given = (_aware(event_time, settings), policy)
                uris |= _land(space, landing, name, members, given, bars, report)
        settings = choose_first_day(home, landing)
        due = due_for(landing, catalog, chosen, uris)
        _drop_due_from_skipped(report, landing, due)
        requests = smallest_first(landing, spans_of(due))
    run_spans(home, requests, bars, report, force=False)
    for name in sorted(chosen):
        report_items(space, settings, name, uris, report)
    report.seconds = time.perf_counter() - began
    return report


def rerun(
    home: Home,
    *,
    user: str,
    source: str | None = None,
    start: str | None = None,
    end: str | None = None,
    force: bool = False,
    bars: Bars | None = None,
) -> IngestReport:
    """Scan a user's inbox, then run days again: those in [start, end], or all that have or had data.

    Days that are up to date are left out, unless `force` computes them too: without others there is no run.

    Raises:
        UnknownUserError: if nothing of the user has ever landed and the inbox is empty.
        NothingToIngestError: if the source type is unknown.
        InterruptedCommandError: if a signal stopped it; the message says how far it came.
    """
    began = time.perf_counter()
    settings = load_settings(home.path)
    space = home.space(user) if home.space(user).inbox.is_dir() else home.existing_space(user)
    source = _resolve_source(source)
    report = IngestReport(user, source or "all sources")
    names = [source] if source else sorted(one.name for one in SOURCES)
    ensure_catalog(create_space(space, settings), settings)
    ensure_landing(space, settings)
    with on_interrupt(lambda: LANDING_INTERRUPTED), open_landing(space, settings) as landing, Catalog(space) as catalog:
        scan_inbox(space, landing, until=time.monotonic() + 3600, settle_seconds=0)
        settings = choose_first_day(home, landing)
        wanted: dict[str, list[str]] = {}
        for name in names:
            # days whose items are all gone must run too, or their rows would stay
            known = {row.day for row in catalog.ledger(source=name)}
            known |= {d.day for d in landing.dirty() if d.source == name}
            days = known | set(landing.days(name))
            days = {max(day, landing.first_day) for day in days}  # what lies before is cleared by the first
            if not days:
                continue
            wanted[name] = sorted(day for day in days if (start or "") <= day <= (end or "9999-12-31"))
    chosen = wanted if force else days_to_run(space, settings, wanted)
    report.current = sum(map(len, wanted.values())) - sum(map(len, chosen.values()))
    requests = [
        SpanRequest(user, name, span[0], span[-1], tuple(span), "rerun")
        for name, days in chosen.items()
        for span in spans(days)
    ]
    run_spans(home, requests, bars, report, force=force)
    with open_landing(space, settings) as landing:
        uris = set(landing.landed())
        report.waiting_deletions = len(landing.waiting())
    for name, days in wanted.items():
        current = set(days).difference(chosen.get(name, ()))
        report_items(space, settings, name, uris, report, current=current)
    report.seconds = time.perf_counter() - began
    return report


def _resolve_source(source: str | None) -> str | None:
    """Return the name of a source type given by name or alias."""
    if source is None:
        return None
    if source not in SOURCES_BY_NAME:
        raise NothingToIngestError(f"no source type {source!r}; known: {', '.join(sorted(s.name for s in SOURCES))}")
    return SOURCES_BY_NAME[source].name


def _land(
    space: Space,
    landing: Landing,
    source: str,
    files: Sequence[tuple[Path, Path]],
    given: tuple[datetime | None, SourcePolicy],
    bars: Bars | None,
    report: IngestReport,
) -> set[str]:
    """Copy and land each file; return the uris. A file already there with the same bytes is left alone.

    `given` is what the sender states of all files: their event time and their policy.
    """
    uris: set[str] = set()
    known = landing.landed()
    if bars:
        bars.total("landing", len(files))
    for path, name in files:
        if bars:
            bars.advance()
        if name.name.startswith(".") or name.name.lower().endswith(UNFINISHED_SUFFIXES):
            # inbox scans skip such names, so the next scan would treat the file as deleted
            report.skipped.append({"uri": str(path), "reason": "hidden or an unfinished download, by its name"})
            continue
        try:
            folder = space.inbox / source
            # a file already in the inbox is landed in place
            name = path.relative_to(folder) if path.is_relative_to(folder) else name
            target = folder / name
            if not (target.exists() and target.samefile(path)):
                target = drop_into_inbox(space, source, path, name=name.as_posix())
            file = FileState.of(target, space.inbox)
            changed = landing.land(file, event_time=given[0], policy=given[1])
        except (OSError, FileChangedError) as error:
            if (unusable := home_error(error)) is not None and not _is_given(error, path):
                raise unusable from error
            report.refuse(str(path), f"could not be landed: {describe(error)}")
            continue
        if reason := landing.refusal(file.uri):
            report.refuse(file.uri, reason)
            if not target.samefile(path):
                target.unlink()
            continue
        if changed and file.uri in known:
            report.replaced.append(file.uri)
        if not changed:
            report.skipped.append({"uri": file.uri, "reason": "unchanged"})
        uris.add(file.uri)
    return uris


def _is_given(error: Exception, path: Path) -> bool:
    """Return whether an error concerns the file that was given, not the home."""
    return getattr(error, "filename", None) == str(path)


def _drop_due_from_skipped(report: IngestReport, landing: Landing, due: Sequence[DirtyDay]) -> None:
    """Remove files from the skipped list if one of their days runs after all."""
    days = {(day.source, day.day) for day in due}
    if days:
        report.skipped = [row for row in report.skipped if days.isdisjoint(landing.days_of(row["uri"]))]


def spans_of(due: Sequence[DirtyDay]) -> list[SpanRequest]:
    """Return the runs that cover these days."""
    return list(plan_runs(due, None, limit=len(due) + 1).requests)


def run_spans(
    home: Home,
    requests: Sequence[SpanRequest],
    bars: Bars | None,
    report: IngestReport,
    *,
    force: bool = False,
    said: Callable[[], str] | None = None,
) -> None:
    """Execute the runs one after another and report each; an interrupt reports how many days are complete, or `said`.

    Raises:
        InterruptedCommandError: if a signal stopped it; the message says how far it came.
    """
    if not requests:
        return
    from brain_pipelines.ingest.local_runs import launch, open_instance  # Dagster takes seconds to load

    if bars:
        days = sum(len(days_between(r.start, r.end)) for r in requests)
        bars.total(f"{len(requests)} runs, {days} days", sum(len(r.stages or STAGES) for r in requests))
    ended: list[RunOutcome] = []
    stopped = said or (lambda: _days_done(home, requests, ended, force=force))
    with on_interrupt(stopped), open_instance(home.path) as instance:
        for outcome in launch(home, instance, requests, force=force):
            ended.append(outcome)
            report.add_run(outcome)
            outcome.raise_if_unusable()


def _days_done(home: Home, requests: Sequence[SpanRequest], ended: Sequence["RunOutcome"], *, force: bool) -> str:
    """Return the interrupt message: how many of the requested days are complete."""
    settings, space = load_settings(home.path), home.space(requests[0].user)
    days = {(r.source, day) for r in requests for day in r.days}
    with open_landing(space, settings) as landing, Catalog(space) as catalog:
        missing = not_done(landing, catalog) | outdated(catalog.ledger(), settings, space.user)
    if force:  # all days were complete before, so count only those recomputed
        missing |= days - {(one.request.source, day) for one in ended for day in one.request.days}
    complete = len(days - missing)
    rest = "run the same command again to finish the rest" if complete < len(days) else "nothing is missing"
    return f"interrupted: {complete} of {len(days)} days are complete; {rest}"


def _aware(event_time: datetime | None, settings: Settings) -> datetime | None:
    if event_time is None or event_time.tzinfo is not None:
        return event_time
    return event_time.replace(tzinfo=settings.zone)
