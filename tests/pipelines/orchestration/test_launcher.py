"""The run launcher's health check, and the instance configuration files that use it."""

from pathlib import Path

import dagster as dg
import pytest
import yaml
from dagster._core.launcher.base import WorkerStatus

from brain_pipelines.orchestration.launcher import HealthCheckedRunLauncher
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


def test_run_without_code_server_is_not_found(instance: dg.DagsterInstance) -> None:
    job = dg.Definitions(jobs=[dg.job(name="j")(lambda: None)]).resolve_job_def("j")
    nameless = instance.create_run_for_job(job)
    assert instance.run_launcher.check_run_worker_health(nameless).status == WorkerStatus.NOT_FOUND
    tags = {".dagster/grpc_info": '{"host": "localhost", "port": 1}'}
    lost = instance.create_run_for_job(job, tags=tags)
    health = instance.run_launcher.check_run_worker_health(lost)
    assert health.status == WorkerStatus.NOT_FOUND and "unreachable" in (health.msg or "")


def test_server_profile_differs_only_in_storage() -> None:
    embedded, server = (yaml.safe_load((HOME / n).read_text()) for n in ("dagster.yaml", "dagster.postgres.yaml"))
    storage = server.pop("storage")["postgres"]["postgres_db"]
    assert embedded.pop("storage")["custom"]["class"] == OpenSqliteStorage.__name__
    assert storage["scheme"] == "postgresql+psycopg2"
    assert all(set(storage[key]) == {"env"} for key in ("hostname", "username", "password"))
    for config in (embedded, server):
        config["concurrency"]["runs"].pop("max_concurrent_runs")
    assert embedded == server
