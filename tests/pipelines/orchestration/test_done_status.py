"""The status of partitions on Dagster's pages: a day on which nothing is left to do is done, also without an event."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg
import pytest
from dagster._core.definitions.partitions.context import partition_loading_context
from dagster._core.loader import LoadingContextForTest
from typer.testing import CliRunner

from brain_pipelines.commands.app import app
from brain_pipelines.ingest.local_runs import open_instance
from brain_pipelines.orchestration.cells.names import Names
from brain_pipelines.orchestration.days.calendar import Calendar
from brain_pipelines.orchestration.days.open_days import not_looked_at, record_open_days
from brain_pipelines.orchestration.forgetting_job import forget_runs
from brain_pipelines.orchestration.storage.done_status import Standing, read_standings, write_standing


def today() -> str:
    return datetime.now(UTC).date().isoformat()


@pytest.fixture
def instance(bench) -> Iterator[dg.DagsterInstance]:
    """The instance of the home, in SQLite, which knows alice and bob."""
    with open_instance(bench.home.path) as opened:
        opened.add_dynamic_partitions("users", ["alice", "bob"])
        yield opened


def brain(*arguments: str) -> Any:
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code == 0, result.output + repr(result.exception)
    return json.loads(result.stdout)


def missing(instance: dg.DagsterInstance, settings: Any, user: str, *keys: str) -> list[list[str]]:
    """Return the partitions of a user that the pages show as missing, of each asset."""
    partitions = Calendar.of(settings).definition()
    assets = [dg.AssetKey(key.split("/")) for key in keys]
    values = instance.event_log_storage.get_asset_status_cache_values(
        [(asset, partitions) for asset in assets], LoadingContextForTest(instance)
    )
    found = []
    with partition_loading_context(dynamic_partitions_store=instance):
        for value in values:
            done = value.deserialize_materialized_partition_subsets(partitions) if value else partitions.empty_subset()
            names = set(partitions.get_partition_keys()) - set(done.get_partition_keys())
            found.append(sorted(name.partition("|")[0] for name in names if name.endswith(f"|{user}")))
    return found


def test_nothing_is_missing_after_an_ingestion(bench, instance) -> None:
    path = bench.drop("alice", "note", "a.md", "A note.", day="2026-01-05")
    run = brain("ingest", str(path), "--user", "alice", "--source", "note")["runs"][0]
    assets = ("note/raw", "note/embeddings", "email/raw", "team/extractions", "knowledge/mentions")
    assert missing(instance, bench.settings, "alice", *assets) == [[], [], [], [], []]
    assert len(missing(instance, bench.settings, "bob", "note/raw")[0]) > 300  # not looked at
    events = instance.get_materialized_partitions(dg.AssetKey(["note", "raw"]))
    assert events == {"2026-01-05|alice"}  # the others are done without an event
    stored = instance.get_run_by_id(run["run_id"])
    assert stored.remote_job_origin.repository_origin.get_label() == stored.tags[".dagster/repository"]


def test_day_with_a_file_is_missing_until_it_has_run(bench, instance) -> None:
    for day in ("2026-01-05", "2026-01-07"):
        bench.land(bench.drop("alice", "note", f"{day}.md", day, day=day))
    record_open_days(instance, bench.home, bench.settings, ["alice"])
    note, email = missing(instance, bench.settings, "alice", "note/text", "email/text")
    assert (note, email) == (["2026-01-05", "2026-01-07"], [])
    bench.run(days=["2026-01-05"])
    assert record_open_days(instance, bench.home, bench.settings, ["alice"]) == 1
    assert missing(instance, bench.settings, "alice", "note/text") == [["2026-01-07"]]


def test_snapshot_of_yesterday_is_missing_while_it_is_due(bench, instance) -> None:
    bench.land(bench.drop("alice", "note", "a.md", "Bob leads the budget."))
    bench.run()
    record_open_days(instance, bench.home, bench.settings, ["alice"])
    yesterday = (datetime.now(UTC).date() - timedelta(days=1)).isoformat()
    assert missing(instance, bench.settings, "alice", "knowledge/mentions", "memory/macros") == [[yesterday]] * 2


def test_months_are_done_if_their_days_are(bench, instance) -> None:
    settings = bench.settings.model_copy(update={"partitions": "month"})
    write_standing(instance, "alice", Standing(today(), {"note": ["2026-01-05", "2026-01-06", "2026-03-01"]}))
    assert missing(instance, settings, "alice", "note/raw", "email/raw") == [["2026-01", "2026-03"], []]


def test_days_after_the_record_are_missing(bench, instance) -> None:
    write_standing(instance, "alice", Standing((datetime.now(UTC) - timedelta(days=2)).date().isoformat(), {}))
    assert len(missing(instance, bench.settings, "alice", "note/raw")[0]) == 2
    bench.land(bench.drop("alice", "note", "a.md", "A note."))
    assert not_looked_at(instance, bench.home, bench.settings, datetime.now(UTC)) == ["alice"]
    record_open_days(instance, bench.home, bench.settings, ["alice"])
    assert not_looked_at(instance, bench.home, bench.settings, datetime.now(UTC)) == []


def test_assets_without_users_are_left_as_they_are(instance) -> None:
    write_standing(instance, "alice", Standing(today(), {}))
    days = dg.DailyPartitionsDefinition("2026-01-01")
    key = dg.AssetKey("other")
    values = instance.event_log_storage.get_asset_status_cache_values([(key, days)], LoadingContextForTest(instance))
    assert list(values) == [None]


def test_record_goes_with_its_user(instance) -> None:
    assert write_standing(instance, "alice", Standing(today(), {}))
    assert not write_standing(instance, "alice", Standing(today(), {}))  # written once
    forget_runs(instance, "alice", Names())
    instance.add_dynamic_partitions("users", ["alice"])
    assert read_standings(instance, ["alice"]) == {}
