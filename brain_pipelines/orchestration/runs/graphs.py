"""Definitions with the graph of one source, or of the snapshot, for a run in this process.

They load in a fraction of the time of all definitions, whose sensors, schedules and other jobs a run does not use.
"""

from typing import NamedTuple

import dagster as dg

from brain_pipelines.orchestration.cells.names import Names
from brain_pipelines.orchestration.days.calendar import Calendar
from brain_pipelines.orchestration.resources import BrainResource
from brain_pipelines.orchestration.snapshot_assets import NIGHTLY, build_nightly, read_stages
from brain_pipelines.orchestration.source_assets import build_source_graph
from brain_pipelines.orchestration.sqlite_storage import store_events_in_batches
from brain_pipelines.sources.registry import SOURCES, SOURCES_BY_NAME
from brain_retrieval.home import Home
from brain_retrieval.settings import Settings, load_settings


def is_alone(source: str) -> bool:
    """Return whether `run_defs` has the job: that of a source type or of the snapshot."""
    return source == NIGHTLY or source in SOURCES_BY_NAME


def run_defs(home: Home, source: str) -> dg.Definitions:
    """Return definitions with the job of a source type or of the snapshot, without any other.

    Raises:
        KeyError: for another job.
    """
    store_events_in_batches()
    settings = load_settings(home.path)
    if source == NIGHTLY:
        graph = dg.Definitions.merge(nightly(settings), _read_by_nightly(settings))
    elif _last and _last[0].settings == settings:
        graph = _last[0].graphs[SOURCES.index(SOURCES_BY_NAME[source])]
    else:
        graph = build_source_graph(SOURCES_BY_NAME[source], Calendar.of(settings).definition(), settings)
    return dg.Definitions.merge(graph, dg.Definitions(resources=resources(home), executor=executor(settings)))


def nightly(settings: Settings) -> dg.Definitions:
    """Return the assets and the job of the snapshot."""
    return build_nightly(Calendar.of(settings).definition(), [source.name for source in SOURCES], settings)


def _read_by_nightly(settings: Settings) -> dg.Definitions:
    """Return the assets of the sources that a snapshot reads, by their names and partitions alone."""
    names, partitions = Names.of(settings), Calendar.of(settings).definition()
    keys = [names.asset(source.name, stage) for source in SOURCES for stage in read_stages()]
    return dg.Definitions(assets=[dg.AssetSpec(key, partitions_def=partitions) for key in keys])


def resources(home: Home) -> dict[str, BrainResource]:
    """Return the one resource of every job: the stores of the home."""
    return {"brain": BrainResource(home=str(home.path))}


def executor(settings: Settings) -> dg.ExecutorDefinition:
    """Return what executes the steps of a run: one after another in its process."""
    # Parallelism comes from runs: a process a step costs four times the CPU and leaves orphans that write on.
    if settings.workers.destination is None:
        return dg.in_process_executor
    from brain_pipelines.orchestration.workers.executor import committing_executor  # of homes with workers only

    return committing_executor


class _Built(NamedTuple):
    settings: Settings
    graphs: list[dg.Definitions]


_last: list[_Built] = []


def source_graphs(settings: Settings) -> list[dg.Definitions]:
    """Return the graph of each source type, in the order of SOURCES; kept until the settings change."""
    # They take nearly all the time of the definitions of a home.
    if not (_last and _last[0].settings == settings):
        partitions = Calendar.of(settings).definition()
        _last[:] = [_Built(settings, [build_source_graph(source, partitions, settings) for source in SOURCES])]
    return _last[0].graphs
