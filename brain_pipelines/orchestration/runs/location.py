"""Assembles the definitions over one home: every source's graph, the sensors, the schedules and the one resource.

Those of a run of one source, or of a snapshot, have that graph alone (`graphs.py`), which takes a tenth of the time.
"""

from brain_retrieval.extras import naming_the_extra

with naming_the_extra():
    import dagster as dg

from brain_pipelines.orchestration.cells.names import Names
from brain_pipelines.orchestration.connector_sensors import build_connector_sensors
from brain_pipelines.orchestration.days.calendar import Calendar
from brain_pipelines.orchestration.failures import FAILURES
from brain_pipelines.orchestration.forgetting_job import forget_job
from brain_pipelines.orchestration.maintenance import build_maintenance
from brain_pipelines.orchestration.runs.graphs import executor, nightly, resources, source_graphs
from brain_pipelines.orchestration.schedules import SCHEDULES
from brain_pipelines.orchestration.sensors import build_sensors
from brain_pipelines.orchestration.snapshot_assets import build_nightly_schedule
from brain_pipelines.orchestration.sqlite_storage import store_events_in_batches
from brain_pipelines.orchestration.team_assets import build_team_graph
from brain_pipelines.orchestration.upkeep.backups import backups_job, build_backup_schedule
from brain_retrieval.home import Home
from brain_retrieval.settings import load_settings


def build_defs(home: Home) -> dg.Definitions:
    """Return the definitions over one home. Loading takes equally long for any number of users and partitions."""
    store_events_in_batches()
    settings = load_settings(home.path)
    partitions = Calendar.of(settings).definition()
    graphs = source_graphs(settings)
    shared = dg.Definitions(
        assets=build_maintenance(Names.of(settings)),
        jobs=[forget_job, backups_job],
        sensors=[
            *build_sensors([job for graph in graphs for job in graph.jobs or []], Calendar.of(settings)),
            *build_connector_sensors(settings),
            FAILURES,
        ],
        schedules=[*SCHEDULES, build_nightly_schedule(settings), build_backup_schedule(settings)],
        resources=resources(home),
        executor=executor(settings),
        metadata={
            **Names.of(settings).tags,
            "first_day": settings.first_day.isoformat(),
            "partitions": f"user × {settings.partitions}",
            "partition_budget": settings.partition_budget,
        },
    )
    return dg.Definitions.merge(*graphs, build_team_graph(partitions, settings), nightly(settings), shared)
