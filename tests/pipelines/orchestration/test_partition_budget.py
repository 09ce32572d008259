"""Above the partition budget every command, sensor and definition still works, with a warning."""

import json
import os
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from typer.testing import CliRunner, Result

from brain_pipelines.commands.app import app
from brain_pipelines.definitions import build_defs
from brain_pipelines.ingest.local_runs import open_instance
from brain_pipelines.landing.inbox import FileState
from brain_pipelines.landing.landing import open_landing
from brain_pipelines.orchestration.days.budget import PartitionBudget, active_users, left_out, measure_budget
from brain_pipelines.orchestration.partitions import range_tags, unregister_left_out
from brain_pipelines.orchestration.resources import BrainResource
from brain_retrieval.home import Home
from tests.pipelines.days import DAYS

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@pytest.fixture
def tiny(bench, monkeypatch: pytest.MonkeyPatch):
    """A home whose first user already exceeds the budget."""
    monkeypatch.setenv("BRAIN_PARTITION_BUDGET", "10")
    return bench


def brain(*arguments: str) -> Result:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output + repr(result.exception)
    return result


def brain_json(*arguments: str) -> Any:
    return json.loads(brain(*arguments, "--json").stdout)


def sensor_result(home: Home, name: str, instance: dg.DagsterInstance) -> Any:
    resources = {"brain": BrainResource(home=str(home.path))}
    with dg.build_sensor_context(instance=instance, resources=resources) as context:
        return build_defs(home).resolve_sensor_def(name)(context)


def arrive(bench, user: str, received: str) -> None:
    """Land one note of a user, received at the given time."""
    path = bench.drop(user, "note", "a.md", f"A note of {user}.")
    with open_landing(bench.space(user), bench.settings) as landing:
        landing.land(
            FileState.of(path, bench.space(user).inbox), now=datetime.fromisoformat(received).replace(tzinfo=UTC)
        )


def test_every_command_works_above_budget(tiny, tmp_path: Path) -> None:
    note = tmp_path / "plan.md"
    note.write_text("The greenhouse key hangs behind the blue door.\n")
    done = brain_json("ingest", str(note), "--user", "alice", "--source", "note", "--event-time", "2026-01-05T10:00")
    assert [run["success"] for run in done["runs"]] == [True] and len(done["stored"]) == 1

    sent = brain_json("message", "The door code is 7731.", "--user", "bob")
    assert len(sent["stored"]) == 1
    assert brain_json("rerun", "--user", "alice", "--force")["runs"][0]["success"]
    assert brain_json("nightly", "--user", "alice")["success"]
    hits = brain_json("search", "greenhouse key", "--user", "alice")
    assert "blue door" in json.dumps(hits)


def test_status_shows_numbers_and_warning(tiny) -> None:
    for user, day in (("alice", "2026-03-01"), ("bob", "2026-03-02")):
        arrive(tiny, user, day)
    state = brain_json("status")
    assert state["partitions_per_asset"] == 2 * state["partition_days"] > state["partition_budget"] == 10
    assert state["users_beyond_budget"] == ["alice", "bob"]
    shown = " ".join(brain("status").output.split())
    assert "2 users ×" in shown and "the budget is 10." in shown and "beyond the budget: alice, bob" in shown


def test_no_warning_within_budget(bench) -> None:
    arrive(bench, "alice", "2026-03-01")
    state = brain_json("status")
    assert (state["partition_warning"], state["users_beyond_budget"]) == (None, [])


def test_definitions_load_without_looking_at_users(tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time to load must not grow with the number of users."""
    arrive(tiny, "alice", "2026-03-01")
    monkeypatch.setattr(Home, "users", lambda _home: pytest.fail("the users were listed"))
    monkeypatch.setattr("brain_pipelines.landing.inbox.inbox_users", lambda _home: pytest.fail("so were the inboxes"))
    with open_instance(tiny.home.path):
        dg.Definitions.validate_loadable(build_defs(tiny.home))


def test_sensor_tick_and_its_run_work_above_budget(tiny) -> None:
    tiny.drop("carol", "note", "a.md", "The tick brought this.")
    with dg.DagsterInstance.ephemeral() as instance:
        result = sensor_result(tiny.home, "inbox", instance)
        assert [r.partition_keys for r in result.dynamic_partitions_requests] == [["carol"]]
        instance.add_dynamic_partitions("users", ["carol"])
        (request,) = result.run_requests
        job = build_defs(tiny.home).resolve_job_def(request.job_name)
        assert job.execute_in_process(instance=instance, tags=request.tags, run_config=QUIET).success
        skipped = sensor_result(tiny.home, "inbox", instance)
    assert list(tiny.texts("carol").values()) == ["The tick brought this."]
    assert isinstance(skipped, dg.SkipReason) and "the budget is 10." in (skipped.skip_message or "")


def test_snapshot_schedule_works_above_budget(tiny) -> None:
    arrive(tiny, "alice", "2026-03-01")
    tiny.run()
    with open_instance(tiny.home.path) as instance:
        schedule: Any = build_defs(tiny.home).resolve_schedule_def("nightly")
        resources = {"brain": BrainResource(home=str(tiny.home.path))}
        at = datetime(2026, 3, 2, 3, tzinfo=UTC)
        with dg.build_schedule_context(instance, scheduled_execution_time=at, resources=resources) as context:
            (request,) = schedule(context)
        assert instance.get_dynamic_partitions("users") == ["alice"]
    assert request.tags["brain/user"] == "alice"


def test_budget_counts_users_times_days(bench) -> None:
    for n in range(10):
        arrive(bench, f"user-{n}", f"2026-03-{n + 1:02}")
    settings = bench.settings.model_copy(update={"first_day": date(2026, 1, 1), "partition_budget": 300})
    budget = measure_budget(bench.home, settings, today=date(2026, 1, 31))
    assert (budget.partitions, budget.fitting) == (310, 9)
    assert "10 users × 31 days since 2026-01-01 = 310 partitions" in budget.warning and "the other 1 " in budget.warning
    assert left_out(bench.home, budget) == ["user-0"]  # the user with the oldest newest item
    near = measure_budget(bench.home, settings.model_copy(update={"partition_budget": 340}), today=date(2026, 1, 31))
    assert "It is reached in 3 days." in near.warning and left_out(bench.home, near) == []
    months = settings.model_copy(update={"partitions": "month"})
    few = measure_budget(bench.home, months, today=date(2026, 2, 1))
    assert (few.partitions, few.warning, left_out(bench.home, few)) == (20, "", [])


def test_users_with_the_newest_files_in_the_inbox_fit_first(bench) -> None:
    for user, at in (("alice", 1_700_000_000), ("bob", 1_700_000_200), ("carol", 1_700_000_100)):
        os.utime(bench.drop(user, "note", "a.md", "A note."), (at, at))
    arrive(bench, "dave", "2023-11-14T22:14")  # between alice and carol
    budget = PartitionBudget(bench.home.path, 4, date(2026, 1, 1), 10, 20)
    assert left_out(bench.home, budget) == ["alice", "dave"]
    exact = replace(budget, budget=40)
    assert not exact.is_above and left_out(bench.home, exact) == []
    assert exact.fitting == 4


def test_empty_directories_are_not_users(bench) -> None:
    arrive(bench, "alice", "2026-03-01")
    bench.drop("bob", "note", "waiting.md", "Not landed yet.")
    (bench.home.inbox / "carol" / "note").mkdir(parents=True)
    (bench.home.path / "users" / "dave").mkdir(parents=True)
    with open_landing(bench.space("erin"), bench.settings):
        pass  # opening the landing store creates an empty database
    assert active_users(bench.home) == ["alice", "bob"]
    assert brain_json("status")["partition_users"] == 2


def test_user_with_damaged_landing_store_counts_and_definitions_load(bench) -> None:
    arrive(bench, "alice", "2026-03-01")
    bench.space("bob").create().landing.write_bytes(b"not a database" * 100)
    assert active_users(bench.home) == ["alice", "bob"]
    with open_instance(bench.home.path):
        dg.Definitions.validate_loadable(build_defs(bench.home))


def test_maintenance_unregisters_idle_users_beyond_budget(tiny) -> None:
    for user in ("alice", "bob"):
        arrive(tiny, user, "2026-03-01")
    with open_instance(tiny.home.path) as instance:
        instance.add_dynamic_partitions("users", ["alice", "bob", "other"])
        brain_json("rerun", "--user", "alice")
        assert unregister_left_out(instance, tiny.home, tiny.settings) == 1
        assert instance.get_dynamic_partitions("users") == ["alice", "other"]  # alice had a run today
    brain_json("rerun", "--user", "bob")
    with open_instance(tiny.home.path) as instance:
        assert "bob" in instance.get_dynamic_partitions("users")


def test_run_without_user_tag_keeps_all_users_registered(tiny) -> None:
    arrive(tiny, "alice", "2026-03-01")
    tags = {key: value for key, value in range_tags("bob", "2026-01-05", "2026-01-05", DAYS).items() if "range" in key}
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("users", ["alice", "bob"])
        job = build_defs(tiny.home).resolve_job_def("note")
        assert job.execute_in_process(instance=instance, tags=tags, run_config=QUIET).success
        assert unregister_left_out(instance, tiny.home, tiny.settings) == 0
        assert instance.get_dynamic_partitions("users") == ["alice", "bob"]


def test_maintenance_job_reports_number_of_unregistered_users(tiny) -> None:
    arrive(tiny, "alice", "2026-03-01")
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("users", ["alice"])
        result = (
            build_defs(tiny.home).resolve_job_def("maintenance").execute_in_process(instance=instance, run_config=QUIET)
        )
        (event,) = result.asset_materializations_for_node("maintenance__stores")
        assert event.metadata["users_unregistered"].value == 1 and instance.get_dynamic_partitions("users") == []
        (check,) = (one for one in result.get_asset_check_evaluations() if one.check_name == "partition_budget")
        assert not check.passed and check.severity == dg.AssetCheckSeverity.WARN
