"""Launching runs from the command line, in this process.

Ranged runs of a source's job are recorded in the same Dagster instance as those of the daemon.
`landing/run_planning.py` decides which spans to run.
"""

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from brain_pipelines.orchestration.storage.lean_import import import_dagster
from brain_retrieval.errors import DiskFullError, NoPermissionError, ReadOnlyHomeError
from brain_retrieval.extras import naming_the_extra

with naming_the_extra():
    import_dagster()
    import dagster as dg
    from dagster._core.definitions.repository_definition import SINGLETON_REPOSITORY_NAME
    from dagster._core.instance.ref import InstanceRef
    from dagster._core.remote_origin import RegisteredCodeLocationOrigin, RemoteJobOrigin, RemoteRepositoryOrigin
    from dagster._core.storage.tags import REPOSITORY_LABEL_TAG

from brain_pipelines.ingest.instance_folder import dagster_home
from brain_pipelines.ingest.interrupts import was_interrupted, watch_signals
from brain_pipelines.knowledge.registry import SNAPSHOT_STAGES
from brain_pipelines.landing.run_planning import SpanRequest
from brain_pipelines.orchestration.cells.names import Names
from brain_pipelines.orchestration.days.calendar import Calendar
from brain_pipelines.orchestration.days.open_days import record_open_days
from brain_pipelines.orchestration.partitions import range_tags, register
from brain_pipelines.orchestration.runs.graphs import is_alone, run_defs
from brain_pipelines.orchestration.snapshot_assets import NIGHTLY
from brain_pipelines.orchestration.source_assets import job_name
from brain_pipelines.stages.registry import STAGES
from brain_retrieval.home import Home
from brain_retrieval.settings import load_settings

# The console shows progress bars and a report; the instance has every event.
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@dataclass(frozen=True)
class RunOutcome:
    """Result of one run: `failed_steps` as `<source>__<stage>`, `error` is the first failure in one line."""

    request: SpanRequest
    run_id: str
    success: bool
    failed_steps: list[str] = field(default_factory=list)
    error: str = ""
    error_type: str = ""

    def raise_if_unusable(self) -> None:
        """Raise the error if the run failed for a full disk, a read-only home or a missing permission."""
        if (kind := UNUSABLE.get(self.error_type)) is not None:
            raise kind(self.error.partition(": ")[2] or self.error)


UNUSABLE = {one.__name__: one for one in (DiskFullError, ReadOnlyHomeError, NoPermissionError)}


@contextmanager
def open_instance(home: Path) -> Iterator[dg.DagsterInstance]:
    """Open the Dagster instance of a home."""
    path = dagster_home(home)
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.environ["DAGSTER_HOME"] = str(path)
    os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "yes")  # no data leaves the machine without consent
    file = (path / "dagster.yaml").stat() if (path / "dagster.yaml").is_file() else None
    described = _described(str(path), (file.st_ino, file.st_mtime_ns, file.st_size) if file else None)
    with dg.DagsterInstance.from_ref(described) as instance:
        yield instance


@lru_cache(maxsize=8)
def _described(path: str, _state: tuple[int, ...] | None) -> InstanceRef:
    """Return what the configuration says of an instance; to read it takes as long as to record a day."""
    return InstanceRef.from_dir(path)


def launch(
    home: Home, instance: dg.DagsterInstance, requests: Sequence[SpanRequest], *, force: bool = False
) -> Iterator[RunOutcome]:
    """Execute runs one after another and yield the outcome of each; a failed run does not stop the next.

    Raises:
        KeyboardInterrupt: SIGINT or SIGTERM arrived during a run; that run failed and no further run is started.
    """
    # An interrupted run closes its connections in the middle of a statement; the pool would print a traceback.
    logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)
    try:
        yield from _launch(home, instance, requests, force=force)
    finally:
        users = {request.user for request in requests}
        record_open_days(instance, home, load_settings(home.path), sorted(users))


def _launch(
    home: Home, instance: dg.DagsterInstance, requests: Sequence[SpanRequest], *, force: bool
) -> Iterator[RunOutcome]:
    calendar = Calendar.of(load_settings(home.path))
    names = calendar.names
    defs: dict[str, dg.Definitions] = {}
    # by it the job pages find their runs
    of_location = {REPOSITORY_LABEL_TAG: f"{SINGLETON_REPOSITORY_NAME}@{names.location}"}
    for request in requests:
        if was_interrupted():
            raise KeyboardInterrupt
        register(instance, [request.user], names)
        if request.source not in defs:
            defs[request.source] = _defs(home, request.source)
        with watch_signals() as is_interrupted:
            result = (
                defs[request.source]
                .resolve_job_def(job_name(request.source))
                .execute_in_process(
                    instance=instance,
                    tags={**range_tags(request.user, request.start, request.end, calendar), **of_location},
                    asset_selection=[names.asset(request.source, stage) for stage in request.stages] or None,
                    run_config={**QUIET, **(_force_config(request.source, names) if force else {})},
                    raise_on_error=False,
                )
            )
            if is_interrupted() or was_interrupted():
                raise KeyboardInterrupt
        _name_location(instance, result.dagster_run, names.location)
        failures = [event for event in result.all_events if event.is_step_failure]
        error = failures[0].step_failure_data.error if failures else None
        yield RunOutcome(
            request=request,
            run_id=result.run_id,
            success=result.success,
            failed_steps=[event.step_key or "" for event in failures],
            error=" ".join((error.cause or error).message.split())[:500] if error else "",
            error_type=str((error.cause or error).cls_name) if error else "",
        )


def _defs(home: Home, source: str) -> dg.Definitions:
    """Return definitions with the job of a request; only that of team sources needs those of the whole home."""
    if is_alone(source):
        return run_defs(home, source)
    from brain_pipelines.orchestration.runs.location import build_defs  # and with it all sensors and schedules

    return build_defs(home)


def _name_location(instance: dg.DagsterInstance, run: dg.DagsterRun, location: str) -> None:
    """Record to which code location a run belongs: Dagster's timeline leaves out runs without one."""
    repository = RemoteRepositoryOrigin(RegisteredCodeLocationOrigin(location), SINGLETON_REPOSITORY_NAME)
    if current := instance.get_run_by_id(run.run_id):
        instance.run_storage.replace_job_origin(current, RemoteJobOrigin(repository, run.job_name))


def _force_config(name: str, names: Names) -> dict[str, object]:
    """Return the run config that also recomputes unchanged data, for a source's job or the consolidation job."""
    if name == NIGHTLY:
        steps = [names.step(stage.group, stage.name) for stage in SNAPSHOT_STAGES]
    else:
        steps = [names.step(name, stage.name) for stage in STAGES]
    return {"ops": {step: {"config": {"force": True}} for step in steps}}
