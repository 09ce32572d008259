"""The run queue: whose run it is, whatever asked for it, and which runs may start beside which."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.remote_origin import RegisteredCodeLocationOrigin, RemoteJobOrigin, RemoteRepositoryOrigin
from dagster._core.run_coordinator.base import SubmitRunContext
from dagster._daemon.run_coordinator.queued_run_coordinator_daemon import QueuedRunCoordinatorDaemon

from brain_pipelines.definitions import build_defs
from brain_pipelines.orchestration.cells.names import OF_A_MACHINE, Names
from brain_pipelines.orchestration.partitions import range_tags
from brain_pipelines.orchestration.run_queue import UserRunCoordinator, users_of
from brain_pipelines.sources.registry import SOURCES
from brain_retrieval.home import project_root
from tests.pipelines.days import DAYS

KNOWN = ["dora", "alice", "bob", "carol"]
RANGE = ("dagster/asset_partition_range_start", "dagster/asset_partition_range_end")


@pytest.fixture
def instance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dg.DagsterInstance]:
    text = (project_root() / "dagster_home" / "dagster.yaml").read_text()
    text = text.replace("max_concurrent_runs: 2", "max_concurrent_runs: 10")
    text = text.replace("pools: {speech: 1, ocr: 2}", "pools: {speech: 1, ocr: 2, chat_extraction: 3}")
    (tmp_path / "dagster.yaml").write_text(text)
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    with dg.DagsterInstance.from_config(str(tmp_path)) as instance:
        instance.add_dynamic_partitions("users", KNOWN)
        yield instance


def submit(instance: dg.DagsterInstance, tags: dict[str, str]) -> str:
    """Create and queue a run as the UI, a backfill or a sensor does."""
    job = dg.Definitions(jobs=[dg.job(name="j")(lambda: None)]).resolve_job_def("j")
    origin = RemoteJobOrigin(RemoteRepositoryOrigin(RegisteredCodeLocationOrigin("brain"), "__repository__"), "j")
    run = instance.create_run_for_job(job, tags=tags, remote_job_origin=origin)
    return instance.run_coordinator.submit_run(SubmitRunContext(run, workspace=None)).run_id  # type: ignore[arg-type]


def between(first: str, last: str) -> dict[str, str]:
    return dict(zip(RANGE, (first, last), strict=True))


@pytest.mark.parametrize(
    ("tags", "users"),
    [
        ({}, []),
        ({"dagster/partition": "2026-01-05|bob"}, ["bob"]),
        (between("2026-01-05|bob", "2026-01-09|bob"), ["bob"]),
        (between("2026-01-05|dora", "2026-01-05|bob"), ["dora", "alice", "bob"]),
        (between("2026-01-05|gone", "2026-01-05|bob"), ["bob", "gone"]),
        (range_tags("carol", "2026-01-05", "2026-01-06", DAYS), ["carol"]),
    ],
)
def test_users_of_a_run(tags: dict[str, str], users: list[str]) -> None:
    assert users_of(tags, KNOWN) == users


def test_runs_of_the_ui_carry_their_users_and_wait_for_them(instance: dg.DagsterInstance) -> None:
    assert isinstance(instance.run_coordinator, UserRunCoordinator)

    def startable() -> list[str]:
        daemon = QueuedRunCoordinatorDaemon(interval_seconds=5)
        return [r.run_id for r in daemon._get_runs_to_dequeue(instance, instance.get_concurrency_config(), None)]

    def start(run_id: str) -> None:
        run = instance.get_run_by_id(run_id)
        instance.report_dagster_event(dg.DagsterEvent("PIPELINE_START", run.job_name), run_id=run_id)  # type: ignore

    click = submit(instance, {"dagster/partition": "2026-01-05|bob"})
    sensor = submit(instance, range_tags("bob", "2026-01-06", "2026-01-07", DAYS))
    everyone = submit(instance, between("2026-01-05|dora", "2026-01-05|carol"))
    other = submit(instance, range_tags("erin", "2026-01-06", "2026-01-07", DAYS))
    assert instance.get_run_by_id(click).tags["brain/user"] == "bob"  # type: ignore[union-attr]
    assert startable() == [click, other]  # the run of all users waits for bob's
    start(click)
    assert startable() == [other]
    instance.report_run_canceled(instance.get_run_by_id(click))
    instance.report_run_canceled(instance.get_run_by_id(sensor))
    assert startable() == [everyone, other]
    start(everyone)
    late = submit(instance, range_tags("alice", "2026-01-06", "2026-01-06", DAYS))
    assert startable() == [other] and late not in startable()


def test_pools_are_limited_and_a_limit_of_the_ui_stays(instance: dg.DagsterInstance) -> None:
    instance.event_log_storage.set_concurrency_slots("ocr", 7)
    submit(instance, {})
    assert limits(instance) == {"ocr": 7, "speech": 1, "chat_extraction": 3}


def test_machines_have_pools_of_their_own_and_an_endpoint_one_for_all(instance: dg.DagsterInstance) -> None:
    submit(instance, Names("south").tags)
    assert limits(instance) == {"ocr_south": 2, "speech_south": 1, "chat_extraction": 3}
    assert {source.pool for source in SOURCES if source.pool} == OF_A_MACHINE


def limits(instance: dg.DagsterInstance) -> dict[str, int]:
    return {pool.name: pool.limit for pool in instance.event_log_storage.get_pool_limits()}


def test_assets_name_what_they_occupy(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_EXTRACTION__PROVIDER", "llm")
    monkeypatch.setenv("BRAIN_LLM__MODEL", "m")
    defs = build_defs(bench.home)
    keys = "voice-memo/text image/text note/text note/embeddings note/extractions note/enrichments".split()
    pools = {key: defs.resolve_assets_def(key.split("/")).op.pool for key in keys}
    assert pools == {
        "voice-memo/text": "speech",
        "image/text": "ocr",
        "note/text": None,
        "note/embeddings": "embedding_onnx",
        "note/extractions": "chat_extraction",
        "note/enrichments": None,
    }
