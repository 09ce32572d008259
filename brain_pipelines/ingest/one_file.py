"""Ingestion of one file while the sender waits: its item is searchable when the call returns.

The file passes through the inbox, the landing store and the stages of its source for its one day, like any other. The
stages are called directly, because a Dagster run takes many times as long; materialisations are reported to Dagster
afterwards. If a stage fails, the ledger records it and the `retry` sensor runs the day again.
"""

import hashlib
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from brain_pipelines.connectors.delivery import write_into_inbox
from brain_pipelines.engine.healing import ensure_catalog
from brain_pipelines.engine.landing_recovery import ensure_landing
from brain_pipelines.engine.run_stage import LOCK_SECONDS, StageFailedError, materialize
from brain_pipelines.ingest.dagster_events import report_requests
from brain_pipelines.ingest.interrupts import on_interrupt
from brain_pipelines.ingest.local_runs import RunOutcome
from brain_pipelines.ingest.report import IngestReport, report_items
from brain_pipelines.landing.inbox import FileState, source_of, to_path
from brain_pipelines.landing.landing import NO_POLICY, Landing, open_landing
from brain_pipelines.landing.own_users import create_space
from brain_pipelines.landing.run_planning import DirtyDay, SpanRequest, plan_runs
from brain_pipelines.orchestration.behind import due_for
from brain_pipelines.orchestration.days.first_day import choose_first_day
from brain_pipelines.readers.source_policy import SourcePolicy
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES
from brain_retrieval.errors import BadInputError
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.locking import writer_lock

INTERRUPTED = (
    "interrupted: what was sent is kept, but cannot be found yet; "
    "`brain rerun --user {user} --source {source}` finishes it"
)


@dataclass(frozen=True)
class NewFile:
    """A file to be ingested. `at` is its event time, aware, and becomes its modification time."""

    name: str
    content: bytes
    at: datetime
    policy: SourcePolicy = NO_POLICY  # retention and sensitivity, unless the file states them itself


def take_file(space: Space, settings: Settings, source: str, file: NewFile, *, report: bool = True) -> IngestReport:
    """Ingest one file, run the days of its items, and report.

    A file with the same name and content as an existing one is reported as skipped.

    Args:
        report: show the days as materialised in Dagster.

    Raises:
        WriterBusyError: if another process has been writing for an hour.
        InterruptedCommandError: if a signal stopped it after the file was landed.
    """
    (result,) = take_files(space, settings, source, [file], report=report)
    return result


def take_files(
    space: Space, settings: Settings, source: str, files: Sequence[NewFile], *, report: bool = True
) -> list[IngestReport]:
    """Ingest files of one source type as `take_file` does, with one run of a day for all of them; report on each.

    A run that fails is in the report of each file that has items on its days.

    Raises:
        WriterBusyError: if another process has been writing for an hour.
        InterruptedCommandError: if a signal stopped it after the files were landed.
    """
    began = time.perf_counter()
    create_space(space, settings)
    results = [IngestReport(space.user, source) for _ in files]
    with ExitStack() as opened:
        with writer_lock(space, timeout=LOCK_SECONDS):
            ensure_catalog(space, settings)
            ensure_landing(space, settings)
            opened.enter_context(_kept_open(space, settings))
            dropped = [_drop(space, source, file) for file in files]
            changed = list[set[str]]()
            with open_landing(space, settings) as landing:
                for state, file in zip(dropped, files, strict=True):
                    changed.append(landing.land(state, policy=file.policy))
                    settings = choose_first_day(Home(space.home), landing)
                refusals = [landing.refusal(state.uri) for state in dropped]
            due = [_due(space, settings, source, state.uri, days) for state, days in zip(dropped, changed, strict=True)]
        for state, result, refused, days, own in zip(dropped, results, refusals, changed, due, strict=True):
            if refused:
                result.refuse(state.uri, refused)
            elif not days and not own:
                result.skipped.append({"uri": state.uri, "reason": "unchanged"})
        # Without the lock: each stage takes it to store its rows. What another run has claimed is computed here too.
        every = {(one.source, one.day): one for own in due for one in own}
        outcomes = _compute(space, settings, source, list(every.values()))
        for state, result, own in zip(dropped, results, due, strict=True):
            _add_runs(result, outcomes, own)
            report_items(space, settings, source, {state.uri}, result)
            result.seconds = time.perf_counter() - began
    if report:
        report_requests(space, [outcome.request for outcome in outcomes if outcome.success])
    return results


def take_kept(
    space: Space, settings: Settings, source: str, paths: Sequence[Path], *, seconds: float = LOCK_SECONDS
) -> IngestReport:
    """Ingest files that are in the inbox, run the days of their items once, and report. Dagster is not informed.

    Args:
        paths: of files below the inbox, of one source type.
        seconds: how long to wait for another process that writes.

    Raises:
        WriterBusyError: if another process has been writing for longer; the files are ingested by the next scan.
        InterruptedCommandError: if a signal stopped it after the files were landed.
    """
    began = time.perf_counter()
    result, due = IngestReport(space.user, source), dict[tuple[str, str], DirtyDay]()
    files = [FileState.of(path, space.inbox) for path in paths]
    with writer_lock(space, timeout=seconds):
        ensure_catalog(space, settings)
        ensure_landing(space, settings)
        for file in files:
            with open_landing(space, settings) as landing:
                changed = landing.land(file)
                settings = choose_first_day(Home(space.home), landing)
                if refused := landing.refusal(file.uri):
                    result.refuse(file.uri, refused)
            due |= {(one.source, one.day): one for one in _due(space, settings, source, file.uri, changed)}
    _finish(space, settings, {file.uri for file in files}, list(due.values()), result, report=False)
    result.seconds = time.perf_counter() - began
    return result


def finish_landed(space: Space, settings: Settings, source: str, uri: str, changed: Collection[str]) -> IngestReport:
    """Run the days of a file that has landed, as far as they are not done, and report.

    Args:
        changed: the days that its landing made dirty, also those that it has left.

    Raises:
        InterruptedCommandError: if a signal stopped it.
    """
    began = time.perf_counter()
    result = IngestReport(space.user, source)
    with writer_lock(space, timeout=LOCK_SECONDS):
        ensure_catalog(space, settings)
        due = _due(space, settings, source, uri, changed)
    _finish(space, settings, {uri}, due, result, report=True)
    result.seconds = time.perf_counter() - began
    return result


def retry_file(space: Space, settings: Settings, uri: str, *, report: bool = True) -> IngestReport:
    """Read a file again: land it if it was refused and is still in the inbox, and compute its days, unchanged or not.

    Args:
        uri: of the file, as it was landed.
        report: show the days as materialised in Dagster.

    Raises:
        BadInputError: if the file is not known, or was refused and is no longer in the inbox.
        InterruptedCommandError: if a signal stopped it.
    """
    began = time.perf_counter()
    source = source_of(uri)
    if source not in SOURCES_BY_NAME:
        raise BadInputError("there is no such file")
    result = IngestReport(space.user, source)
    with writer_lock(space, timeout=LOCK_SECONDS):
        ensure_catalog(space, settings)
        with open_landing(space, settings) as landing:
            changed = _land_again(landing, space, uri)
            days = sorted({day for _, day in landing.days_of(uri)} | changed)
            refused = landing.refusal(uri)
    if refused:
        result.refuse(uri, refused)
    due = [DirtyDay(space.user, source, day, "") for day in days]
    _finish(space, settings, {uri}, due, result, report=report, force=True)
    result.seconds = time.perf_counter() - began
    return result


def _land_again(landing: Landing, space: Space, uri: str) -> set[str]:
    """Land a file that was refused; one that was taken stays as it is."""
    if landing.refusal(uri) is None:
        if not landing.items_of(uri):
            raise BadInputError("there is no such file")
        return set()
    path = to_path(space.inbox, uri)
    if not path.is_file() or path.is_symlink():
        raise BadInputError("the file is no longer in the inbox; drop it again")
    return landing.land(FileState.of(path, space.inbox))


def _due(space: Space, settings: Settings, source: str, uri: str, changed: Collection[str]) -> list[DirtyDay]:
    """Return the days of a file that are not done, including one that an earlier call left unfinished."""
    with open_landing(space, settings) as landing, Catalog(space) as catalog:
        own = {(source, day) for day in changed} | set(landing.days_of(uri))
        return [one for one in due_for(landing, catalog, {source}, {uri}) if (one.source, one.day) in own]


def _finish(
    space: Space,
    settings: Settings,
    uris: set[str],
    due: Sequence[DirtyDay],
    result: IngestReport,
    *,
    report: bool,
    force: bool = False,
) -> None:
    outcomes = _compute(space, settings, result.source, due, force=force)
    _add_runs(result, outcomes, due)
    report_items(space, settings, result.source, uris, result)
    if report:
        report_requests(space, [outcome.request for outcome in outcomes if outcome.success])


def _compute(
    space: Space, settings: Settings, source: str, due: Sequence[DirtyDay], *, force: bool = False
) -> list[RunOutcome]:
    with on_interrupt(lambda: INTERRUPTED.format(user=space.user, source=source)):
        return [_run_stages(space, settings, request, force=force) for request in plan_runs(due, None).requests]


@contextmanager
def _kept_open(space: Space, settings: Settings) -> Iterator[None]:
    """Hold a connection to each database: each step opens its own, and closing the last one waits for the disk."""
    with open_landing(space, settings) as landing, Catalog(space) as catalog:
        landing.state()
        catalog.state()
        yield


def _add_runs(result: IngestReport, outcomes: Sequence[RunOutcome], due: Sequence[DirtyDay]) -> None:
    """Add the runs of a file's own days to its report."""
    own = {(one.source, one.day) for one in due}
    for outcome in outcomes:
        if any((outcome.request.source, day) in own for day in outcome.request.days):
            result.add_run(outcome)


def name_of(at: datetime, content: bytes) -> str:
    """Return a file name that sorts by time and is equal for equal content at the same time."""
    stamp = at.astimezone(UTC).strftime("%Y-%m-%dT%H%M%S.%fZ")
    return f"{stamp}-{hashlib.sha256(content).hexdigest()[:12]}.json"


def _drop(space: Space, source: str, file: NewFile) -> FileState:
    # with its time, so that a repeated delivery is recognised as the same file
    target = write_into_inbox(
        space, source, file.name, [file.content], most=len(file.content), mtime=file.at.timestamp()
    )
    return FileState.of(target, space.inbox)


def _run_stages(space: Space, settings: Settings, request: SpanRequest, *, force: bool) -> RunOutcome:
    """Run every stage over the days of a request; stop at the first failure, so later stages do not read old rows."""
    run_id = f"{request.source}-{time.time_ns()}"  # the ledger counts attempts by run id
    source = SOURCES_BY_NAME[request.source]
    for stage in STAGES:
        step = f"{request.source}__{stage.name}"
        try:
            done = materialize(stage, source, space, request.days, settings=settings, run_id=run_id, force=force)
        except StageFailedError as error:
            return RunOutcome(request, run_id, success=False, failed_steps=[step], error=str(error))
        if done.failed:
            reason = f"{stage.name} failed; `brain status` says why"
            return RunOutcome(request, run_id, success=False, failed_steps=[step], error=reason)
    return RunOutcome(request, run_id, success=True)
