"""The run launcher's health check, and the instance configuration files that use it."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import dagster as dg
import pytest
import yaml
from dagster._core.launcher.base import WorkerStatus
from dagster_postgres.storage import DagsterPostgresStorage

from brain_pipelines.engine.run_workers import worker_of
from brain_pipelines.orchestration.launcher import HealthCheckedRunLauncher
from brain_pipelines.orchestration.resources import BrainResource
from brain_pipelines.orchestration.sqlite_storage import OpenSqliteStorage
from brain_retrieval.home import project_root

HOME = project_root() / "dagster_home"


@pytest.fixture
def instance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "dagster.yaml").write_text((HOME / "dagster.yaml").read_text())
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    with dg.DagsterInstance.from_config(str(tmp_path)) as instance:
        yield instance


def test_embedded_instance_uses_launcher_and_limits_user_to_one_run(instance: dg.DagsterInstance) -> None:
    assert isinstance(instance.run_launcher, HealthCheckedRunLauncher)
    assert instance.run_launcher.supports_check_run_worker_health
    limits = instance.get_concurrency_config().run_queue_config
    assert limits is not None
    (limit,) = limits.tag_concurrency_limits
    assert (limit["key"], limit["limit"]) == ("brain/user", 1)


def test_run_without_code_server_is_lost_when_the_server_stays_away(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = dg.Definitions(jobs=[dg.job(name="j")(lambda: None)]).resolve_job_def("j")
    nameless = instance.create_run_for_job(job)
    assert instance.run_launcher.check_run_worker_health(nameless).status == WorkerStatus.NOT_FOUND
    tags = {".dagster/grpc_info": '{"host": "localhost", "port": 1}'}
    lost = instance.create_run_for_job(job, tags=tags)
    waited = instance.run_launcher.check_run_worker_health(lost)
    assert waited.status == WorkerStatus.RUNNING  # Dagster could not retry the run before the server is back
    monkeypatch.setattr("brain_pipelines.orchestration.launcher.GRACE_SECONDS", 0.0)
    health = instance.run_launcher.check_run_worker_health(lost)
    assert health.status == WorkerStatus.NOT_FOUND and "unreachable" in (health.msg or "")


def test_server_profile_differs_only_in_storage() -> None:
    embedded, server = (yaml.safe_load((HOME / n).read_text()) for n in ("dagster.yaml", "dagster.postgres.yaml"))
    custom = server.pop("storage")["custom"]
    assert issubclass(getattr(import_module(custom["module"]), custom["class"]), DagsterPostgresStorage)
    storage = custom["config"]["postgres_db"]
    assert embedded.pop("storage")["custom"]["class"] == OpenSqliteStorage.__name__
    assert storage["scheme"] == "postgresql+psycopg2"
    assert all(set(storage[key]) == {"env"} for key in ("hostname", "username", "password"))
    for config in (embedded, server):
        config["concurrency"]["runs"].pop("max_concurrent_runs")
    assert server["run_coordinator"]["config"].pop("runs_a_cell")  # cells need PostgreSQL
    assert embedded == server


def test_run_whose_process_goes_on_is_healthy_without_its_code_server(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The code server has died, and its port belongs to no one; the process of the run writes on."""
    monkeypatch.setattr("brain_pipelines.orchestration.launcher.GRACE_SECONDS", 0.0)
    job = dg.Definitions(jobs=[dg.job(name="j")(lambda: None)]).resolve_job_def("j")
    run = instance.create_run_for_job(job, tags={".dagster/grpc_info": '{"host": "localhost", "port": 1}'})
    # Dagster sets SIGTERM as SIGINT is set, which is ignored in a background job; a child would inherit that.
    code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_DFL)\n"
    code += "import sys,time; from pathlib import Path; from brain_pipelines.engine.run_workers import marked\n"
    code += "with marked(Path(sys.argv[1]), sys.argv[2]): print('marked', flush=True); time.sleep(300)"
    command = [sys.executable, "-c", code, instance.root_directory, run.run_id]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=project_root()) as process:
        assert process.stdout is not None and process.stdout.readline() == b"marked\n"
        launcher = instance.run_launcher
        assert launcher.check_run_worker_health(run).status == WorkerStatus.RUNNING
        assert launcher.terminate(run.run_id)  # the server cannot; the process is asked itself
        assert process.wait(200) != 0  # before it ends by itself
    assert worker_of(Path(instance.root_directory), run.run_id) is None
    assert launcher.check_run_worker_health(run).status == WorkerStatus.NOT_FOUND


def test_run_in_the_process_of_a_command_is_marked(bench, instance: dg.DagsterInstance) -> None:
    seen = []

    @dg.op
    def look(context: dg.OpExecutionContext, brain: BrainResource) -> None:
        """Note the mark of the run."""
        seen.append(worker_of(Path(context.instance.root_directory), context.run_id))

    job = dg.GraphDefinition("j", node_defs=[look]).to_job(
        resource_defs={"brain": BrainResource(home=str(bench.home.path))}
    )
    result = job.execute_in_process(instance=instance)
    assert seen[0].pid == os.getpid()
    assert worker_of(Path(instance.root_directory), result.run_id) is None
