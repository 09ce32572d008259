"""Events stored in PostgreSQL together: what Dagster's own class stores one by one."""

from typing import Any

import dagster as dg
import pytest
import sqlalchemy as sa
from dagster_postgres.storage import DagsterPostgresStorage

from brain_pipelines.orchestration.storage.postgres_storage import LedgerPostgresStorage
from tests.pipelines.cells.conftest import database, postgres  # noqa: F401 - fixtures

DAYS = dg.DailyPartitionsDefinition("2026-01-01", end_date="2026-01-08")
WITH_WATER = dg.AssetCheckSpec("has_water", asset="level", partitions_def=DAYS)
WHOLE = dg.AssetCheckSpec("measured", asset="level")


@dg.asset(partitions_def=DAYS, backfill_policy=dg.BackfillPolicy.single_run(), check_specs=[WITH_WATER, WHOLE])
def level(context: dg.AssetExecutionContext):
    """An asset of seven days in one run, with a check of each day, one of which fails, and one of the asset."""
    for key in context.partition_keys:
        context.add_asset_metadata({"day": key}, partition_key=key)
        yield dg.AssetCheckEvaluation(
            check_name="has_water", passed=key != "2026-01-03", partition=key, asset_key=level.key, metadata={}
        )
    whole = [dg.AssetCheckResult(check_name=name, passed=name == "measured") for name in ("has_water", "measured")]
    yield dg.MaterializeResult(metadata={"height": 3}, tags={"sea": "north"}, check_results=whole)


RANGE = {"dagster/asset_partition_range_start": "2026-01-01", "dagster/asset_partition_range_end": "2026-01-07"}
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
CHECKS = sa.text(
    "SELECT c.check_name, c.partition, c.execution_status, e.partition, e.dagster_event_type,"
    " c.evaluation_event = e.event, c.materialization_event_storage_id IS NULL"
    " FROM asset_check_executions c JOIN event_logs e ON e.id = c.evaluation_event_storage_id WHERE c.run_id = :run"
)
TAGS = sa.text("SELECT t.key FROM asset_event_tags t JOIN event_logs e ON e.id = t.event_id WHERE e.run_id = :run")


def stored(address: str, kind: Any, size: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return what a run of seven days leaves in a database, without what differs between any two runs."""
    monkeypatch.setenv("DAGSTER_EVENT_BATCH_SIZE", size)
    events = kind(address).event_log_storage
    with dg.DagsterInstance.ephemeral() as instance:
        instance._event_storage = events
        events.register_instance(instance)
        run = dg.materialize([level], instance=instance, tags=RANGE, run_config=QUIET).run_id
        found = [one.asset_materialization for one in instance.fetch_materializations(level.key, limit=7).records]
        logged = [one.dagster_event_type.value for one in instance.all_logs(run) if one.dagster_event_type]
        (record,) = instance.get_asset_records([level.key])
        assert record.asset_entry.last_run_id == run == record.asset_entry.last_materialization_record.run_id
        with events.index_connection() as connection:
            checks = connection.execute(CHECKS, {"run": run}).all()
            tags = connection.execute(TAGS, {"run": run}).scalars().all()
        events.dispose()
    return {
        "logs": sorted(logged),
        "order": [one for one in logged if one in ("ASSET_CHECK_EVALUATION", "ASSET_MATERIALIZATION", "STEP_SUCCESS")],
        "values": sorted((one.partition or "", one.metadata["height"].value, one.tags["sea"]) for one in found if one),
        "checks": sorted(map(str, checks)),
        "tags": sorted(tags),
    }


def test_events_stored_together_are_those_of_dagsters_own_class(
    database: str,  # noqa: F811 - the fixture
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    address = sa.make_url(database).set(drivername="postgresql+psycopg2").render_as_string(hide_password=False)
    own = stored(address, DagsterPostgresStorage, "0", monkeypatch)
    ours = stored(address, LedgerPostgresStorage, "200", monkeypatch)
    assert ours == own
    assert sum("'SUCCEEDED'" in one for one in ours["checks"]) == 7 and len(ours["values"]) == 7
    assert [one[:27] for one in ours["checks"] if "'FAILED'" in one] == [
        "('has_water', '2026-01-03',",
        "('has_water', None, 'FAILED",
    ]
    assert ours["order"][-1] == "STEP_SUCCESS"
