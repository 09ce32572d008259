"""A run through Redis and the command `brain worker start`, whose process is killed in the middle."""

import logging
import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import dagster as dg
import pytest
import yaml
from dagster._core.launcher import WorkerStatus
from dagster._daemon.monitoring.run_monitoring import monitor_started_run

from brain_pipelines.landing.inbox import FileState
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.orchestration.workers.fence import address_of
from brain_pipelines.orchestration.workers.launcher import WorkerRunLauncher, goes_to_worker
from brain_pipelines.orchestration.workers.session import session
from brain_retrieval.home import Home
from brain_retrieval.settings import load_settings
from tests.paths import ROOT
from tests.pipelines.conftest import Bench
from tests.pipelines.workers.cluster import FIRST, Cluster, children_of, cluster, drop, launch, wait_for
from tests.servers import postgres, redis

DAY = FIRST.isoformat()


@pytest.fixture
def machines(models_dir: Path) -> Iterator[Cluster]:
    """A home with one landed note, and the servers; nothing runs yet."""
    if postgres.programs() is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    if redis.installed() is None:
        pytest.skip("Redis is not installed; `make redis-install` fetches it")
    with (
        tempfile.TemporaryDirectory(prefix="brain-workers-") as folder,
        cluster(Path(folder), object_storage=False) as found,
    ):
        yield found


def until(holds: Callable[[], bool], what: str, seconds: float = 250) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"not in time: {what}"
        time.sleep(0.5)


@pytest.mark.timeout(900)
def test_run_of_a_killed_process_fails_and_its_retry_commits_once(machines: Cluster) -> None:
    machines.worker("one")
    home = Home(machines.home)
    drop(home.path, "alice", "gate.md", "Seven bolts hold the gate.", FIRST)
    settings, space = load_settings(home.path), home.space("alice")
    with dg.DagsterInstance.get() as instance:
        launcher, address = instance.run_launcher, address_of(instance)
        assert isinstance(launcher, WorkerRunLauncher)
        with session(home, settings, address, ["alice"]), open_landing(space, settings) as landing:
            landing.land(FileState.of(space.inbox / "note" / "gate.md", space.inbox))
        with session(home, settings, address, ["alice"]):  # so the run waits with its steps ahead of it
            (killed,) = launch(["alice"], [(DAY, DAY)], ["raw", "text"])
            status = lambda: instance.get_run_by_id(killed).status  # noqa: E731
            until(lambda: status() is dg.DagsterRunStatus.STARTED, "the run starts")
            run = instance.get_run_by_id(killed)
            assert run is not None and goes_to_worker(run)
            assert launcher.check_run_worker_health(run).status is WorkerStatus.RUNNING
            (process,) = children_of(machines.processes["one"].pid)
            os.kill(process, signal.SIGKILL)
            lost = lambda: launcher.check_run_worker_health(run).status is WorkerStatus.NOT_FOUND  # noqa: E731
            until(lost, "the run is known to be lost")
            record = instance.get_run_record_by_id(killed)
            monitor_started_run(instance, None, record, logging.getLogger("test"))  # type: ignore[arg-type]
            assert status() is dg.DagsterRunStatus.FAILURE
        retried = launch(["alice"], [(DAY, DAY)], ["raw", "text"])
        assert wait_for(retried, 250) == {retried[0]: "SUCCESS"}
        with session(home, settings, address, ["alice"]) as done:
            assert done.fetched["alice"].files
    assert machines.query("SELECT run_id FROM brain_run_commit") == [(retried[0],)]
    assert Bench(home).texts() == {"inbox:note/gate.md": "Seven bolts hold the gate."}


def test_profile_differs_from_that_of_a_server_only_in_the_launcher() -> None:
    server, workers = (
        yaml.safe_load((ROOT / "dagster_home" / name).read_text())
        for name in ("dagster.postgres.yaml", "dagster.workers.yaml")
    )
    assert workers.pop("run_launcher")["class"] == WorkerRunLauncher.__name__
    server.pop("run_launcher")
    # a run that waits for a free worker counts as starting
    for config in (server, workers):
        config["run_monitoring"].pop("start_timeout_seconds")
    assert server == workers


def test_only_runs_over_days_of_one_user_go_to_workers() -> None:
    tags = {"brain/user": "alice", "dagster/partition": "2026-01-01|alice"}
    assert goes_to_worker(dg.DagsterRun("note", tags=tags))
    for missing in tags:
        assert not goes_to_worker(dg.DagsterRun("note", tags={k: v for k, v in tags.items() if k != missing}))
