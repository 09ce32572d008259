"""Assembles the definitions over one home: every source's graph, the sensors, the schedules and the one resource.

Those of a run of one source, or of a snapshot, have that graph alone, which takes a tenth of the time.
"""

from typing import NamedTuple

from brain_retrieval.extras import naming_the_extra

with naming_the_extra():
    import dagster as dg

from brain_pipelines.orchestration.cells.names import Names
from brain_pipelines.orchestration.connector_sensors import build_connector_sensors
from brain_pipelines.orchestration.days.calendar import Calendar
from brain_pipelines.orchestration.failures import FAILURES
from brain_pipelines.orchestration.forgetting_job import forget_job
from brain_pipelines.orchestration.maintenance import build_maintenance
from brain_pipelines.orchestration.resources import BrainResource
from brain_pipelines.orchestration.schedules import SCHEDULES
from brain_pipelines.orchestration.sensors import build_sensors
from brain_pipelines.orchestration.snapshot_assets import (
    NIGHTLY,
    build_nightly,
    build_nightly_schedule,
    read_stages,
)
from brain_pipelines.orchestration.source_assets import build_source_graph
from brain_pipelines.orchestration.sqlite_storage import store_events_in_batches
from brain_pipelines.orchestration.team_assets import build_team_graph
from brain_pipelines.orchestration.upkeep.backups import backups_job, build_backup_schedule
from brain_pipelines.orchestration.workers.executor import committing_executor
from brain_pipelines.orchestration.workers.session import is_shared
from brain_pipelines.sources.registry import SOURCES, SOURCES_BY_NAME
from brain_retrieval.home import Home
from brain_retrieval.settings import Settings, load_settings


def build_defs(home: Home) -> dg.Definitions:
    """Return the definitions over one home. Loading takes equally long for any number of users and partitions."""
    store_events_in_batches()
    settings = load_settings(home.path)
    partitions = Calendar.of(settings).definition()
    graphs = _source_graphs(settings)
    shared = dg.Definitions(
        assets=build_maintenance(Names.of(settings)),
        jobs=[forget_job, backups_job],
        sensors=[
            *build_sensors([job for graph in graphs for job in graph.jobs or []], Calendar.of(settings)),
            *build_connector_sensors(settings),
            FAILURES,
        ],
        schedules=[*SCHEDULES, build_nightly_schedule(settings), build_backup_schedule(settings)],
        resources=_resources(home),
        executor=_executor(settings),
        metadata={
            **Names.of(settings).tags,
            "first_day": settings.first_day.isoformat(),
            "partitions": f"user × {settings.partitions}",
            "partition_budget": settings.partition_budget,
        },
    )
    return dg.Definitions.merge(*graphs, build_team_graph(partitions, settings), _nightly(settings), shared)


def run_defs(home: Home, source: str) -> dg.Definitions:
    """Return definitions with the job of a source type or of the snapshot, for runs in this process; else all."""
    if source != NIGHTLY and source not in SOURCES_BY_NAME:
        return build_defs(home)
    store_events_in_batches()
    settings = load_settings(home.path)
    if source == NIGHTLY:
        graph = dg.Definitions.merge(_nightly(settings), _read_by_nightly(settings))
    elif _last and _last[0].settings == settings:
        graph = _last[0].graphs[SOURCES.index(SOURCES_BY_NAME[source])]
    else:
        graph = build_source_graph(SOURCES_BY_NAME[source], Calendar.of(settings).definition(), settings)
    return dg.Definitions.merge(graph, dg.Definitions(resources=_resources(home), executor=_executor(settings)))


def _nightly(settings: Settings) -> dg.Definitions:
    return build_nightly(Calendar.of(settings).definition(), [source.name for source in SOURCES], settings)


def _read_by_nightly(settings: Settings) -> dg.Definitions:
    """Return the assets of the sources that a snapshot reads, by their names and partitions alone."""
    names, partitions = Names.of(settings), Calendar.of(settings).definition()
    keys = [names.asset(source.name, stage) for source in SOURCES for stage in read_stages()]
    return dg.Definitions(assets=[dg.AssetSpec(key, partitions_def=partitions) for key in keys])


def _resources(home: Home) -> dict[str, BrainResource]:
    return {"brain": BrainResource(home=str(home.path))}


def _executor(settings: Settings) -> dg.ExecutorDefinition:
    # Parallelism comes from runs: a process a step costs four times the CPU and leaves orphans that write on.
    return committing_executor if is_shared(settings) else dg.in_process_executor


class _Built(NamedTuple):
    settings: Settings
    graphs: list[dg.Definitions]


_last: list[_Built] = []


def _source_graphs(settings: Settings) -> list[dg.Definitions]:
    # They take nearly all the time of `build_defs`.
    if not (_last and _last[0].settings == settings):
        partitions = Calendar.of(settings).definition()
        _last[:] = [_Built(settings, [build_source_graph(source, partitions, settings) for source in SOURCES])]
    return _last[0].graphs
