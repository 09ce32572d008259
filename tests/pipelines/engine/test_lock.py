"""The writer lock is free while rows are computed, and what another process changed meanwhile is computed again."""

import dataclasses
import threading

from brain_pipelines.engine.run_stage import materialize
from brain_pipelines.sources.registry import SOURCES_BY_NAME
from brain_pipelines.stages.registry import STAGES, STAGES_BY_NAME
from brain_retrieval.stores.catalog import Catalog
from brain_retrieval.stores.locking import is_worked_on, writer_lock

DAY = "2026-01-05"
TEXT = STAGES_BY_NAME["text"]


def run(bench, stage, source: str = "note"):
    return materialize(
        stage, SOURCES_BY_NAME[source], bench.space(), [DAY], settings=bench.settings, run_id=f"run-{source}"
    )


def test_a_message_does_not_wait_for_a_video(bench) -> None:
    bench.land(bench.drop("alice", "note", "slow.md", "as slow as the recognition of a video", day=DAY))
    bench.land(bench.drop("alice", "message", "quick.txt", "a message", day=DAY))
    run(bench, STAGES[0])
    begun, stored = threading.Event(), threading.Event()

    def slow(stage_input):
        begun.set()
        assert stored.wait(300), "the message waited"
        return TEXT.run(stage_input)

    worker = threading.Thread(target=run, args=(bench, dataclasses.replace(TEXT, run=slow)))
    worker.start()
    assert begun.wait(300)
    assert is_worked_on(bench.space())  # so that no sensor begins the same work
    for stage in STAGES[:2]:
        run(bench, stage, "message")
    assert list(bench.texts(source="message").values()) == ["a message"]
    stored.set()
    worker.join()
    assert len(bench.texts()) == 1
    assert not is_worked_on(bench.space())


def test_input_that_changes_while_computing_is_computed_again(bench) -> None:
    bench.land(bench.drop("alice", "note", "a.md", "the first version", day=DAY))
    run(bench, STAGES[0])
    calls: list[int] = []

    def overtaken(stage_input):
        calls.append(len(calls))
        output = TEXT.run(stage_input)
        if len(calls) == 1:  # meanwhile another process lands a new version and runs the first stage
            bench.land(bench.drop("alice", "note", "a.md", "the second, longer version", day=DAY))
            run(bench, STAGES[0])
        return output

    report = run(bench, dataclasses.replace(TEXT, run=overtaken))
    assert len(calls) == 2 and report.computed == [DAY]
    assert list(bench.texts().values()) == ["the second, longer version"]
    with Catalog(bench.space()) as catalog:
        above, below = catalog.get_ledger("note", "raw", DAY), catalog.get_ledger("note", "text", DAY)
    assert above and below and below.input_hash == above.output_hash


def test_a_day_that_another_process_has_stored_is_left_alone(bench) -> None:
    bench.land(bench.drop("alice", "note", "a.md", "hello", day=DAY))
    run(bench, STAGES[0])

    def overtaken(stage_input):
        run(bench, TEXT)
        return dataclasses.replace(TEXT.run(stage_input), tables={})  # what this run computed is not used

    report = run(bench, dataclasses.replace(TEXT, run=overtaken))
    assert report.skipped == [DAY] and not report.computed
    assert list(bench.texts().values()) == ["hello"]
    with writer_lock(bench.space(), timeout=0):
        pass
