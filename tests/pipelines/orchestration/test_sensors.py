"""Sensor ticks over real inboxes; `test_supervisor.py` runs them in a real daemon."""

import os
import time
from datetime import UTC, datetime, timedelta

import dagster as dg
import pytest
from dagster._core.remote_origin import RegisteredCodeLocationOrigin, RemoteJobOrigin, RemoteRepositoryOrigin

from brain_pipelines.definitions import build_defs
from brain_pipelines.landing import landing as landing_module
from brain_pipelines.orchestration import sensors
from brain_pipelines.orchestration.resources import BrainResource
from brain_pipelines.orchestration.sensors import failed_spans, retried_now, tick
from brain_retrieval.stores.catalog import Catalog

FILES = 600


def run_tick(bench, cursor: str | None = None):
    return tick(bench.home, bench.settings, cursor)


def requested(plan) -> list[tuple[str, str, str, str]]:
    return [(r.user, r.source, r.start, r.end) for r in plan.requests]


def test_first_file_of_new_user_is_planned_in_same_tick(bench) -> None:
    bench.drop("carol", "note", "a.md", "hello")
    assert requested(run_tick(bench)) == [("carol", "note", "2026-01-05", "2026-01-05")]


def test_sensor_registers_user_and_requests_run_together(bench) -> None:
    bench.drop("carol", "note", "a.md", "hello")
    sensor = build_defs(bench.home).resolve_sensor_def("inbox")
    resources = {"brain": BrainResource(home=str(bench.home.path))}
    with dg.DagsterInstance.ephemeral() as instance, dg.build_sensor_context(instance, resources=resources) as context:
        result = sensor(context)
    assert isinstance(result, dg.SensorResult)
    assert [r.partition_keys for r in result.dynamic_partitions_requests or []] == [["carol"]]
    (request,) = result.run_requests or []
    assert (request.job_name, request.tags["brain/user"]) == ("note", "carol")
    assert result.cursor == "1"


def test_changes_wait_while_a_run_for_them_is_in_the_queue(bench) -> None:
    for source in ("note", "message"):
        bench.drop("carol", source, "a.md", "hello")
    sensor = build_defs(bench.home).resolve_sensor_def("inbox")
    resources = {"brain": BrainResource(home=str(bench.home.path))}
    tags = {"brain/user": "carol", "dagster/sensor_name": "inbox"}
    origin = RemoteJobOrigin(RemoteRepositoryOrigin(RegisteredCodeLocationOrigin("brain"), "__repository__"), "note")
    with dg.DagsterInstance.ephemeral() as instance, dg.build_sensor_context(instance, resources=resources) as context:
        queued = dg.DagsterRunStatus.QUEUED
        instance.add_run(dg.DagsterRun("note", tags=tags, status=queued, remote_job_origin=origin))
        instance.add_run(dg.DagsterRun("message", tags=tags, status=dg.DagsterRunStatus.STARTED))
        first = sensor(context)
        for run in instance.get_runs():
            instance.delete_run(run.run_id)
        second = sensor(context)
    assert isinstance(first, dg.SensorResult) and isinstance(second, dg.SensorResult)
    assert [one.job_name for one in first.run_requests or []] == ["message"]
    assert "note" in [one.job_name for one in second.run_requests or []]


def test_lost_tick_is_requested_again_and_accepted_tick_is_not(bench) -> None:
    bench.drop("alice", "note", "a.md", "hello")
    first = run_tick(bench)
    assert requested(run_tick(bench, None)) == requested(first)  # the cursor was never stored
    assert requested(run_tick(bench, str(first.batch))) == []


def test_modified_late_and_deleted_files_request_their_days(bench) -> None:
    path = bench.drop("alice", "note", "a.md", "hello")
    cursor = str(run_tick(bench).batch)
    bench.run()
    bench.drop("alice", "note", "a.md", "hello again")
    plan = run_tick(bench, cursor)
    assert requested(plan) == [("alice", "note", "2026-01-05", "2026-01-05")]
    bench.run()
    bench.drop("alice", "note", "late.md", "from last year", day="2025-03-01")
    plan = run_tick(bench, str(plan.batch))
    assert requested(plan) == [("alice", "note", "2025-03-01", "2025-03-01")]
    bench.run()
    path.unlink()
    plan = run_tick(bench, str(plan.batch))
    assert requested(plan) == [("alice", "note", "2026-01-05", "2026-01-05")]
    bench.run()
    assert list(bench.texts()) == ["inbox:note/late.md"]


def test_redelivery_of_old_content_has_new_run_key(bench) -> None:
    keys, cursor = [], None
    for text in ("one", "two", "one"):
        bench.drop("alice", "note", "a.md", text)
        plan = run_tick(bench, cursor)
        keys += [r.run_key(plan.batch) for r in plan.requests]
        cursor = str(plan.batch)
        bench.run()
    assert len(keys) == len(set(keys)) == 3


def test_half_written_file_waits(bench) -> None:
    path = bench.drop("alice", "note", "a.md", "half")
    now = time.time()
    os.utime(path, (now, now))
    assert requested(run_tick(bench)) == []
    with path.open("a") as file:
        file.write(" and more")
    assert requested(run_tick(bench)) == []
    assert len(requested(run_tick(bench))) == 1  # two scans agreed
    bench.run()
    assert list(bench.texts().values()) == ["half and more"]


def test_large_inbox_does_not_starve_other_users(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    landed: list[str] = []
    monkeypatch.setattr(sensors, "scan_inbox", lambda space, landing, until: landed.append(space.user))
    for user in ("alice", "bob", "carol"):
        bench.drop(user, "note", "a.md", "hello")
    for cursor in ("0", "1", "2"):
        run_tick(bench, cursor)
    assert landed[0::3] == ["alice", "bob", "carol"]


def test_missing_inbox_directory_deletes_nothing(bench) -> None:
    bench.drop("alice", "note", "a.md", "hello")
    cursor = str(run_tick(bench).batch)
    bench.run()
    (bench.home.inbox / "alice").rename(bench.home.inbox / ".unmounted")
    assert requested(run_tick(bench, cursor)) == []


def test_many_files_are_landed_over_bounded_ticks(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """All files land, no tick overruns its budget by much, and every day is requested exactly once."""
    monkeypatch.setattr(sensors, "TICK_SECONDS", 0.2)
    days = [f"2026-{1 + n // 28:02}-{1 + n % 28:02}" for n in range(40)]
    for n in range(FILES):
        bench.drop(f"u{n % 5}", "note", f"n{n}.txt", f"note {n}", day=days[n % 40])
    cursor, asked, ticks = None, [], 0
    while True:
        began = time.monotonic()
        plan = run_tick(bench, cursor)
        assert time.monotonic() - began < 200
        assert len(plan.requests) <= 100
        cursor, ticks = str(plan.batch), ticks + 1
        asked += requested(plan)
        if not plan.requests and plan.left == 0 and all(count == FILES // 5 for count in landed(bench)):
            break
        assert ticks < FILES
    assert ticks > 2
    assert {user for user, *_ in asked} == {f"u{n}" for n in range(5)}


def landed(bench) -> list[int]:
    """Return the number of landed files of each user."""
    found = []
    for n in range(5):
        with sensors.open_landing(bench.space(f"u{n}"), bench.settings) as landing:
            found.append(landing.size()["files"])
    return found


def test_failed_days_are_retried_a_limited_number_of_times(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.land(bench.drop("alice", "note", "a.md", "hello"))
    keys = []
    for n in range(5):
        with monkeypatch.context() as broken, pytest.raises(Exception, match="note/"):
            broken.setenv("BRAIN_MODELS_DIR", str(bench.home.path / "none"))
            bench.run(run_id=f"run-{n}")
        soon = failed_spans(bench.space(), now=datetime.now(UTC))
        later = failed_spans(bench.space(), now=datetime.now(UTC) + timedelta(hours=1))
        assert soon == []
        keys += [key for _, key in later]
    assert len(keys) == len(set(keys)) == sensors.RETRY_LIMIT
    bench.run(run_id="mended")
    with Catalog(bench.space()) as catalog:
        assert catalog.ledger(state="failed") == []


def test_unreadable_file_is_refused_and_others_are_landed(bench, monkeypatch: pytest.MonkeyPatch) -> None:
    store = landing_module.store_blob

    def denied(space, path, file):
        if path.name == "locked.md":
            raise PermissionError(13, "Permission denied")
        return store(space, path, file)

    monkeypatch.setattr(landing_module, "store_blob", denied)
    bench.drop("alice", "note", "locked.md", "no entry")
    bench.drop("alice", "note", "open.md", "come in")
    assert requested(run_tick(bench)) == [("alice", "note", "2026-01-05", "2026-01-05")]
    with landing_module.open_landing(bench.space(), bench.settings) as landing:
        ((uri, reason),) = landing.refused()
    assert uri == "inbox:note/locked.md" and "could not be landed: PermissionError" in reason
    monkeypatch.undo()
    monkeypatch.setenv("BRAIN_HOME", str(bench.home.path))
    bench.drop("alice", "note", "locked.md", "no entry")  # fixed permissions change the ctime
    run_tick(bench)
    with landing_module.open_landing(bench.space(), bench.settings) as landing:
        assert landing.refused() == [] and len(landing.items("note", "2026-01-05")) == 2


def test_damaged_store_of_one_user_does_not_affect_others(bench) -> None:
    bench.drop("alice", "note", "a.md", "hello")
    run_tick(bench)
    for path in (bench.space().landing, bench.space().catalog):
        path.write_bytes(b"not a database, but long enough to look like a file" * 100)
        for extra in path.parent.glob(path.name + "-*"):
            extra.unlink()
    bench.drop("bob", "note", "b.md", "hello")
    assert requested(run_tick(bench)) == [("bob", "note", "2026-01-05", "2026-01-05")]
    assert sensors._retry_spans(bench.space(), bench.settings, datetime.now(UTC)) == []


@pytest.mark.parametrize(
    ("tries", "minutes", "again"),
    [(1, 2, True), (1, 1.9, False), (2, 4, True), (2, 3.9, False), (3, 8, True), (3, 7.9, False), (4, 99, False),
     (0, 99, False), (3, -1, False), (3, -6, True)],
)  # fmt: skip
def test_what_failed_is_retried_after_two_four_and_eight_minutes(tries: int, minutes: float, *, again: bool) -> None:
    assert retried_now(tries, timedelta(minutes=minutes)) is again  # a failure in the future: the clock was ahead
