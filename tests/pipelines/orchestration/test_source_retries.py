"""Which errors of a source's stage Dagster retries: those that may pass, and no others."""

import threading
from typing import Any

import dagster as dg
import pytest

from brain_pipelines.definitions import build_defs
from brain_pipelines.engine import run_stage
from brain_pipelines.orchestration import source_assets
from brain_pipelines.orchestration.partitions import range_tags
from brain_retrieval.errors import BudgetExceededError, ModelCallError, NoAnswerError, WriterBusyError, may_pass
from brain_retrieval.stores.locking import writer_lock
from tests.pipelines.days import DAYS


def run_raw(bench) -> dg.ExecuteInProcessResult:
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("users", ["alice"])
        return (
            build_defs(bench.home)
            .resolve_job_def("note")
            .execute_in_process(
                instance=instance,
                asset_selection=[dg.AssetKey(["note", "raw"])],
                tags=range_tags("alice", "2026-01-05", "2026-01-05", DAYS),
                run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
                raise_on_error=False,
            )
        )


def retries(result: dg.ExecuteInProcessResult) -> int:
    return sum(event.event_type == dg.DagsterEventType.STEP_UP_FOR_RETRY for event in result.all_events)


def test_a_locked_store_is_waited_for_and_tried_again(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_stage, "LOCK_SECONDS", 0.05)
    monkeypatch.setattr(source_assets, "FIRST_WAIT", 0.0)
    bench.land(bench.drop("alice", "note", "a.md", "Words of a note."))
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with writer_lock(bench.space()):
            held.set()
            done.wait(120)

    thread = threading.Thread(target=hold)

    def while_locked_at_first(*args: Any, **options: Any) -> run_stage.StageReport:
        if not held.is_set():
            thread.start()
            held.wait()
        else:
            done.set()
            thread.join()
        return run_stage.materialize(*args, **options)

    monkeypatch.setattr(source_assets, "materialize", while_locked_at_first)
    result = run_raw(bench)
    assert result.success and retries(result) == 1


def test_another_error_ends_the_stage_at_once(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise run_stage.StageFailedError("note/raw: ValueError")

    monkeypatch.setattr(source_assets, "materialize", broken)
    result = run_raw(bench)
    assert not result.success and retries(result) == 0


def test_which_errors_may_pass() -> None:
    assert may_pass(WriterBusyError()) and may_pass(ModelCallError())
    assert not any(map(may_pass, (NoAnswerError(), BudgetExceededError(), ValueError("locked"), OSError())))
