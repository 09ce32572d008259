"""Dagster's storage with open connections: the files of Dagster's own class, and safe for several processes."""

import os
import sqlite3
from pathlib import Path

import dagster as dg
import pytest
import yaml

from brain_pipelines.orchestration import sqlite_storage
from brain_retrieval.home import project_root

HOME = project_root() / "dagster_home"
MOST = 500  # characters of an event
RUNS = sqlite_storage.MAX_RUN_ENGINES + 2


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configured directory of a Dagster instance, as DAGSTER_HOME."""
    (tmp_path / "dagster.yaml").write_text((HOME / "dagster.yaml").read_text())
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    return tmp_path


@dg.asset
def tide() -> dg.MaterializeResult:
    """An asset that says something in the log."""
    return dg.MaterializeResult(metadata={"height": 3})


def run(instance: dg.DagsterInstance) -> str:
    result = dg.materialize([tide], instance=instance)
    assert result.success
    return result.run_id


def logs(instance: dg.DagsterInstance, run_id: str) -> list[str]:
    return [entry.dagster_event_type.value for entry in instance.all_logs(run_id) if entry.dagster_event_type]


def test_what_dagsters_own_class_wrote_is_read(directory: Path) -> None:
    config = yaml.safe_load((directory / "dagster.yaml").read_text())
    assert config.pop("storage")["custom"]["config"] == {"base_dir": {"env": "DAGSTER_HOME"}}
    (directory / "dagster.yaml").write_text(yaml.safe_dump(config))
    with dg.DagsterInstance.from_config(str(directory)) as instance:
        assert not isinstance(instance.event_log_storage, sqlite_storage.OpenEventLogStorage)
        theirs = run(instance)
        expected = logs(instance, theirs)
    assert {"ASSET_MATERIALIZATION", "PIPELINE_SUCCESS"} <= set(expected)
    (directory / "dagster.yaml").write_text((HOME / "dagster.yaml").read_text())
    with dg.DagsterInstance.from_config(str(directory)) as instance:
        assert isinstance(instance.event_log_storage, sqlite_storage.OpenEventLogStorage)
        ours = run(instance)
        assert logs(instance, theirs) == expected == logs(instance, ours)
        assert {r.run_id for r in instance.get_runs()} == {ours, theirs}


def test_two_open_instances_see_each_others_runs(directory: Path) -> None:
    with (
        dg.DagsterInstance.from_config(str(directory)) as one,
        dg.DagsterInstance.from_config(str(directory)) as other,
    ):
        first, second = run(one), run(other)
        assert logs(one, second) == logs(other, second) == logs(other, first)
        found = other.get_latest_materialization_event(tide.key)
        assert found is not None and found.run_id == second


def test_only_the_last_runs_keep_their_database_open(directory: Path) -> None:
    with dg.DagsterInstance.from_config(str(directory)) as instance:
        runs = [run(instance) for _ in range(RUNS)]
        opened = {Path(os.readlink(f"/proc/self/fd/{n}")).stem for n in os.listdir("/proc/self/fd") if _is_link(n)}
        assert runs[0] not in opened and runs[-1] in opened
        assert logs(instance, runs[0]) == logs(instance, runs[-1])


def _is_link(number: str) -> bool:
    return os.path.islink(f"/proc/self/fd/{number}")


def test_deleted_run_and_wiped_storage_are_empty(directory: Path) -> None:
    with dg.DagsterInstance.from_config(str(directory)) as instance:
        first, second = run(instance), run(instance)
        instance.delete_run(first)
        assert not instance.has_run(first) and instance.all_logs(first) == []
        instance.wipe()
        assert instance.get_runs() == [] and instance.all_logs(second) == []
        assert logs(instance, run(instance))


DAYS = dg.DailyPartitionsDefinition("2026-01-01", end_date="2026-01-08")


@dg.asset(partitions_def=DAYS, backfill_policy=dg.BackfillPolicy.single_run())
def level(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
    """An asset of seven days, with a tag, in one run."""
    for key in context.partition_keys:
        context.add_asset_metadata({"day": key}, partition_key=key)
    return dg.MaterializeResult(metadata={"height": 3}, tags={"sea": "north"})


def stored_events(directory: Path, size: str, monkeypatch: pytest.MonkeyPatch) -> tuple[object, ...]:
    """Return what a run of seven days leaves in the storage, with events handed over `size` at a time."""
    monkeypatch.setenv("DAGSTER_EVENT_BATCH_SIZE", size)
    monkeypatch.setenv("DAGSTER_HOME", str(directory))
    (directory / "dagster.yaml").write_text((HOME / "dagster.yaml").read_text())
    tags = {"dagster/asset_partition_range_start": "2026-01-01", "dagster/asset_partition_range_end": "2026-01-07"}
    with dg.DagsterInstance.from_config(str(directory)) as instance:
        result = dg.materialize([level], instance=instance, tags=tags)
        found = [
            record.asset_materialization for record in instance.fetch_materializations(level.key, limit=20).records
        ]
        with sqlite3.connect(directory / "history" / "runs" / "index.db") as index:
            sizes = [size for (size,) in index.execute("SELECT length(event) FROM event_logs")]
        assert len(sizes) > len(DAYS.get_partition_keys()) and max(sizes) < MOST
        values = sorted((one.partition or "", one.metadata["height"].value, one.tags["sea"]) for one in found if one)
        versions = instance.event_log_storage.get_latest_tags_by_partition(
            level.key, dg.DagsterEventType.ASSET_MATERIALIZATION, ["dagster/data_version"]
        )
        (record,) = instance.get_asset_records([level.key])
        assert record.asset_entry.last_run_id == result.run_id
        return sorted(logs(instance, result.run_id)), values, sorted(versions)


def test_events_stored_together_are_those_stored_one_by_one(directory: Path, tmp_path_factory, monkeypatch) -> None:
    alone = stored_events(directory, "0", monkeypatch)
    assert stored_events(tmp_path_factory.mktemp("together"), "200", monkeypatch) == alone
    _, values, versions = alone
    days = [f"2026-01-0{number}" for number in range(1, 8)]
    assert values == [(day, 3, "north") for day in days] and versions == days
