"""Taking files in from a command line: into the inbox, landed, run through Dagster, and reported file by file.

The sensor does the same for files that people drop themselves; both share landing, planning and the ledger.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from brain_pipelines.blobs import FileChangedError, drop_into_inbox
from brain_pipelines.console import Bars, print_quarantine
from brain_pipelines.inbox import UNFINISHED_SUFFIXES, FileState
from brain_pipelines.landing import Landing, open_landing
from brain_pipelines.materialize import describe
from brain_pipelines.orchestrate import RunOutcome, launch, open_instance
from brain_pipelines.partitions import check_budget
from brain_pipelines.plan import DirtyDay, SpanRequest, days_between, plan_runs, spans
from brain_pipelines.sensors import look
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES
from brain_retrieval.errors import BrainError
from brain_retrieval.home import Home, Space
from brain_retrieval.settings import Settings, load_settings
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.lake import Lake


class NothingToIngestError(BrainError):
    """No path led to a file, or the source type does not exist."""

    exit_code = 2


@dataclass
class IngestReport:
    """What became of each item, and of each run. `stored`, `skipped` and `quarantined` are lists of plain records."""

    user: str
    source: str
    stored: list[dict[str, Any]] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)  # uris that had another content before
    skipped: list[dict[str, Any]] = field(default_factory=list)
    quarantined: list[dict[str, Any]] = field(default_factory=list)
    runs: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def success(self) -> bool:
        """Whether every run ended well and, of what was given, something is in; a refused item alone is a failure."""
        refused = [row for row in self.quarantined if row["kind"] != "repaired"]
        return all(run["success"] for run in self.runs) and not (refused and not self.stored and not self.skipped)

    def to_json(self) -> dict[str, Any]:
        return {
            "user": self.user,
            "source": self.source,
            "stored": self.stored,
            "replaced": self.replaced,
            "skipped": self.skipped,
            "quarantined": self.quarantined,
            "runs": self.runs,
            "seconds": round(self.seconds, 2),
        }

    def refuse(self, uri: str, reason: str) -> None:
        """Add a file that never reached a stage."""
        self.quarantined.append({"uri": uri, "day": "", "stage": "landing", "kind": "rejected", "reason": reason})

    def add_run(self, outcome: RunOutcome) -> None:
        request = outcome.request
        self.runs.append(
            {
                "run_id": outcome.run_id,
                "source": request.source,
                "from": request.start,
                "to": request.end,
                "success": outcome.success,
                "failed_steps": outcome.failed_steps,
                "error": outcome.error,
            }
        )

    def print(self, console: Console) -> None:
        """Show counts, then each failed run and each quarantined item with its reason."""
        replaced = f" ({len(self.replaced)} replaced)" if self.replaced else ""
        console.print(
            f"[bold]{self.user}[/] {self.source}: [green]{len(self.stored)} stored[/]{replaced}, "
            f"{len(self.skipped)} skipped, [yellow]{len(self.quarantined)} in quarantine[/], "
            f"{len(self.runs)} runs, {self.seconds:.1f} s"
        )
        for run in self.runs:
            if not run["success"]:
                text = escape(f"{run['source']} {run['from']}…{run['to']}: {run['error']}")
                console.print(f"[red]run failed[/] {text}")
        print_quarantine(self.quarantined, console)


def ingest(
    home: Home,
    *,
    user: str,
    source: str,
    paths: Sequence[Path],
    event_time: datetime | None = None,
    bars: Bars | None = None,
) -> IngestReport:
    """Copy files into the inbox of a user's source, materialise the days they touch, and report.

    Args:
        paths: files or directories (taken whole, their structure kept).
        event_time: when they happened; a naive time is in the time zone of the settings.

    Raises:
        NothingToIngestError: if the source type is unknown or no file is found.
        InvalidUserError: if the user id is malformed.
    """
    began = time.perf_counter()
    space, settings = home.space(user), load_settings(home.path)
    if source not in SOURCES_BY_NAME:
        raise NothingToIngestError(f"no source type {source!r}; known: {', '.join(sorted(SOURCES_BY_NAME))}")
    files = list(_files(paths))
    if not files:
        raise NothingToIngestError("no file found at " + ", ".join(repr(str(p)) for p in paths))
    check_budget(len({*home.users(), user}), settings.first_day, settings.partition_budget)
    report = IngestReport(user, source)
    with open_landing(space, settings) as landing:
        uris = _land(space, landing, source, files, _aware(event_time, settings), bars, report)
        dirty = [day for day in landing.dirty() if day.source == source]
    outcomes = _run(home, _requests(dirty), bars, force=False)
    for outcome in outcomes:
        report.add_run(outcome)
    _report_items(space, settings, source, uris, report)
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
    """Look into a user's inbox, then run days again: those in [start, end], or all that have or had data.

    Raises:
        UnknownUserError: if nothing of the user has ever landed and the inbox is empty.
        NothingToIngestError: if the source type is unknown.
    """
    began = time.perf_counter()
    settings = load_settings(home.path)
    space = home.space(user) if home.space(user).inbox.is_dir() else home.existing_space(user)
    if source is not None and source not in SOURCES_BY_NAME:
        raise NothingToIngestError(f"no source type {source!r}; known: {', '.join(sorted(SOURCES_BY_NAME))}")
    report = IngestReport(user, source or "all sources")
    names = [source] if source else sorted(SOURCES_BY_NAME)
    with open_landing(space, settings) as landing, Catalog(space) as catalog:
        look(space, landing, until=time.monotonic() + 3600, settle_seconds=0)
        requests = []
        for name in names:
            # days that had data and have none now must run too, or their rows would stay
            known = {row.day for row in catalog.ledger(source=name)}
            known |= {d.day for d in landing.dirty() if d.source == name}
            days = sorted(known | set(landing.days(name)))
            chosen = [d for d in days if (start or "") <= d <= (end or "9999-12-31")]
            requests += [SpanRequest(user, name, span[0], span[-1], tuple(span), "rerun") for span in spans(chosen)]
    for outcome in _run(home, requests, bars, force=force):
        report.add_run(outcome)
    with open_landing(space, settings) as landing:
        uris = set(landing.landed())
    for name in names:
        _report_items(space, settings, name, {u for u in uris if u.startswith(f"inbox:{name}/")}, report)
    report.seconds = time.perf_counter() - began
    return report


def _files(paths: Iterable[Path]) -> Iterator[tuple[Path, Path]]:
    """Yield (file, name below the source's folder) of every file that the paths lead to."""
    for path in paths:
        if path.is_file():
            yield path, Path(path.name)
        elif path.is_dir():
            for file in sorted(path.rglob("*")):
                hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
                if file.is_file() and not file.is_symlink() and not hidden:
                    yield file, file.relative_to(path)


def _land(
    space: Space,
    landing: Landing,
    source: str,
    files: Sequence[tuple[Path, Path]],
    event_time: datetime | None,
    bars: Bars | None,
    report: IngestReport,
) -> set[str]:
    """Drop and land each file; return the uris. A file that is there already, byte for byte, is left alone."""
    uris: set[str] = set()
    known = landing.landed()
    if bars:
        bars.total("landing", len(files))
    for path, name in files:
        if bars:
            bars.advance()
        if name.name.startswith(".") or name.name.lower().endswith(UNFINISHED_SUFFIXES):
            # the inbox passes over such names, so that a later look would take the file for deleted
            report.skipped.append({"uri": str(path), "reason": "hidden or an unfinished download, by its name"})
            continue
        try:
            target = space.inbox / source / name
            if not (target.exists() and target.samefile(path)):
                target = drop_into_inbox(space, source, path, name=name.as_posix())
            file = FileState.of(target, space.inbox)
            changed = landing.land(file, event_time=event_time)
        except (OSError, FileChangedError) as error:
            report.refuse(str(path), f"could not be taken in: {describe(error)}")
            continue
        if changed and file.uri in known:
            report.replaced.append(file.uri)
        if not changed:
            report.skipped.append({"uri": file.uri, "reason": "unchanged"})
        uris.add(file.uri)
    return uris


def _requests(dirty: Sequence[DirtyDay]) -> list[SpanRequest]:
    return list(plan_runs(dirty, None, limit=len(dirty) + 1).requests)


def _run(home: Home, requests: Sequence[SpanRequest], bars: Bars | None, *, force: bool) -> Iterator[RunOutcome]:
    if not requests:
        return
    if bars:
        days = sum(len(days_between(r.start, r.end)) for r in requests)
        bars.total(f"{len(requests)} runs, {days} days", len(requests) * len(STAGES))
    with open_instance(home.path) as instance:
        yield from launch(home, instance, requests, force=force)


def _report_items(space: Space, settings: Settings, source: str, uris: set[str], report: IngestReport) -> None:
    """Sort the items of the files just landed into stored and quarantined, by what the stores now hold."""
    with open_landing(space, settings) as landing, Catalog(space) as catalog:
        skipped = {row["uri"] for row in report.skipped}
        refused = catalog.quarantine(source=source)
        for row in refused:
            if row.uri.split("#", 1)[0] in uris:
                report.quarantined.append(
                    {"uri": row.uri, "day": row.day, "stage": row.stage, "kind": row.kind, "reason": row.reason}
                )
        days = landing.days(source)
        texts = Lake(space, catalog).read("text", source=source, days=days, columns=["source_id"])
        stored = set(texts["source_id"].to_pylist())
        for day in days:
            for item in landing.items(source, day):
                if item.file in uris and item.file not in skipped and item.source_id in stored:
                    report.stored.append({"source_id": item.source_id, "uri": item.uri, "day": day})


def _aware(event_time: datetime | None, settings: Settings) -> datetime | None:
    if event_time is None or event_time.tzinfo is not None:
        return event_time
    return event_time.replace(tzinfo=settings.zone)
