"""Removal of old records: days stay done with their figures, whatever is removed of the runs that did them."""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest

from brain_pipelines.orchestration.days.calendar import Calendar
from brain_pipelines.orchestration.partitions import range_tags
from brain_pipelines.orchestration.records import purge
from brain_retrieval.home import project_root
from brain_retrieval.settings import RecordSettings

KEY = dg.AssetKey(["note", "text"])
CALENDAR = Calendar(datetime(2026, 1, 1, tzinfo=UTC).date())
DAYS = CALENDAR.definition()


@dg.asset(key=KEY, partitions_def=DAYS, check_specs=[dg.AssetCheckSpec("sound", asset=KEY, partitions_def=DAYS)])
def text(context: dg.AssetExecutionContext):
    sys.stdout.write("output of the step")
    for key in context.partition_keys:
        context.add_asset_metadata({"rows": 7}, partition_key=key)
        yield dg.AssetCheckEvaluation(check_name="sound", asset_key=KEY, passed="05" in key, partition=key)
    yield dg.MaterializeResult(check_results=[dg.AssetCheckResult(check_name="sound", passed=True)])


@pytest.fixture
def instance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "dagster.yaml").write_text((project_root() / "dagster_home" / "dagster.yaml").read_text())
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    with dg.DagsterInstance.from_config(str(tmp_path)) as instance:
        instance.add_dynamic_partitions("users", ["alice"])
        yield instance


def run(instance: dg.DagsterInstance, first: str, last: str) -> str:
    return dg.materialize([text], instance=instance, tags=range_tags("alice", first, last, CALENDAR)).run_id


def test_days_stay_done_when_their_runs_are_removed(instance: dg.DagsterInstance, tmp_path: Path) -> None:
    first, second = run(instance, "2026-01-05", "2026-01-07"), run(instance, "2026-01-07", "2026-01-08")
    done = instance.get_materialized_partitions(KEY)
    size = sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())
    nothing = purge(instance, RecordSettings(keep_days=1), now=datetime.now(UTC))
    assert nothing == {"runs": 0, "events": 0, "checks": 0}
    counts = purge(instance, RecordSettings(keep_days=1), now=datetime.now(UTC) + timedelta(days=2))
    assert counts["runs"] == 2 and counts["checks"] > 0
    assert instance.get_run_by_id(first) is None and instance.get_run_by_id(second) is None
    assert instance.get_materialized_partitions(KEY) == done == {f"2026-01-0{n}|alice" for n in (5, 6, 7, 8)}
    for key in sorted(done):
        found = instance.fetch_materializations(dg.AssetRecordsFilter(asset_key=KEY, asset_partitions=[key]), limit=9)
        assert [record.asset_materialization.metadata["rows"].value for record in found.records] == [7]
        check = dg.AssetCheckKey(KEY, "sound")
        results = instance.event_log_storage.get_asset_check_execution_history(check, limit=9, partition_filter=None)
        assert [one.status.value for one in results if one.partition == key] == [
            "SUCCEEDED" if "05" in key else "FAILED"
        ]
    assert not list((tmp_path / "history" / "runs").glob(f"{first}*")) and not list(tmp_path.rglob(f"*{second}*"))
    assert sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()) < size
    assert run(instance, "2026-01-05", "2026-01-05")  # and go on


def test_failed_runs_are_kept_longer_and_a_night_has_a_limit(instance: dg.DagsterInstance) -> None:
    job = dg.Definitions(jobs=[dg.job(name="j")(lambda: None)]).resolve_job_def("j")
    runs = [instance.create_run_for_job(job) for _ in range(4)]
    for one in runs[:3]:
        instance.report_run_canceled(one)
    instance.report_run_failed(runs[3])
    later = datetime.now(UTC) + timedelta(days=20)
    assert purge(instance, RecordSettings(runs_a_night=2), now=later)["runs"] == 2
    assert purge(instance, RecordSettings(), now=later)["runs"] == 1
    assert instance.get_run_by_id(runs[3].run_id) is not None
    assert purge(instance, RecordSettings(), now=later + timedelta(days=60))["runs"] == 1
