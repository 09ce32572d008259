"""A home and workers for tests and benchmarks: real PostgreSQL, Redis and S3 servers on this machine.

Each worker is the command `brain worker start` with directories of its own. Nothing is shared but the three servers.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from dagster import DagsterInstance

from tests.paths import ROOT
from tests.servers import postgres, redis, s3

FIRST = date(2026, 1, 1)
BRAIN = [sys.executable, "-m", "brain_pipelines.commands.entry"]
PROFILE = ROOT / "dagster_home" / "dagster.workers.yaml"


@dataclass
class Cluster:
    """The servers' addresses, and the processes that were started."""

    folder: Path
    environment: dict[str, str]
    settings: str
    database: str
    profile: str
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        return self.folder / "home" / "brain"

    def make(self, name: str) -> dict[str, str]:
        """Make the directories of a machine; return the environment of its processes."""
        brain, instance = self.folder / name / "brain", self.folder / name / "dagster"
        for one in (brain, instance):
            one.mkdir(parents=True, exist_ok=True)
        (brain / "brain.toml").write_text(self.settings)
        (brain / "brain.toml").chmod(0o600)
        (instance / "dagster.yaml").write_text(self.profile)
        return {**self.environment, "BRAIN_HOME": str(brain), "DAGSTER_HOME": str(instance)}

    def start(self, name: str, *command: str) -> int:
        """Start a command of `brain` on a machine; return its process."""
        environment = self.make(name)
        with (self.folder / name / "log").open("ab") as log:
            process = subprocess.Popen(
                [*BRAIN, *command], env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                start_new_session=True, cwd=ROOT,
            )  # fmt: skip
        self.processes[name] = process
        return process.pid

    def worker(self, name: str) -> int:
        """Start a worker."""
        return self.start(name, "worker", "start")

    def kill(self, name: str, number: int = signal.SIGKILL) -> None:
        """End a machine's process and those that it started."""
        process = self.processes.pop(name)
        for pid in [*children_of(process.pid), process.pid] if number == signal.SIGKILL else [process.pid]:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue
        try:
            process.wait(120)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def query(self, sql: str, **values: Any) -> list[tuple[Any, ...]]:
        """Return rows of the database."""
        with sa.create_engine(self.database).connect() as connection:
            return [tuple(row) for row in connection.execute(sa.text(sql), values)]


def drop(home: Path, user: str, name: str, text: str, day: date) -> None:
    """Put a note into the inbox of a home."""
    path = home / "inbox" / user / "note" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{name}.part")
    draft.write_text(text, "utf-8")
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp()
    os.utime(draft, (noon, noon))
    draft.replace(path)


def days(count: int) -> list[date]:
    return [FIRST + timedelta(days=number) for number in range(count)]


def children_of(pid: int) -> list[int]:
    """Return the processes that a process has started, and theirs."""
    import psutil

    try:
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def cpu_of(pids: Sequence[int]) -> float:
    """Return the CPU seconds of processes and of what they have started, ended ones included."""
    import psutil

    used = 0.0
    for pid in {one for parent in pids for one in (parent, *children_of(parent))}:
        try:
            times = psutil.Process(pid).cpu_times()
        except psutil.NoSuchProcess:
            continue
        used += times.user + times.system + times.children_user + times.children_system
    return used


def texts_of(corpus: Path, count: int) -> list[str]:
    """Return so many texts of a file with one object a line."""
    found: list[str] = []
    with corpus.open("rb") as file:
        for line in file:
            text = str(json.loads(line).get("text", ""))
            if len(text) > 200:
                found.append(text)
            if len(found) == count:
                return found
    raise SystemExit(f"{corpus} has {len(found)} texts, {count} are needed")


@contextmanager
def cluster(folder: Path, *, object_storage: bool = True, **faster: str) -> Iterator[Cluster]:
    """Start the servers and make the home; end what was started.

    Args:
        object_storage: keep the newest files in S3, else in a directory.
        faster: values of the profile that are replaced, so that rare cases need not be waited for.
    """
    profile = PROFILE.read_text("utf-8")
    for name, value in faster.items():
        lines = [line for line in profile.splitlines() if line.strip().startswith(f"{name}:")]
        assert len(lines) == 1, name
        profile = profile.replace(lines[0], f"{lines[0].partition(':')[0]}: {value}")
    folder.chmod(0o755)
    with ExitStack() as stack:
        url = sa.make_url(stack.enter_context(postgres.server(folder / "postgres")))
        broker = stack.enter_context(redis.serving())
        values = {"PGHOST": url.host, "PGPORT": url.port, "PGUSER": url.username, "PGPASSWORD": url.password}
        values |= {"PGDATABASE": url.database, "BRAIN_BROKER": broker, "DAGSTER_DISABLE_TELEMETRY": "yes"}
        values |= {"DAGSTER_EVENT_BATCH_SIZE": "500", "PYTHONPATH": str(ROOT)}
        values |= {"BRAIN_MODELS_DIR": os.environ.get("BRAIN_MODELS_DIR", str(ROOT / "data" / "models"))}
        environment = {**os.environ, **{name: str(value) for name, value in values.items()}}
        settings = f'first_day = {FIRST}\n[workers]\ndestination = "file://{folder}/store"\n'
        if object_storage:
            store = stack.enter_context(s3.serving())
            environment["AWS_ACCESS_KEY_ID"] = store.access_key_id
            environment["AWS_SECRET_ACCESS_KEY"] = store.secret_access_key
            settings = f'first_day = {FIRST}\n[workers]\ndestination = "s3://{s3.BUCKET}/users"\n'
            settings += f'[backup]\nendpoint = "{store.endpoint}"\n'
        address = url.set(drivername="postgresql+psycopg2").render_as_string(hide_password=False)
        found = Cluster(folder, environment, settings, address, profile)
        before = dict(os.environ)
        os.environ.update(found.make("home"))
        try:
            with DagsterInstance.get():  # makes the tables before several processes would
                pass
            yield found
        finally:
            for name in list(found.processes):
                found.kill(name, signal.SIGTERM)
            os.environ.clear()
            os.environ.update(before)


def launch(users: Sequence[str], spans: Sequence[tuple[str, str]], stages: Sequence[str] = ()) -> list[str]:
    """Launch a run for each user and span as the daemon does, without waiting in Dagster's queue; return their ids.

    Args:
        stages: of the notes; all by default.
    """
    import dagster as dg
    from dagster._core.code_pointer import ModuleCodePointer
    from dagster._core.launcher import LaunchRunContext
    from dagster._core.origin import DEFAULT_DAGSTER_ENTRY_POINT, JobPythonOrigin, RepositoryPythonOrigin

    from brain_pipelines.definitions import build_defs
    from brain_pipelines.orchestration.days.calendar import Calendar
    from brain_pipelines.orchestration.partitions import range_tags, register
    from brain_retrieval.home import Home, default_home
    from brain_retrieval.settings import load_settings

    home = Home(default_home())
    calendar = Calendar.of(load_settings(home.path))
    job = build_defs(home).resolve_job_def("note")
    chosen = frozenset(calendar.names.asset("note", stage) for stage in stages) or None
    job = job.get_subset(asset_selection=chosen) if chosen else job
    pointer = ModuleCodePointer("brain_pipelines.definitions", "defs", str(ROOT))
    origin = RepositoryPythonOrigin(sys.executable, pointer, entry_point=DEFAULT_DAGSTER_ENTRY_POINT)
    made: list[str] = []
    with dg.DagsterInstance.get() as instance:
        register(instance, users, calendar.names)
        for start, end in spans:
            for user in users:
                tags = range_tags(user, start, end, calendar)
                run = instance.create_run_for_job(
                    job,
                    tags=tags,
                    status=dg.DagsterRunStatus.STARTING,
                    job_code_origin=JobPythonOrigin("note", origin),
                    asset_selection=chosen,
                )
                instance.run_launcher.launch_run(LaunchRunContext(run, workspace=None))
                made.append(run.run_id)
    return made


def wait_for(run_ids: Sequence[str], seconds: float) -> dict[str, str]:
    """Wait until runs have ended; return the status of each."""
    import dagster as dg

    until = time.monotonic() + seconds
    with dg.DagsterInstance.get() as instance:
        while True:
            runs = {run.run_id: run for run in instance.get_runs(dg.RunsFilter(run_ids=list(run_ids)))}
            if all(run.is_finished for run in runs.values()) or time.monotonic() > until:
                return {name: run.status.value for name, run in runs.items()}
            time.sleep(0.3)
